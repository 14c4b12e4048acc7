// SPDX-License-Identifier: Apache-2.0
#include "support/diagnostic.h"

#include <fmt/format.h>

#include <algorithm>

namespace wideload {
namespace {

/// Bytes of the UTF-8 character that a text begins with; 0 where it begins with none, or with one
/// of U+0080 to U+009F, which are controls.
std::size_t length_of_character(std::string_view text) {
    const auto lead = static_cast<unsigned char>(text[0]);
    const std::size_t length = lead < 0xc2   ? 0
                               : lead < 0xe0 ? 2
                               : lead < 0xf0 ? 3
                               : lead < 0xf5 ? 4
                                             : 0;
    if (length == 0 || text.size() < length) return 0;
    const bool continues = std::all_of(text.begin() + 1, text.begin() + length, [](char c) {
        return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
    });
    const bool is_control = lead == 0xc2 && static_cast<unsigned char>(text[1]) < 0xa0;
    return continues && !is_control ? length : 0;
}

/// Names in files that anyone may have written can hold what a terminal would obey: "\x1b".
std::string without_controls(std::string_view text) {
    std::string result;
    while (!text.empty()) {
        const auto c = static_cast<unsigned char>(text[0]);
        const bool is_plain = c == '\n' || c == '\t' || (c >= 0x20 && c < 0x7f);
        const std::size_t length = is_plain ? 1 : length_of_character(text);
        if (length != 0) {
            result += text.substr(0, length);
        } else {
            result += fmt::format("\\x{:02x}", c);
        }
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return result;
}

/// The caret's indentation repeats the tabs of the line above it, so that both align on any
/// terminal.
std::string caret_under(const std::string& line, std::uint32_t column) {
    std::string indent = without_controls(std::string_view(line).substr(0, column - 1));
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
    text += (diagnostic.is_warning ? "warning: " : "error: ") + diagnostic.message + '\n';
    if (!diagnostic.source_line.empty()) {
        text += "    " + diagnostic.source_line + '\n';
        if (where.column != 0) {
            text += "    " + caret_under(diagnostic.source_line, where.column) + '\n';
        }
    }
    if (!diagnostic.hint.empty()) text += "    hint: " + diagnostic.hint + '\n';
    return without_controls(text);
}

std::string format(const Diagnostics& diagnostics) {
    std::string text;
    for (const Diagnostic& diagnostic : diagnostics) text += format(diagnostic);
    return text;
}

}  // namespace wideload
