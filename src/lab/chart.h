// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "lab/record.h"

namespace wideload::lab {

/// A chart as a Vega-Lite specification, JSON that holds its data; nothing where the results lack
/// its metric.
[[nodiscard]] std::optional<std::string> chart_specification(const Chart& chart,
                                                             const Outcome& outcome);

}  // namespace wideload::lab
