// SPDX-License-Identifier: Apache-2.0
#include "report/layout.h"

#include <fmt/format.h>

#include <algorithm>

namespace wideload::report {
namespace {

/// Bytes of the character that begins at `at`; 1 for a byte that begins none.
std::size_t character_bytes(std::string_view text, std::size_t at) {
    const auto lead = static_cast<unsigned char>(text[at]);
    const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
    return std::min(bytes, text.size() - at);
}

/// Bytes of the longest prefix that is at most `width` columns wide.
std::size_t prefix_bytes(std::string_view text, std::size_t width) {
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t next = at + character_bytes(text, at);
        if (display_width(text.substr(0, next)) > width) break;
        at = next;
    }
    return at;
}

}  // namespace

std::size_t display_width(std::string_view text) {
    // {fmt} pads by display width; a character is never wider than its bytes are many.
    return 2 * text.size() - fmt::format("{:<{}}", text, text.size()).size();
}

std::string pad_left(std::string_view text, std::size_t width) {
    return fmt::format("{:>{}}", text, width);
}

std::string pad_right(std::string_view text, std::size_t width) {
    return fmt::format("{:<{}}", text, width);
}

std::string shortened(std::string_view text, std::size_t width) {
    if (display_width(text) <= width) return std::string(text);
    if (width == 0) return {};
    return std::string(text.substr(0, prefix_bytes(text, width - 1))) + "…";
}

std::string shortened_front(std::string_view text, std::size_t width) {
    if (display_width(text) <= width) return std::string(text);
    if (width == 0) return {};
    std::size_t at = 0;
    while (at < text.size() && display_width(text.substr(at)) > width - 1) {
        at += character_bytes(text, at);
    }
    return "…" + std::string(text.substr(at));
}

std::string wrapped(std::string_view text, std::string_view indent, std::size_t width) {
    const std::size_t room =
        std::max<std::size_t>(width - std::min(width, display_width(indent)), 1);
    std::string lines;
    while (!text.empty()) {
        std::size_t end = text.size();
        if (display_width(text) > room) {
            end = std::max<std::size_t>(prefix_bytes(text, room), character_bytes(text, 0));
            // The space that the next line would begin with may stand just behind the last column.
            const std::size_t space = text.rfind(' ', end);
            if (space != std::string_view::npos && space != 0) end = space;
        }
        lines += fmt::format("{}{}\n", indent, text.substr(0, end));
        text.remove_prefix(end);
        while (text.starts_with(' ')) text.remove_prefix(1);
    }
    return lines;
}

std::string Style::wrap(std::string_view code, std::string_view text) const {
    if (!colour_ || text.empty()) return std::string(text);
    return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

}  // namespace wideload::report
