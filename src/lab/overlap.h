// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "lab/chart_data.h"
#include "report/chart.h"

namespace wideload::lab {

/// How the lines of a chart are drawn where they lie on each other, so that each is seen.
struct Overlaps {
    std::vector<report::DashTurn> turns;  ///< by series of the description
    std::vector<std::size_t> above;       ///< by datum: how many of later series lie on it
};

/// @param chart  for its scales: what lies on each other is a matter of the drawing
[[nodiscard]] Overlaps overlaps_of(const Chart& chart, const ChartData& data);

}  // namespace wideload::lab
