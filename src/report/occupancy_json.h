// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "model/occupancy_steps.h"

namespace wideload::report {

/// Schema "wideload-occupancy/1", which docs/occupancy.md describes: every study with its limits,
/// cliffs and staircases. Ends with a newline.
/// @param producer "wideload 0.1.0"
[[nodiscard]] std::string occupancy_json(std::span<const model::OccupancyStudy> studies,
                                         std::string_view producer);

}  // namespace wideload::report
