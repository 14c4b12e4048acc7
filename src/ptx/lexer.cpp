// SPDX-License-Identifier: Apache-2.0
#include "ptx/lexer.h"

#include <algorithm>
#include <array>

namespace wideload::ptx {
namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

constexpr std::array<bool, 256> kWordCharacters = [] {
    std::array<bool, 256> table{};
    for (int c = '0'; c <= '9'; ++c) table[static_cast<std::size_t>(c)] = true;
    for (int c = 'a'; c <= 'z'; ++c) table[static_cast<std::size_t>(c)] = true;
    for (int c = 'A'; c <= 'Z'; ++c) table[static_cast<std::size_t>(c)] = true;
    for (const unsigned char c : {'_', '$'}) table[c] = true;
    // Above ASCII: PTX has no such names, but host compilers pass UTF-8 identifiers through.
    for (std::size_t c = 0x80; c < 256; ++c) table[c] = true;
    return table;
}();

constexpr bool is_word(char c) { return kWordCharacters[static_cast<unsigned char>(c)]; }

constexpr bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v';
}

constexpr std::array<std::string_view, 8> kLongOperators{
    "<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};
constexpr std::string_view kOperators = "{}[]()<>,;:@!|&^~+-*/%=?";

}  // namespace

void Lexer::start_line(std::size_t position) {
    ++line_;
    line_start_ = position;
}

bool Lexer::skip_space() {
    while (position_ < text_.size()) {
        const char c = text_[position_];
        if (c == '\n') {
            start_line(++position_);
        } else if (is_space(c)) {
            ++position_;
        } else if (c == '/' && at(position_ + 1) == '/') {
            position_ = std::min(text_.find('\n', position_), text_.size());
        } else if (c == '/' && at(position_ + 1) == '*') {
            const std::size_t end = text_.find("*/", position_ + 2);
            if (end == std::string_view::npos) return false;
            for (; position_ < end + 2; ++position_) {
                if (text_[position_] == '\n') start_line(position_ + 1);
            }
        } else {
            return true;
        }
    }
    return true;
}

std::size_t Lexer::end_of_word(std::size_t position) const {
    while (true) {
        while (position < text_.size() && is_word(text_[position])) ++position;
        // `shared::cta`, `L2::128B`
        if (at(position) != ':' || at(position + 1) != ':' || !is_word(at(position + 2))) {
            return position;
        }
        position += 2;
    }
}

std::size_t Lexer::end_of_dotted_words(std::size_t position) const {
    position = end_of_word(position);
    while (at(position) == '.' && is_word(at(position + 1))) position = end_of_word(position + 1);
    return position;
}

std::size_t Lexer::end_of_number(std::size_t position) const {
    // Hexadecimal, binary and the IEEE patterns 0f.. and 0d.. hold letters, and no point or
    // exponent.
    if (text_[position] == '0' && is_word(at(position + 1)) && !is_digit(at(position + 1)) &&
        at(position + 1) != 'e' && at(position + 1) != 'E') {
        return end_of_word(position);
    }
    while (is_digit(at(position))) ++position;
    if (at(position) == '.') {
        ++position;
        while (is_digit(at(position))) ++position;
    }
    if (at(position) == 'e' || at(position) == 'E') {
        ++position;
        if (at(position) == '+' || at(position) == '-') ++position;
    }
    return end_of_word(position);  // digits, the suffix U, or letters that parse_number refuses
}

std::size_t Lexer::end_of_string(std::size_t position) const {
    for (++position; position < text_.size() && text_[position] != '\n'; ++position) {
        if (text_[position] == '\\') {
            ++position;
        } else if (text_[position] == '"') {
            return position + 1;
        }
    }
    return std::string_view::npos;
}

Token Lexer::make(TokenKind kind, std::size_t end) {
    const Token token{kind, text_.substr(position_, end - position_), line_,
                      static_cast<std::uint32_t>(position_ - line_start_ + 1)};
    position_ = end;
    return token;
}

Token Lexer::next() {
    if (!skip_space()) return make(TokenKind::invalid, text_.size());
    if (position_ >= text_.size()) return make(TokenKind::end, text_.size());
    const char c = text_[position_];
    if (is_digit(c)) return make(TokenKind::number, end_of_number(position_));
    if (is_word(c)) return make(TokenKind::word, end_of_dotted_words(position_));
    if (c == '%' && is_word(at(position_ + 1)) && !is_digit(at(position_ + 1))) {
        return make(TokenKind::word, end_of_dotted_words(position_ + 1));
    }
    if (c == '.' && is_word(at(position_ + 1))) {
        return make(TokenKind::directive, end_of_word(position_ + 1));
    }
    if (c == '"') {
        const std::size_t end = end_of_string(position_);
        if (end != std::string_view::npos) return make(TokenKind::string, end);
        return make(TokenKind::invalid, std::min(text_.find('\n', position_), text_.size()));
    }
    const std::string_view pair = text_.substr(position_, 2);
    if (std::ranges::find(kLongOperators, pair) != kLongOperators.end()) {
        return make(TokenKind::punctuation, position_ + 2);
    }
    const bool known = kOperators.find(c) != std::string_view::npos;
    return make(known ? TokenKind::punctuation : TokenKind::invalid, position_ + 1);
}

void Lexer::skip_braces(const Token& open) {
    position_ = static_cast<std::size_t>(open.text.data() - text_.data());
    line_ = open.line;
    line_start_ = position_ - (open.column - 1);
    std::size_t depth = 0;
    while (skip_space() && position_ < text_.size()) {
        const char c = text_[position_++];
        if (c == '{') ++depth;
        if (c == '}' && --depth == 0) return;
    }
}

}  // namespace wideload::ptx
