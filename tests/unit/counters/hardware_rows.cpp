// SPDX-License-Identifier: Apache-2.0
#include "hardware_rows.h"

#include <cctype>
#include <fstream>

namespace wideload::counters::test {
namespace {

/// Fields of a line whose quoted ones hold commas but no quotes.
std::vector<std::string> split(const std::string& line) {
    std::vector<std::string> fields(1);
    bool quoted = false;
    for (const char c : line) {
        if (c == '"') {
            quoted = !quoted;
        } else if (c == ',' && !quoted) {
            fields.emplace_back();
        } else if (c != '\r') {
            fields.back() += c;
        }
    }
    return fields;
}

std::string bare_name(std::string kernel) {
    if (kernel.rfind("void ", 0) == 0) {
        kernel.erase(0, 5);
    }
    return kernel.substr(0, kernel.find_first_of("<("));
}

}  // namespace

std::vector<HardwareRow> read_hardware_rows(const std::string& file_name) {
    std::ifstream file(std::string(WIDELOAD_TEST_DATA) + "/" + file_name);
    std::string line;
    std::getline(file, line);
    const std::vector<std::string> names = split(line);
    std::vector<HardwareRow> rows;
    while (std::getline(file, line)) {
        const std::vector<std::string> fields = split(line);
        HardwareRow row;
        row.kernel = bare_name(fields.at(1));
        for (std::size_t i = 4; i < names.size(); ++i) {
            row.columns[names[i]] = std::stoull(fields.at(i));
        }
        rows.push_back(row);
    }
    return rows;
}

}  // namespace wideload::counters::test
