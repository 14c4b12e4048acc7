// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "profile/profile.h"

namespace wideload::profile {

/// Adds the figures of `times` executions of `part`, an entry's or another copy's: counts, the
/// histogram and patterns. Samples are no figures; `sum` keeps its own.
void add_figures(Site& sum, const Site& part, std::uint64_t times);

/// What a site is, and nothing of what it did.
[[nodiscard]] Site without_figures(const Site& site);

}  // namespace wideload::profile
