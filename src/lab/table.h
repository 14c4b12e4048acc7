// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "lab/record.h"

namespace wideload::lab {

/// Words and figures in rows below heads.
struct Table {
    std::vector<std::string> heads;
    std::vector<std::vector<std::string>> rows;
    std::size_t text_columns = 1;  ///< so many at the left are words, not figures
    std::vector<bool> notes = {};  ///< by column: words, too
    std::size_t key_columns = 1;   ///< so many at the left say which row it is

    [[nodiscard]] bool is_text(std::size_t column) const {
        return column < text_columns || (column < notes.size() && notes[column]);
    }
};

/// An experiment's points as text: one row each, with its series, parameters and those columns of
/// the description that were measured at some point. Few points with many figures stand side by
/// side instead, a row for each figure.
[[nodiscard]] Table table_of(const Outcome& outcome);

/// The series side by side by the description's summary columns, each at its last point of the
/// parameters that the first point has; figures that fall or rise say by how much, against the
/// first row. What the results say of the description's remarks is the last column. Empty where
/// there is no summary.
[[nodiscard]] Table summary_of(const Outcome& outcome);

}  // namespace wideload::lab
