// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "model/occupancy_steps.h"

namespace wideload::report {

/// One study in full, with its limits, cliffs and plots; several as a table with a line each.
[[nodiscard]] std::string occupancy_text(std::span<const model::OccupancyStudy> studies);

}  // namespace wideload::report
