// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace wideload::counters::test {

/// One launch as an H200 counted it.
struct HardwareRow {
    std::string kernel;  ///< without return type, template arguments and parameters: "red_add"
    std::map<std::string, std::uint64_t> columns;
};

/// Rows of one of tests/data/*_h200.csv, in launch order.
[[nodiscard]] std::vector<HardwareRow> read_hardware_rows(const std::string& file_name);

}  // namespace wideload::counters::test
