// SPDX-License-Identifier: Apache-2.0
#include "request_counts.h"

#include <algorithm>
#include <map>
#include <set>

namespace wideload::fuzz {

void count_lanes(SiteCounts& counts, const LaneAddresses& addresses) {
    const auto lanes = std::count_if(addresses.begin(), addresses.end(),
                                     [](const auto& a) { return a.has_value(); });
    counts.requests += lanes > 0 ? 1 : 0;
    counts.active_lanes += static_cast<std::uint64_t>(lanes);
}

void count_global(SiteCounts& counts, const LaneAddresses& addresses, unsigned bytes) {
    count_lanes(counts, addresses);
    std::set<std::uint64_t> touched, sectors;
    for (const auto& address : addresses) {
        for (unsigned i = 0; address && i < bytes; ++i) {
            touched.insert(*address + i);
            sectors.insert((*address + i) / 32);
        }
    }
    counts.sectors += sectors.size();
    counts.distinct_bytes += touched.size();
    counts.ideal_sectors += (touched.size() + 31) / 32;
}

void count_local(SiteCounts& counts, const LaneAddresses& addresses, unsigned bytes) {
    count_lanes(counts, addresses);
    std::set<std::uint64_t> sectors;
    for (std::uint64_t lane = 0; lane < 32; ++lane) {
        for (unsigned i = 0; addresses[lane] && i < bytes; ++i) {
            sectors.insert(((*addresses[lane] + i) / 4 * 128 + lane * 4) / 32);
        }
    }
    counts.sectors += sectors.size();
}

void count_shared(SiteCounts& counts, const LaneAddresses& addresses, unsigned bytes) {
    count_lanes(counts, addresses);
    const unsigned group = bytes <= 4 ? 32 : bytes == 8 ? 16 : 8;
    for (unsigned first = 0; first < 32; first += group) {
        std::map<std::uint64_t, std::set<std::uint64_t>> words_of_bank;
        for (unsigned lane = first; lane < first + group; ++lane) {
            for (unsigned i = 0; addresses[lane] && i < bytes; ++i) {
                const std::uint64_t word = (*addresses[lane] + i) / 4;
                words_of_bank[word % 32].insert(word);
            }
        }
        std::size_t passes = 0;
        for (const auto& [bank, words] : words_of_bank) passes = std::max(passes, words.size());
        counts.wavefronts += passes;
    }
}

}  // namespace wideload::fuzz
