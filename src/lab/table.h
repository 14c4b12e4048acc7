// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "lab/record.h"

namespace wideload::lab {

/// An experiment's points as text: one row each, with its series, parameters and those columns of
/// the description that were measured at some point.
struct Table {
    std::vector<std::string> heads;
    std::vector<std::vector<std::string>> rows;
    std::size_t text_columns = 1;  ///< so many at the left are words, not figures
};

[[nodiscard]] Table table_of(const Outcome& outcome);

/// The series side by side by the description's summary columns, each at its last point of the
/// parameters that the first point has; figures that fall or rise say by how much, against the
/// first row. Empty where there is no summary.
[[nodiscard]] Table summary_of(const Outcome& outcome);

}  // namespace wideload::lab
