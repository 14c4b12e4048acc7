// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "support/source_location.h"

namespace wideload {

/// One thing that is wrong, where, and what to do next.
struct Diagnostic {
    SourceLocation where;     ///< file may be empty where the input has no name
    std::string message;      ///< what is wrong, one sentence, lower case, no full stop
    std::string source_line;  ///< text of the line that `where` names, for the caret; may be empty
    std::string hint;         ///< what to do next; may be empty
    bool is_warning = false;  ///< what was asked for is done all the same
};

using Diagnostics = std::vector<Diagnostic>;

/// Adds further ones behind.
void append(Diagnostics& diagnostics, const Diagnostics& further);

/// What is wrong with an input as a whole: a binary file, an option.
[[nodiscard]] Diagnostic failure_in(std::string file, std::string message, std::string hint = {});

/// `file:line:col: error: message` (or `warning:`), then the source line with a caret, then the
/// hint, each on a line.
[[nodiscard]] std::string format(const Diagnostic& diagnostic);
[[nodiscard]] std::string format(const Diagnostics& diagnostics);

}  // namespace wideload
