// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "profile/profile.h"

namespace wideload::report {

/// The pattern that most of the excess of a site in global or local memory comes from. Patterns are
/// weighed by the sectors that they can have cost, not by how often they came: a contiguous
/// majority may still be what costs, where lanes between the active ones are idle.
/// @returns one of the site's; null where idle lanes cost more than any pattern does
[[nodiscard]] const profile::PatternShare* costliest_pattern(const profile::Site& site);

}  // namespace wideload::report
