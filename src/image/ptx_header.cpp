// SPDX-License-Identifier: Apache-2.0
#include "image/ptx_header.h"

#include <charconv>

namespace wideload::image {
namespace {

constexpr std::string_view kBlanks = " \t\r\n\f\v";

void skip_to(std::string_view& text, std::size_t position) {
    text.remove_prefix(position == text.npos ? text.size() : position);
}

void skip_blanks_and_comments(std::string_view& text) {
    while (true) {
        skip_to(text, text.find_first_not_of(kBlanks));
        if (text.starts_with("//")) {
            skip_to(text, text.find('\n'));
        } else if (text.starts_with("/*")) {
            skip_to(text, text.find("*/", 2));
            if (!text.empty()) text.remove_prefix(2);
        } else {
            return;
        }
    }
}

bool accept(std::string_view& text, std::string_view word) {
    if (!text.starts_with(word)) return false;
    text.remove_prefix(word.size());
    return true;
}

template <class Integer>
bool accept_number(std::string_view& text, Integer& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{}) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return true;
}

}  // namespace

std::optional<PtxHeader> read_ptx_header(std::string_view text) {
    PtxHeader header;
    skip_blanks_and_comments(text);
    if (!accept(text, ".version")) return std::nullopt;
    skip_blanks_and_comments(text);
    if (!accept_number(text, header.version_major) || !accept(text, ".") ||
        !accept_number(text, header.version_minor)) {
        return std::nullopt;
    }
    skip_blanks_and_comments(text);
    if (!accept(text, ".target")) return std::nullopt;
    skip_blanks_and_comments(text);
    if (!accept(text, "sm_") || !accept_number(text, header.arch)) return std::nullopt;
    if (text.starts_with('a') || text.starts_with('f')) header.suffix = text.front();
    return header;
}

}  // namespace wideload::image
