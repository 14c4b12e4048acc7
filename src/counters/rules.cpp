// SPDX-License-Identifier: Apache-2.0
#include "counters/rules.h"

#include <bit>

namespace wideload::counters {
namespace {

void set(Figures& figures, Wavefronts wavefronts) {
    figures.wavefronts = wavefronts.taken;
    figures.ideal_wavefronts = wavefronts.ideal;
}

}  // namespace

Figures measure(const Request& request, Rule rule) {
    Figures figures;
    figures.active_lanes = static_cast<std::uint32_t>(std::popcount(request.mask));
    figures.distinct_bytes = rule == Rule::local ? figures.active_lanes * request.bytes_per_lane
                                                 : distinct_bytes(request);
    switch (rule) {
        case Rule::global:
            figures.sectors = distinct_sectors(request);
            break;
        case Rule::atomic:
            figures.sectors = atomic_sectors(request, false);
            break;
        case Rule::uniform_atomic:
            figures.sectors = atomic_sectors(request, true);
            break;
        case Rule::local:
            figures.sectors = local_sectors(request);
            break;
        case Rule::shared_load:
            set(figures, shared_wavefronts(request, false));
            break;
        case Rule::shared_store:
            set(figures, shared_wavefronts(request, true));
            break;
        case Rule::shared_atomic:
            set(figures, shared_atomic_wavefronts(request));
            break;
    }
    const bool shared = figures.wavefronts != 0;
    figures.ideal_sectors = shared ? 0 : ideal_sectors(figures.distinct_bytes);
    figures.pattern = rule == Rule::local ? classify_local(request) : classify(request, !shared);
    return figures;
}

}  // namespace wideload::counters
