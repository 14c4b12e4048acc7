// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "ptx/token_stream.h"

namespace wideload::ptx {

/// The value of a constant expression: PTX evaluates them in .s64, .u64 or .f64.
struct Constant {
    enum class Kind : std::uint8_t { s64, u64, f64 };
    Kind kind = Kind::s64;
    std::uint64_t bits = 0;  ///< two's complement, or binary64

    [[nodiscard]] bool is_float() const { return kind == Kind::f64; }
    [[nodiscard]] std::int64_t as_signed() const { return static_cast<std::int64_t>(bits); }
};

/// A literal: 0x1f, 017, 0b101, 42, each with a suffix U or without; 0f3F800000,
/// 0d3FF0000000000000, 1.5e-3.
[[nodiscard]] std::optional<Constant> parse_number(std::string_view text);

/// A constant expression (PTX ISA, "Constant Expressions"): literals, WARP_SZ, parentheses, casts,
/// and C's operators with C's precedence. Errors are reported to `tokens`.
[[nodiscard]] std::optional<Constant> parse_constant(TokenStream& tokens);

/// Whether a constant expression may start at the token.
[[nodiscard]] bool starts_constant(const Token& token);

}  // namespace wideload::ptx
