// SPDX-License-Identifier: Apache-2.0
#include "ptx/constant.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace wideload::ptx {
namespace {

using Kind = Constant::Kind;

struct ConstantCase {
    std::string reason;
    std::string text;
    Kind kind;
    std::uint64_t bits;
};

std::optional<Constant> evaluate(const std::string& text) {
    ErrorList errors(text, "test");
    TokenStream tokens(text, errors);
    const auto value = parse_constant(tokens);
    EXPECT_EQ(value.has_value(), errors.empty()) << text;
    EXPECT_TRUE(!value || tokens.at_end()) << text << ": stopped at " << tokens.peek().text;
    return value;
}

TEST(Constant, HasThePtxManualsTypeAndValue) {
    const std::vector<ConstantCase> cases{
        {"decimal", "42", Kind::s64, 42},
        {"hexadecimal", "0x1F", Kind::s64, 31},
        {"a capital X", "0XfF", Kind::s64, 255},
        {"octal", "017", Kind::s64, 15},
        {"binary", "0b101", Kind::s64, 5},
        {"zero is octal and decimal", "0", Kind::s64, 0},
        {"suffix U", "7U", Kind::u64, 7},
        {"suffix U after hexadecimal", "0x7U", Kind::u64, 7},
        {"above the largest signed", "0x8000000000000000", Kind::u64, std::uint64_t{1} << 63},
        {"binary32", "0f3F800000", Kind::f64, 0x3ff0000000000000},
        {"binary32, capital F", "0FBF800000", Kind::f64, 0xbff0000000000000},
        {"a signalling NaN keeps its payload", "0f7F800001", Kind::f64, 0x7ff0000020000000},
        {"the least binary32", "0f00000001", Kind::f64, 0x36a0000000000000},
        {"binary64", "0d4008000000000000", Kind::f64, 0x4008000000000000},
        {"decimal floating point", "1.5", Kind::f64, 0x3ff8000000000000},
        {"an exponent", "1.5e+1", Kind::f64, 0x402e000000000000},
        {"an exponent without a point", "2E3", Kind::f64, 0x409f400000000000},
        {"negative", "-1", Kind::s64, ~std::uint64_t{0}},
        {"negative zero", "-0f00000000", Kind::f64, std::uint64_t{1} << 63},
        {"complement", "~0", Kind::s64, ~std::uint64_t{0}},
        {"not", "!5", Kind::s64, 0},
        {"* before +", "2+3*4", Kind::s64, 14},
        {"parentheses", "(2+3)*4", Kind::s64, 20},
        {"- groups from the left", "10-4-3", Kind::s64, 3},
        {"shift before comparison", "1<<4>8", Kind::s64, 1},
        {"arithmetic shift of signed", "-8>>1", Kind::s64, static_cast<std::uint64_t>(-4)},
        {"logical shift of unsigned", "(.u64)(-8)>>1", Kind::u64, 0x7ffffffffffffffc},
        {"a shift of 64 and more", "1<<64", Kind::s64, 0},
        {"signed division", "-7/2", Kind::s64, static_cast<std::uint64_t>(-3)},
        {"signed remainder", "-7%3", Kind::s64, static_cast<std::uint64_t>(-1)},
        {"unsigned division, by one unsigned operand", "-8/2U", Kind::u64, 0x7ffffffffffffffc},
        {"the least integer by -1", "0x8000000000000000/(.u64)1", Kind::u64,
         std::uint64_t{1} << 63},
        {"the least signed integer by -1", "((.s64)0x8000000000000000)/-1", Kind::s64,
         std::uint64_t{1} << 63},
        {"bits", "0xF0 & 0x3C | 1 ^ 3", Kind::s64, 0x32},
        {"logic", "1 && 0 || 2", Kind::s64, 1},
        {"choice", "0 ? 1 : 2 ? 3 : 4", Kind::s64, 3},
        {"mixed arithmetic is binary64", "1 + 0.5", Kind::f64, 0x3ff8000000000000},
        {"a cast truncates", "(.s64)-2.75", Kind::s64, static_cast<std::uint64_t>(-2)},
        {"the warp's size", "WARP_SZ - 1", Kind::s64, 31},
    };
    for (const ConstantCase& test : cases) {
        const auto value = evaluate(test.text);
        ASSERT_TRUE(value.has_value()) << test.reason;
        EXPECT_EQ(value->kind, test.kind) << test.reason;
        EXPECT_EQ(value->bits, test.bits) << test.reason;
    }
}

TEST(Constant, RefusesWhatHasNoValue) {
    const std::vector<std::string> texts{"",
                                         "08",
                                         "0x",
                                         "0b2",
                                         "1/0",
                                         "1%0",
                                         "1.0%2.0",
                                         "~1.5",
                                         "0f3F80000",
                                         "0f3F8000000",
                                         "0d3FF",
                                         "(1",
                                         "1+",
                                         "? 1",
                                         "1 ? 2",
                                         "12ab",
                                         "1e",
                                         "(.s32)1",
                                         "18446744073709551616"};
    for (const std::string& text : texts) EXPECT_FALSE(evaluate(text).has_value()) << text;
}

TEST(Constant, BoundsItsDepth) {
    // A million brackets must not overflow the stack.
    for (const std::string open : {"(", "-", "!", "1?"}) {
        std::string text;
        for (int i = 0; i < 1'000'000; ++i) text += open;
        EXPECT_FALSE(evaluate(text + "1").has_value()) << open;
    }
}

}  // namespace
}  // namespace wideload::ptx
