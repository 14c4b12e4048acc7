// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <charconv>

#include "ptx/constant.h"
#include "ptx/float_bits.h"

namespace wideload::ptx {
namespace {

template <class T>
std::optional<T> parse_whole(std::string_view text, int base) {
    T value{};
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value, base);
    if (text.empty() || error != std::errc{} || stop != end) return std::nullopt;
    return value;
}

/// 0f and eight hexadecimal digits, 0d and sixteen.
std::optional<Constant> parse_ieee_pattern(std::string_view digits, bool is_double) {
    if (digits.size() != (is_double ? 16U : 8U)) return std::nullopt;
    const auto bits = parse_whole<std::uint64_t>(digits, 16);
    if (!bits) return std::nullopt;
    return Constant{Constant::Kind::f64,
                    is_double ? *bits : widen_to_binary64(static_cast<std::uint32_t>(*bits))};
}

std::optional<Constant> parse_decimal_float(std::string_view text) {
    double value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || stop != end) return std::nullopt;
    return Constant{Constant::Kind::f64, std::bit_cast<std::uint64_t>(value)};
}

}  // namespace

std::optional<Constant> parse_number(std::string_view text) {
    const char marker =
        text.size() > 1 && text[0] == '0' ? static_cast<char>(text[1] | 0x20) : '\0';
    if (marker == 'f') return parse_ieee_pattern(text.substr(2), false);
    if (marker == 'd') return parse_ieee_pattern(text.substr(2), true);
    if (marker != 'x' && text.find_first_of(".eE") != std::string_view::npos) {
        return parse_decimal_float(text);
    }
    const bool marked_unsigned = text.ends_with('U');
    if (marked_unsigned) text.remove_suffix(1);
    std::optional<std::uint64_t> value;
    if (marker == 'x') {
        value = parse_whole<std::uint64_t>(text.substr(2), 16);
    } else if (marker == 'b') {
        value = parse_whole<std::uint64_t>(text.substr(2), 2);
    } else {
        const bool octal = text.size() > 1 && text[0] == '0';
        value = parse_whole<std::uint64_t>(text, octal ? 8 : 10);
    }
    if (!value) return std::nullopt;
    const bool fits_signed = *value >> 63 == 0;
    return Constant{marked_unsigned || !fits_signed ? Constant::Kind::u64 : Constant::Kind::s64,
                    *value};
}

}  // namespace wideload::ptx
