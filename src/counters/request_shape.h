// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>

#include "counters/lanes.h"
#include "counters/rules.h"

namespace wideload::counters {
namespace {

/// What the counting functions first learn of a request: its lanes' distances from the first active
/// one, and whether they are a progression.
template <class Isa>
struct Shape {
    std::uint64_t base = 0;  ///< address of the first active lane
    std::uint32_t mask = 0;
    unsigned bytes = 0;
    unsigned lanes = 0;  ///< active ones
    unsigned first = 0;  ///< active lane
    bool gaps = false;   ///< inactive lanes between active ones
    /// Lanes lie `stride` bytes apart.
    bool progression = false;
    std::int32_t stride = 0;
    /// From the base; 0 for inactive lanes, as the first active one. Not set for a progression.
    Lanes<Isa> distance;

    [[nodiscard]] unsigned shift() const { return static_cast<unsigned>(__builtin_ctz(bytes)); }
    /// Of a progression without gaps; the lowest active lane's address, or of any progression the
    /// bounds.
    [[nodiscard]] std::int64_t last_distance() const {
        return std::int64_t{stride} * (31 - __builtin_clz(mask) - static_cast<int>(first));
    }
};

inline std::uint32_t without_lowest(std::uint32_t mask) { return mask & (mask - 1); }
inline unsigned lowest(std::uint32_t mask) { return static_cast<unsigned>(__builtin_ctz(mask)); }
inline unsigned highest(std::uint32_t mask) {
    return 31 - static_cast<unsigned>(__builtin_clz(mask));
}

/// The second, third and last active lane; of two active lanes the second is all three. They settle
/// most irregular requests, and where the last one fits a progression, none of its lanes leaves
/// 32-bit arithmetic.
struct Probes {
    unsigned second, third, last;
};
inline Probes probes(std::uint32_t mask) {
    const std::uint32_t after_first = without_lowest(mask);
    const std::uint32_t after_second = without_lowest(after_first);
    const unsigned second = lowest(after_first);
    return {second, after_second == 0 ? second : lowest(after_second), highest(mask)};
}

/// Finds the mask's properties and whether the lanes are a progression; distances are loaded by
/// load_distances().
template <class Isa>
inline void describe(const std::uint64_t* addresses, std::uint32_t mask, unsigned bytes,
                     Shape<Isa>& shape) {
    shape.mask = mask;
    shape.bytes = bytes;
    shape.lanes = static_cast<unsigned>(__builtin_popcount(mask));
    shape.first = lowest(mask);
    shape.base = addresses[shape.first];
    const std::uint32_t run = mask >> shape.first;
    shape.gaps = (run & (run + 1)) != 0;
    if (shape.lanes == 1) {
        shape.progression = true;
        return;
    }
    const Probes probe = probes(mask);
    const auto distance = [&](unsigned lane) {
        return static_cast<std::int64_t>(addresses[lane] - shape.base);
    };
    const auto steps = [&](unsigned lane) { return static_cast<std::int64_t>(lane - shape.first); };
    std::int64_t stride = distance(probe.second);
    if (steps(probe.second) != 1) {
        if (stride % steps(probe.second) != 0) {
            return;
        }
        stride /= steps(probe.second);
    }
    if (distance(probe.third) == stride * steps(probe.third) &&
        distance(probe.last) == stride * steps(probe.last) &&
        stride == static_cast<std::int32_t>(stride)) {
        shape.stride = static_cast<std::int32_t>(stride);
        shape.progression = Isa::is_progression(
            addresses, mask, shape.base - static_cast<std::uint64_t>(stride * shape.first), stride);
    }
}

inline std::uint32_t magnitude(std::int32_t value) {
    return value < 0 ? 0u - static_cast<std::uint32_t>(value) : static_cast<std::uint32_t>(value);
}

/// Sector of each lane, counted from the one that the base lies in.
template <class Isa>
inline Lanes<Isa> sector_lanes(const Shape<Isa>& shape) {
    const auto into_sector = static_cast<std::int32_t>(shape.base % kSectorBytes);
    return shape.distance.map([=](auto part) { return (part + into_sector) >> 5; });
}

/// rules.h, run(): lanes without a gap but for inactive ones, from `begin` to before `end`.
inline Pattern run_pattern(std::uint64_t begin, std::uint64_t end, bool sectors_matter) {
    const std::uint64_t touched = (end - 1) / kSectorBytes - begin / kSectorBytes + 1;
    const std::uint64_t needed = (end - begin + kSectorBytes - 1) / kSectorBytes;
    if (sectors_matter && touched > needed) {
        return {PatternKind::misaligned, static_cast<std::int32_t>(begin % kSectorBytes)};
    }
    return {PatternKind::contiguous, 0};
}

template <class Isa>
inline Pattern progression_pattern(const Shape<Isa>& shape, bool sectors_matter) {
    if (shape.stride == 0) {
        return {PatternKind::broadcast, 0};
    }
    if (magnitude(shape.stride) != shape.bytes) {
        return {PatternKind::strided, shape.stride};
    }
    const std::int64_t last = shape.last_distance();
    const std::uint64_t begin = shape.base + static_cast<std::uint64_t>(last < 0 ? last : 0);
    const std::uint64_t end = shape.base + static_cast<std::uint64_t>(last > 0 ? last : 0);
    return run_pattern(begin, end + shape.bytes, sectors_matter);
}

/// Whether each active lane lies `stride` bytes past the one before it.
template <class Isa>
inline bool is_progression_of_active(const Shape<Isa>& shape, std::int32_t stride) {
    std::int32_t distance[kLanes];
    std::memcpy(distance, shape.distance.part, sizeof(distance));
    std::int32_t expected = 0;
    for (std::uint32_t rest = shape.mask; rest != 0; rest = without_lowest(rest)) {
        if (distance[lowest(rest)] != expected) {
            return false;
        }
        expected += stride;
    }
    return true;
}

/// Of a request that is no progression by lane.
/// @param distinct  distinct addresses
template <class Isa>
inline Pattern other_pattern(const Shape<Isa>& shape, unsigned distinct, bool sectors_matter) {
    const auto run_of = [&](std::int32_t low, std::int32_t high) {
        return run_pattern(
            shape.base + static_cast<std::uint64_t>(std::int64_t{low}),
            shape.base + static_cast<std::uint64_t>(std::int64_t{high}) + shape.bytes,
            sectors_matter);
    };
    if (shape.gaps) {
        // Neighbouring active lanes, as a compaction's stores lie.
        const Probes probe = probes(shape.mask);
        const std::int32_t stride = shape.distance[probe.second];
        const std::int64_t ranks = static_cast<std::int64_t>(shape.lanes) - 1;
        const bool probes_agree =
            shape.lanes == 2 || (shape.distance[probe.third] == std::int64_t{stride} * 2 &&
                                 shape.distance[probe.last] == stride * ranks);
        if (probes_agree) {
            if (is_progression_of_active(shape, stride)) {
                if (magnitude(stride) != shape.bytes) {
                    return {PatternKind::strided, stride};
                }
                const std::int32_t last = stride * static_cast<std::int32_t>(shape.lanes - 1);
                return run_of(last < 0 ? last : 0, last > 0 ? last : 0);
            }
        }
    }
    // Lanes of one run lie within its bytes from each other; most others are told by their last
    // lane.
    if (magnitude(shape.distance[highest(shape.mask)]) >= distinct * shape.bytes) {
        return {PatternKind::irregular, 0};
    }
    const std::int32_t low = Isa::least(shape.distance.part);
    const std::int32_t high = Isa::most(shape.distance.part);
    if (static_cast<std::uint32_t>(high - low) + shape.bytes == distinct * shape.bytes) {
        return run_of(low, high);
    }
    return {PatternKind::irregular, 0};
}

}  // namespace
}  // namespace wideload::counters
