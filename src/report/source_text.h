// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "support/source_location.h"

namespace wideload::report {

/// Lines of the source files that a profile names, read once each. A file that is not there, or not
/// as it was compiled, costs a report its text, nothing else.
class SourceText {
public:
    /// @param folder where relative paths start, and what shown paths are relative to
    explicit SourceText(std::filesystem::path folder) : folder_(std::move(folder)) {}

    /// The line without its indentation, tabs as spaces, control characters dropped; empty where it
    /// cannot be read.
    [[nodiscard]] std::string line(const SourceLocation& where);

    /// The path as a reader types it: relative to the folder where it lies below it.
    [[nodiscard]] std::string shown_path(const std::string& file) const;

private:
    const std::vector<std::string>& lines_of(const std::string& file);

    std::filesystem::path folder_;
    std::map<std::string, std::vector<std::string>> files_;
};

}  // namespace wideload::report
