// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "lab/table.h"
#include "report/layout.h"

namespace wideload::lab {

/// A table for a terminal of so many columns. One that is wider goes on below itself, as often as
/// it has to, each time behind the columns that say which row it is.
[[nodiscard]] std::string table_text(const Table& table, const report::Style& style,
                                     std::size_t columns);

}  // namespace wideload::lab
