// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "model/occupancy_steps.h"

namespace wideload::report {

/// More lines than these in one plot could not be told apart.
inline constexpr std::size_t kMostStaircases = 12;

/// Occupancy over threads a block, registers and shared memory, one below the other: a line for
/// each study, with a dot where it stands.
/// @param studies  kMostStaircases at most
[[nodiscard]] std::string occupancy_svg(std::span<const model::OccupancyStudy> studies);

}  // namespace wideload::report
