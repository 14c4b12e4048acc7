// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <limits>
#include <optional>
#include <vector>

#include "counters/rules.h"

namespace wideload::counters {
namespace {

struct ActiveLane {
    unsigned lane;
    std::uint64_t address;
};

std::vector<ActiveLane> active_lanes(const Request& request) {
    std::vector<ActiveLane> lanes;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        if (request.mask >> lane & 1) {
            lanes.push_back({lane, request.addresses[lane]});
        }
    }
    return lanes;
}

/// The constant distance between lanes, where there is one. `position` says how many steps a lane
/// is from the first.
template <class Position>
std::optional<std::int32_t> constant_stride(const std::vector<ActiveLane>& lanes,
                                            Position position) {
    const auto distance = [&](std::size_t i) {
        return static_cast<std::int64_t>(lanes[i].address - lanes[0].address);
    };
    const std::int64_t steps = position(1);
    if (distance(1) % steps != 0) {
        return std::nullopt;
    }
    const std::int64_t stride = distance(1) / steps;
    if (std::abs(stride) > std::numeric_limits<std::int32_t>::max()) {
        return std::nullopt;
    }
    for (std::size_t i = 2; i < lanes.size(); ++i) {
        if (distance(i) != stride * position(i)) {
            return std::nullopt;
        }
    }
    return static_cast<std::int32_t>(stride);
}

/// A run of lanes without a gap (but for inactive lanes), from the lowest address to the end of the
/// highest.
Pattern run(std::uint64_t begin, std::uint64_t end, bool sectors_matter) {
    const std::uint64_t touched = (end - 1) / kSectorBytes - begin / kSectorBytes + 1;
    const std::uint64_t needed = (end - begin + kSectorBytes - 1) / kSectorBytes;
    if (sectors_matter && touched > needed) {
        return {PatternKind::misaligned, static_cast<std::int32_t>(begin % kSectorBytes)};
    }
    return {PatternKind::contiguous, 0};
}

}  // namespace

Pattern classify(const Request& request, bool sectors_matter) {
    const std::vector<ActiveLane> lanes = active_lanes(request);
    const auto [low, high] = std::minmax_element(
        lanes.begin(), lanes.end(),
        [](const ActiveLane& a, const ActiveLane& b) { return a.address < b.address; });
    if (low->address == high->address) {
        return {PatternKind::broadcast, 0};
    }
    const std::uint64_t end = high->address + request.bytes_per_lane;
    auto stride = constant_stride(lanes, [&](std::size_t i) {
        return static_cast<std::int64_t>(lanes[i].lane - lanes[0].lane);
    });
    if (!stride) {
        stride = constant_stride(lanes, [](std::size_t i) { return static_cast<std::int64_t>(i); });
    }
    if (stride && std::abs(*stride) == static_cast<std::int32_t>(request.bytes_per_lane)) {
        return run(low->address, end, sectors_matter);
    }
    if (stride) {
        return {PatternKind::strided, *stride};
    }
    if (distinct_bytes(request) == end - low->address) {
        return run(low->address, end, sectors_matter);
    }
    return {PatternKind::irregular, 0};
}

Pattern classify_local(const Request& request) {
    const std::vector<ActiveLane> lanes = active_lanes(request);
    const bool equal = std::all_of(lanes.begin(), lanes.end(), [&](const ActiveLane& lane) {
        return lane.address == lanes[0].address;
    });
    return {equal && request.bytes_per_lane >= 4 ? PatternKind::contiguous : PatternKind::irregular,
            0};
}

}  // namespace wideload::counters
