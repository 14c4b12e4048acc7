// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace wideload::ptx {

enum class TokenKind : std::uint8_t {
    end,
    word,  ///< `%r1`, `$L__BB0_3`, `ld.global.nc.v4.f32`: an identifier with all its dotted parts
    directive,    ///< `.reg`, `.b32`: a dot and one word
    number,       ///< any literal, not yet parsed
    string,       ///< with its quotes
    punctuation,  ///< one operator
    invalid,      ///< a character that PTX has no use for, or a string or comment without an end
};

/// A piece of the text; `text` points into the text that was lexed.
struct Token {
    TokenKind kind = TokenKind::end;
    std::string_view text;
    std::uint32_t line = 1;
    std::uint32_t column = 1;
};

}  // namespace wideload::ptx
