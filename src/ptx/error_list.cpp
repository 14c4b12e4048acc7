// SPDX-License-Identifier: Apache-2.0
#include "ptx/error_list.h"

#include <algorithm>
#include <utility>

namespace wideload::ptx {
namespace {

/// A longer line does not help a reader, and generated PTX may have lines of megabytes.
constexpr std::size_t kLongestLine = 200;

}  // namespace

std::string ErrorList::line_around(std::size_t position, std::uint32_t column) const {
    const std::size_t start = position - std::min<std::size_t>(position, column - 1);
    const std::size_t end = std::min(text_.find('\n', start), text_.size());
    std::string_view line = text_.substr(start, end - start);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.size() <= kLongestLine) return std::string(line);
    if (column > kLongestLine) return {};
    return std::string(line.substr(0, kLongestLine)) + "...";
}

std::size_t ErrorList::start_of_line(std::uint32_t line) const {
    std::size_t position = 0;
    for (std::uint32_t i = 1; i < line; ++i) {
        position = text_.find('\n', position);
        if (position == std::string_view::npos) return text_.size();
        ++position;
    }
    return position;
}

void ErrorList::add(const Token& where, std::string message, std::string hint) {
    if (full()) return;
    const auto position = where.text.data() == nullptr
                              ? text_.size()
                              : static_cast<std::size_t>(where.text.data() - text_.data());
    errors_.push_back({{name_, where.line, where.column},
                       std::move(message),
                       line_around(position, where.column),
                       std::move(hint)});
}

void ErrorList::add(Diagnostic diagnostic) {
    if (full()) return;
    if (diagnostic.where.line != 0) {
        diagnostic.source_line = line_around(start_of_line(diagnostic.where.line), 1);
    }
    errors_.push_back(std::move(diagnostic));
}

}  // namespace wideload::ptx
