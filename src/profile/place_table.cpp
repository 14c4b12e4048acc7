// SPDX-License-Identifier: Apache-2.0
#include "profile/place_table.h"

namespace wideload::profile {

PlaceTable::PlaceTable(std::span<const Launch> launches) {
    for (const Launch& launch : launches) {
        for (const Site& site : *launch.sites) {
            if (site.frames->empty()) continue;
            const auto [known, is_new] = by_identity_.try_emplace(site.frames.identity());
            if (!is_new) continue;
            const auto [place, is_first] = by_value_.try_emplace(&*site.frames, places_.size());
            known->second = place->second;
            if (is_first) places_.push_back(&*site.frames);
        }
    }
}

std::size_t PlaceTable::index_of(const Frames& frames) const {
    return by_identity_.at(frames.identity());
}

}  // namespace wideload::profile
