// SPDX-License-Identifier: Apache-2.0
#include "support/diagnostic.h"

#include <fmt/format.h>

#include <algorithm>

namespace wideload {
namespace {

/// The caret's indentation repeats the tabs of the line above it, so that both align on any
/// terminal.
std::string caret_under(const std::string& line, std::uint32_t column) {
    std::string indent = line.substr(0, std::min<std::size_t>(line.size(), column - 1));
    for (char& c : indent) {
        if (c != '\t') c = ' ';
    }
    return indent + '^';
}

}  // namespace

void append(Diagnostics& diagnostics, const Diagnostics& further) {
    diagnostics.insert(diagnostics.end(), further.begin(), further.end());
}

Diagnostic failure_in(std::string file, std::string message, std::string hint) {
    Diagnostic diagnostic;
    diagnostic.where.file = std::move(file);
    diagnostic.message = std::move(message);
    diagnostic.hint = std::move(hint);
    return diagnostic;
}

std::string format(const Diagnostic& diagnostic) {
    std::string text;
    const SourceLocation& where = diagnostic.where;
    if (!where.file.empty()) text += where.file + ':';
    if (where.line != 0) {
        text += fmt::format("{}:", where.line);
        if (where.column != 0) text += fmt::format("{}:", where.column);
    }
    if (!text.empty()) text += ' ';
    text += "error: " + diagnostic.message + '\n';
    if (!diagnostic.source_line.empty()) {
        text += "    " + diagnostic.source_line + '\n';
        if (where.column != 0) {
            text += "    " + caret_under(diagnostic.source_line, where.column) + '\n';
        }
    }
    if (!diagnostic.hint.empty()) text += "    hint: " + diagnostic.hint + '\n';
    return text;
}

std::string format(const Diagnostics& diagnostics) {
    std::string text;
    for (const Diagnostic& diagnostic : diagnostics) text += format(diagnostic);
    return text;
}

}  // namespace wideload
