// SPDX-License-Identifier: Apache-2.0
#include "counters/bulk.h"

#include <bit>

#include "counters/rules.h"

namespace wideload::counters {

void count_bulk(SiteRow& row, const std::uint64_t* begins, const std::uint32_t* bytes,
                std::uint32_t mask) {
    if (mask == 0) return;
    ++row.requests;
    row.active_lanes += static_cast<unsigned>(std::popcount(mask));
    for (; mask != 0; mask &= mask - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(mask));
        if (bytes[lane] == 0) continue;
        const std::uint64_t first = begins[lane] / kSectorBytes;
        const std::uint64_t last = (begins[lane] + bytes[lane] - 1) / kSectorBytes;
        row.sectors += last - first + 1;
        row.ideal_sectors += ideal_sectors(bytes[lane]);
        row.distinct_bytes += bytes[lane];
    }
}

}  // namespace wideload::counters
