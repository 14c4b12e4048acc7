// SPDX-License-Identifier: Apache-2.0
// Instructions that take or leave a carry, of every type: the first of a chain leaves one, the
// second takes and leaves one, and the third shows it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "harness.h"
#include "types.h"

namespace wideload::isa {
namespace {

/// Sums of a type's bits, with a carry (of a difference: a borrow) in and out.
template <class T>
struct CarryingUnit {
    using U = std::make_unsigned_t<T>;
    bool carry = false;

    U add(U a, U b) {
        const auto sum = static_cast<unsigned __int128>(a) + b + (carry ? 1 : 0);
        carry = (sum >> kWidth<T>) != 0;
        return static_cast<U>(sum);
    }
    U subtract(U a, U b) {
        const Wide difference = Wide{a} - Wide{b} - (carry ? 1 : 0);
        carry = difference < 0;
        return static_cast<U>(difference);
    }
};

/// The half of a product that mad.lo or mad.hi adds to.
template <class T>
std::make_unsigned_t<T> product_half(bool high, T a, T b) {
    using U = std::make_unsigned_t<T>;
    if constexpr (std::is_signed_v<T>) {
        const Wide product = Wide{a} * b;
        return static_cast<U>(high ? product >> kWidth<T> : product);
    } else {
        const auto product = static_cast<unsigned __int128>(a) * b;
        return static_cast<U>(high ? product >> kWidth<T> : product);
    }
}

template <class T>
void check_chains() {
    using U = std::make_unsigned_t<T>;
    const std::string type = type_name<T>();
    const std::vector<std::string> three(3, type);
    check({{with_type<T>("add.cc.$t $d, $a, $b; addc.cc.$t $e, $a, $c; addc.$t $f, $b, $c;"), three,
            three, by_lane([](U a, U b, U c) {
                CarryingUnit<T> unit;
                const U first = unit.add(a, b), second = unit.add(a, c);
                return std::tuple(first, second, unit.add(b, c));
            })},
           {with_type<T>("sub.cc.$t $d, $a, $b; subc.cc.$t $e, $a, $c; subc.$t $f, $b, $c;"), three,
            three, by_lane([](U a, U b, U c) {
                CarryingUnit<T> unit;
                const U first = unit.subtract(a, b), second = unit.subtract(a, c);
                return std::tuple(first, second, unit.subtract(b, c));
            })}});
    for (const bool high : {false, true}) {
        const std::string text = fmt::format(
            "mad.{0}.cc.$t $d, $a, $b, $c; madc.{0}.cc.$t $e, $c, $b, $a; madc.{0}.$t $f, $a, $c, "
            "$b; addc.$t $g, 0, 0;",
            high ? "hi" : "lo");
        check({{with_type<T>(text), {type, type, type, type}, three, by_lane([high](T a, T b, T c) {
                    CarryingUnit<T> unit;
                    const U first = unit.add(product_half<T>(high, a, b), static_cast<U>(c));
                    const U second = unit.add(product_half<T>(high, c, b), static_cast<U>(a));
                    const bool kept = unit.carry;
                    const U third = unit.add(product_half<T>(high, a, c), static_cast<U>(b));
                    // What leaves no carry leaves the last one.
                    return std::tuple(first, second, third, static_cast<U>(kept ? 1 : 0));
                })}});
    }
}

TEST(CarryForms, OfU32) { check_chains<std::uint32_t>(); }
TEST(CarryForms, OfS32) { check_chains<std::int32_t>(); }
TEST(CarryForms, OfU64) { check_chains<std::uint64_t>(); }
TEST(CarryForms, OfS64) { check_chains<std::int64_t>(); }

}  // namespace
}  // namespace wideload::isa
