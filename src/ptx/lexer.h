// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ptx/token.h"

namespace wideload::ptx {

/// Splits PTX text into tokens, one at a time; comments and white space are passed over. Reads
/// every byte once.
class Lexer {
public:
    explicit Lexer(std::string_view text) : text_(text) {}

    /// The next token; at the end of the text, and ever after, one of kind `end`.
    Token next();

    /// Goes to just after the `}` that closes the `{` at `open` without looking at what lies
    /// between (debug sections are megabytes of numbers). At the end of the text where none closes
    /// it.
    void skip_braces(const Token& open);

private:
    [[nodiscard]] char at(std::size_t position) const {
        return position < text_.size() ? text_[position] : '\0';
    }
    /// False where a comment has no end.
    bool skip_space();
    void start_line(std::size_t position);
    [[nodiscard]] std::size_t end_of_word(std::size_t position) const;
    [[nodiscard]] std::size_t end_of_dotted_words(std::size_t position) const;
    [[nodiscard]] std::size_t end_of_number(std::size_t position) const;
    [[nodiscard]] std::size_t end_of_string(std::size_t position) const;
    Token make(TokenKind kind, std::size_t end);

    std::string_view text_;
    std::size_t position_ = 0;
    std::size_t line_start_ = 0;
    std::uint32_t line_ = 1;
};

}  // namespace wideload::ptx
