// SPDX-License-Identifier: Apache-2.0
#include "profile/place_table.h"

namespace wideload::profile {

PlaceTable::PlaceTable(std::span<const Launch> launches) {
    for (const Launch& launch : launches) {
        for (const Site& site : *launch.sites) add(site.frames);
        for (const Mismatch& mismatch : launch.mismatches) add(mismatch.frames);
    }
}

void PlaceTable::add(const Frames& frames) {
    if (frames->empty()) return;
    const auto [known, is_new] = by_identity_.try_emplace(frames.identity());
    if (!is_new) return;
    const auto [place, is_first] = by_value_.try_emplace(&*frames, places_.size());
    known->second = place->second;
    if (is_first) places_.push_back(&*frames);
}

std::size_t PlaceTable::index_of(const Frames& frames) const {
    return by_identity_.at(frames.identity());
}

}  // namespace wideload::profile
