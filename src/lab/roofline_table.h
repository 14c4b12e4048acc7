// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "lab/record.h"
#include "lab/table.h"

/// Every kernel of several experiments under the roofs, in tables and words.
namespace wideload::lab {

/// A row for each of spots_of(), by its number; how many times its stated bytes DRAM moved, where
/// that was counted of any. Without a kernel it has no rows.
[[nodiscard]] Table roofline_table(const std::vector<Outcome>& outcomes);

/// By whose bytes the kernels stand where they do; empty where DRAM's were not counted.
[[nodiscard]] std::string roofline_words(const std::vector<Outcome>& outcomes);

/// What DRAM moved of each series at full size, beside what its program states. Without counts it
/// has no rows.
[[nodiscard]] Table traffic_table(const std::vector<Outcome>& outcomes);

/// How far DRAM's bytes lie from those that programs state, and whose farthest; empty without
/// counts.
[[nodiscard]] std::string traffic_words(const std::vector<Outcome>& outcomes);

}  // namespace wideload::lab
