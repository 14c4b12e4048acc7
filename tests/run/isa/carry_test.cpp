// SPDX-License-Identifier: Apache-2.0
// Additions, subtractions and products longer than a register: the carry between two instructions
// is what is tested, so each form is a pair, and its reference computes the whole at once.
#include <gtest/gtest.h>

#include "harness.h"
#include "types.h"

namespace wideload::isa {
namespace {

__extension__ using Whole = unsigned __int128;

/// $d is the low, $e the high part of a result; operands are $a (low), $b (high) and so on.
template <class T, class Function>
Form pair(const std::string& text, std::size_t operands, Function function) {
    using U = std::make_unsigned_t<T>;
    const std::vector<std::string> types(operands, "b" + std::to_string(kWidth<T>));
    const auto split = [](Whole whole) {
        return std::tuple(static_cast<U>(whole), static_cast<U>(whole >> kWidth<T>));
    };
    const auto join = [](U low_part, U high_part) {
        return Whole{low_part} | Whole{high_part} << kWidth<T>;
    };
    Form form{with_type<T>(text), {types[0], types[0]}, types, {}};
    if constexpr (std::is_invocable_v<Function, Whole, Whole>) {
        form.reference =
            by_lane([=](U a, U b, U c, U h) { return split(function(join(a, b), join(c, h))); });
    } else {
        form.reference = by_lane([=](U a, U b, U c) { return split(function(a, b, c)); });
    }
    return form;
}

template <class T>
std::vector<Form> long_arithmetic() {
    return {pair<T>("add.cc.$t $d, $a, $c; addc.$t $e, $b, $h;", 4,
                    [](Whole a, Whole b) { return a + b; }),
            pair<T>("sub.cc.$t $d, $a, $c; subc.$t $e, $b, $h;", 4,
                    [](Whole a, Whole b) { return a - b; })};
}

TEST(Carry, LongSumsAndDifferences) {
    check(long_arithmetic<std::uint32_t>());
    check(long_arithmetic<std::int32_t>());
    check(long_arithmetic<std::uint64_t>());
    check(long_arithmetic<std::int64_t>());
}

/// The carry out of an instruction that takes one in.
TEST(Carry, ChainsOfThree) {
    check({{"add.cc.u32 $d, $a, $b; addc.cc.u32 $e, $a, $c; addc.u32 $f, $b, $c;",
            {"u32", "u32", "u32"},
            {"u32", "u32", "u32"},
            by_lane([](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
                const std::uint64_t first = std::uint64_t{a} + b;
                const std::uint64_t second = std::uint64_t{a} + c + (first >> 32);
                const std::uint64_t third = std::uint64_t{b} + c + (second >> 32);
                return std::tuple(static_cast<std::uint32_t>(first),
                                  static_cast<std::uint32_t>(second),
                                  static_cast<std::uint32_t>(third));
            })},
           {"sub.cc.u32 $d, $a, $b; subc.cc.u32 $e, $a, $c; subc.u32 $f, $b, $c;",
            {"u32", "u32", "u32"},
            {"u32", "u32", "u32"},
            by_lane([](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
                const Wide first = Wide{a} - b;
                const Wide second = Wide{a} - c - (first < 0 ? 1 : 0);
                const Wide third = Wide{b} - c - (second < 0 ? 1 : 0);
                return std::tuple(low<std::uint32_t>(first), low<std::uint32_t>(second),
                                  low<std::uint32_t>(third));
            })}});
}

template <class T>
std::vector<Form> long_products() {
    return {
        pair<T>("mad.lo.cc.$t $d, $a, $b, $c; madc.hi.$t $e, $a, $b, 0;", 3,
                [](T a, T b, T c) { return Whole{a} * b + c; }),
        pair<T>("mad.lo.cc.$t $d, $a, $b, $c; madc.lo.$t $e, $a, $b, $c;", 3, [](T a, T b, T c) {
            const T product = a * b;
            const T sum = product + c;
            return Whole{sum} | Whole{static_cast<T>(sum + (sum < c ? 1 : 0))} << kWidth<T>;
        })};
}

TEST(Carry, LongProducts) {
    check(long_products<std::uint32_t>());
    check(long_products<std::uint64_t>());
    check({{"mad.hi.cc.s32 $d, $a, $b, $c; madc.hi.cc.s32 $e, $a, $b, $c; addc.s32 $f, 0, 0;",
            {"s32", "s32", "s32"},
            {"s32", "s32", "s32"},
            by_lane([](std::int32_t a, std::int32_t b, std::int32_t c) {
                const auto high = static_cast<std::uint32_t>((std::int64_t{a} * b) >> 32);
                const auto addend = static_cast<std::uint32_t>(c);
                const std::uint64_t first = std::uint64_t{high} + addend;
                const std::uint64_t second = std::uint64_t{high} + addend + (first >> 32);
                return std::tuple(static_cast<std::int32_t>(first),
                                  static_cast<std::int32_t>(second),
                                  static_cast<std::int32_t>(second >> 32));
            })}});
}

}  // namespace
}  // namespace wideload::isa
