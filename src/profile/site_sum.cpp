// SPDX-License-Identifier: Apache-2.0
#include "profile/site_sum.h"

#include <algorithm>
#include <functional>

namespace wideload::profile {
namespace {

void add(std::optional<std::uint64_t>& sum, const std::optional<std::uint64_t>& part,
         std::uint64_t times) {
    if (part) sum = sum.value_or(0) + *part * times;
}

void add_patterns(std::vector<PatternShare>& sum, const std::vector<PatternShare>& part,
                  std::uint64_t times) {
    for (const PatternShare& share : part) {
        const auto same = std::ranges::find_if(sum, [&](const PatternShare& candidate) {
            return candidate.pattern == share.pattern && candidate.bytes == share.bytes;
        });
        if (same == sum.end()) {
            sum.push_back({share.pattern, share.bytes, share.requests * times});
        } else {
            same->requests += share.requests * times;
        }
    }
    std::ranges::stable_sort(sum, std::ranges::greater{}, &PatternShare::requests);
}

}  // namespace

void add_figures(Site& sum, const Site& part, std::uint64_t times) {
    sum.executions += part.executions * times;
    add(sum.requests, part.requests, times);
    add(sum.active_lanes, part.active_lanes, times);
    add(sum.sectors, part.sectors, times);
    add(sum.ideal_sectors, part.ideal_sectors, times);
    add(sum.distinct_bytes, part.distinct_bytes, times);
    add(sum.wavefronts, part.wavefronts, times);
    add(sum.ideal_wavefronts, part.ideal_wavefronts, times);
    add(sum.divergent_executions, part.divergent_executions, times);
    for (const auto& [cost, requests] : part.histogram) sum.histogram[cost] += requests * times;
    add_patterns(sum.patterns, part.patterns, times);
}

Site without_figures(const Site& site) {
    Site bare;
    bare.opcode = site.opcode;
    bare.kind = site.kind;
    bare.element_bytes = site.element_bytes;
    bare.vector_width = site.vector_width;
    bare.ptx_line = site.ptx_line;
    bare.frames = site.frames;
    bare.parameter = site.parameter;
    return bare;
}

}  // namespace wideload::profile
