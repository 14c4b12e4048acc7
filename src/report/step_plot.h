// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "model/occupancy_steps.h"

namespace wideload::report {

/// The staircase of one axis as text: per cent of the multiprocessor's warps upwards, the axis to
/// the right, and an arrow under where the kernel stands. Ends with a newline.
[[nodiscard]] std::string step_plot(const model::OccupancyStudy& study, model::Axis axis);

/// What an axis counts: "threads a block".
[[nodiscard]] std::string_view axis_words(model::Axis axis);

}  // namespace wideload::report
