// SPDX-License-Identifier: Apache-2.0
// cvt.pack: two integers clamped to 16 bits and fewer, side by side below what is shifted up.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "harness.h"

namespace wideload::isa {
namespace {

using S32 = std::int32_t;
using U32 = std::uint32_t;

/// `value` within an integer of `bits` bits, of which these are left.
U32 clamped(S32 value, unsigned bits, bool is_signed) {
    const S32 highest = (S32{1} << (is_signed ? bits - 1 : bits)) - 1;
    const S32 lowest = is_signed ? -highest - 1 : 0;
    return static_cast<U32>(std::clamp(value, lowest, highest)) & ((U32{1} << bits) - 1);
}

Form packs(unsigned bits, bool is_signed) {
    const auto pair = [=](S32 a, S32 b) {
        return clamped(a, bits, is_signed) << bits | clamped(b, bits, is_signed);
    };
    const char* sign = is_signed ? "s" : "u";
    if (bits == 16) {
        return {fmt::format("cvt.pack.sat.{}16.s32 $d, $a, $b;", sign),
                {"b32"},
                {"s32", "s32"},
                by_lane(pair)};
    }
    return {fmt::format("cvt.pack.sat.{}{}.s32.b32 $d, $a, $b, $c;", sign, bits),
            {"b32"},
            {"s32", "s32", "b32"},
            by_lane([=](S32 a, S32 b, U32 c) { return c << 2 * bits | pair(a, b); })};
}

TEST(NarrowConversion, IntegersClampedAndPacked) {
    for (const bool is_signed : {false, true}) check({packs(16, is_signed), packs(8, is_signed)});
}

TEST(NarrowConversion, IntegersOfAFewBits) {
    for (const unsigned bits : {4u, 2u}) {
        for (const bool is_signed : {false, true}) {
            Form form = packs(bits, is_signed);
            const std::vector<Bits> near_the_ends{
                0,          1,          2,          3,          4,          7,          8,
                14,         15,         16,         0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffe,
                0xfffffffd, 0xfffffff9, 0xfffffff8, 0xfffffff7, 0xfffffff0};
            form.values = {near_the_ends, near_the_ends};
            check({form});
        }
    }
}

}  // namespace
}  // namespace wideload::isa
