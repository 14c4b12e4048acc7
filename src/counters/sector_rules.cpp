// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <set>
#include <utility>
#include <vector>

#include "arch/compute_capability.h"
#include "counters/atomic_queue.h"
#include "counters/rules.h"

namespace wideload::counters {
namespace {

template <class Visit>
void for_each_active(const Request& request, Visit visit) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        if (request.mask >> lane & 1) {
            visit(lane, request.addresses[lane]);
        }
    }
}

unsigned count_distinct(std::vector<std::uint64_t>& values) {
    std::sort(values.begin(), values.end());
    return static_cast<unsigned>(std::unique(values.begin(), values.end()) - values.begin());
}

}  // namespace

unsigned distinct_sectors(const Request& request) {
    std::vector<std::uint64_t> sectors;
    for_each_active(request, [&](unsigned, std::uint64_t address) {
        const std::uint64_t last = address + request.bytes_per_lane - 1;
        for (std::uint64_t sector = address / kSectorBytes; sector <= last / kSectorBytes;
             ++sector) {
            sectors.push_back(sector);
        }
    });
    return count_distinct(sectors);
}

unsigned distinct_bytes(const Request& request) {
    // Lanes access multiples of what they move: two are equal or apart.
    std::vector<std::uint64_t> addresses;
    for_each_active(request,
                    [&](unsigned, std::uint64_t address) { addresses.push_back(address); });
    return count_distinct(addresses) * request.bytes_per_lane;
}

unsigned ideal_sectors(unsigned distinct_bytes) {
    return (distinct_bytes + kSectorBytes - 1) / kSectorBytes;
}

double coalescing_degree(std::uint64_t distinct_bytes, std::uint64_t sectors) {
    return sectors == 0 ? 0
                        : static_cast<double>(distinct_bytes) /
                              (static_cast<double>(sectors) * kSectorBytes);
}

std::array<unsigned, kLanes> atomic_packets(const Request& request) {
    std::array<unsigned, kLanes> packets{};
    std::uint32_t waiting = request.mask;
    for (unsigned packet = 0; waiting != 0; ++packet) {
        const auto head = static_cast<unsigned>(std::countr_zero(waiting));
        const std::uint64_t line = request.addresses[head] / arch::kCacheLineBytes;
        std::set<std::pair<unsigned, std::uint64_t>> passed;
        for_each_active({request.addresses, waiting}, [&](unsigned lane, std::uint64_t address) {
            const bool first_of_its_bank =
                passed.emplace(atomic_queue(address), address / kBankBytes % kBanks).second;
            if (first_of_its_bank && address / arch::kCacheLineBytes == line) {
                packets[lane] = packet;
                waiting &= ~(1u << lane);
            }
        });
    }
    return packets;
}

unsigned atomic_sectors(const Request& request, bool uniform_address) {
    if (uniform_address) {
        return request.mask == 0 ? 0 : 1;
    }
    const std::array<unsigned, kLanes> packets = atomic_packets(request);
    std::set<std::pair<unsigned, std::uint64_t>> sectors;
    for_each_active(request, [&](unsigned lane, std::uint64_t address) {
        sectors.emplace(packets[lane], address / kSectorBytes);
    });
    return static_cast<unsigned>(sectors.size());
}

unsigned local_sectors(const Request& request) {
    constexpr unsigned kWordBytes = 4;
    std::vector<std::uint64_t> sectors;
    for_each_active(request, [&](unsigned lane, std::uint64_t offset) {
        const std::uint64_t last = (offset + request.bytes_per_lane - 1) / kWordBytes;
        for (std::uint64_t word = offset / kWordBytes; word <= last; ++word) {
            sectors.push_back((word * kLanes + lane) * kWordBytes / kSectorBytes);
        }
    });
    return count_distinct(sectors);
}

}  // namespace wideload::counters
