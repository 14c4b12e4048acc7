// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "profile/profile.h"

namespace wideload::profile {

/// The places that launches' sites, and mismatches, come from, each once: ten thousand launches of
/// a kernel have its places in common, and those of templates are many times as long as what a
/// launch counts.
class PlaceTable {
public:
    /// @param launches live as long as this
    explicit PlaceTable(std::span<const Launch> launches);

    /// In the order in which launches first name them.
    [[nodiscard]] const std::vector<const std::vector<Frame>*>& places() const { return places_; }
    /// @param frames of a site or mismatch of the launches; not empty
    [[nodiscard]] std::size_t index_of(const Frames& frames) const;

private:
    struct ByValue {
        bool operator()(const std::vector<Frame>* left, const std::vector<Frame>* right) const {
            return *left < *right;
        }
    };

    void add(const Frames& frames);

    std::vector<const std::vector<Frame>*> places_;
    std::map<const std::vector<Frame>*, std::size_t, ByValue> by_value_;
    std::unordered_map<const void*, std::size_t> by_identity_;
};

}  // namespace wideload::profile
