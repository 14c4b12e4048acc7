// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "lab/record.h"

namespace wideload::lab {

/// A chart as an SVG file; nothing where the results lack its metric.
[[nodiscard]] std::optional<std::string> chart_svg(const Chart& chart, const Outcome& outcome);

/// Occupancy over one resource as steps, a line for the GPUs that share it; needs no results.
[[nodiscard]] std::string staircase_svg(const Staircase& staircase);

}  // namespace wideload::lab
