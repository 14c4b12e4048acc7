// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "report/terminal.h"
#include "sass/inspect.h"

namespace wideload::report {

/// What `wideload inspect` found in a file.
struct Inspection {
    std::string producer;  ///< "wideload 0.1.0"
    std::string file;      ///< as the user named it
    std::vector<sass::InspectedCode> codes;
};

/// Each kernel with its resources, its instructions by category, and its memory accesses by source
/// line. Every line but the source's fits in the columns; the text ends with a newline.
[[nodiscard]] std::string code_report(const Inspection& inspection, const TerminalOptions& options);

}  // namespace wideload::report
