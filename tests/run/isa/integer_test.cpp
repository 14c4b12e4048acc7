// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic: every type of every form, in C++ integers wide enough that nothing is lost.
#include <gtest/gtest.h>

#include <algorithm>

#include "harness.h"
#include "types.h"

namespace wideload::isa {
namespace {

/// A form `text` whose operands and result all have type T; `$t` in the text is its name.
template <class T, class Function>
Form unary(const std::string& text, Function function) {
    return {with_type<T>(text), {type_name<T>()}, {type_name<T>()}, by_lane([function](T a) {
                return low<T>(function(Wide{a}));
            })};
}

template <class T, class Function>
Form binary(const std::string& text, Function function) {
    Form form{with_type<T>(text),
              {type_name<T>()},
              {type_name<T>(), type_name<T>()},
              by_lane([function](T a, T b) { return low<T>(function(Wide{a}, Wide{b})); })};
    form.literals = {1, {1, 7, 10, 0x7fff, 0x8000, 0xffff}};
    return form;
}

template <class T, class Function>
Form ternary(const std::string& text, Function function) {
    return {
        with_type<T>(text),
        {type_name<T>()},
        {type_name<T>(), type_name<T>(), type_name<T>()},
        by_lane([function](T a, T b, T c) { return low<T>(function(Wide{a}, Wide{b}, Wide{c})); })};
}

template <class Make>
std::vector<Form> of_signed_types(Make make) {
    return {make(std::int16_t{}), make(std::int32_t{}), make(std::int64_t{})};
}

template <class Make>
std::vector<Form> of_all_types(Make make) {
    return {make(std::uint16_t{}), make(std::uint32_t{}), make(std::uint64_t{}),
            make(std::int16_t{}),  make(std::int32_t{}),  make(std::int64_t{})};
}

/// a * b + c; of two u64 it may reach Wide's sign bit.
Wide product(Wide a, Wide b, Wide c = 0) {
    __extension__ using Bits = unsigned __int128;
    return static_cast<Wide>(static_cast<Bits>(a) * static_cast<Bits>(b) + static_cast<Bits>(c));
}

template <class T>
Wide high_half(Wide product) {
    return product >> kWidth<T>;
}
/// u64 × u64 overflows the sign bit of Wide.
template <>
Wide high_half<std::uint64_t>(Wide product) {
    return static_cast<Wide>(static_cast<unsigned __int128>(product) >> 64);
}

TEST(Integer, AdditionAndSubtraction) {
    check(of_all_types([](auto t) {
        return binary<decltype(t)>("add.$t $d, $a, $b;", [](Wide a, Wide b) { return a + b; });
    }));
    check(of_all_types([](auto t) {
        return binary<decltype(t)>("sub.$t $d, $a, $b;", [](Wide a, Wide b) { return a - b; });
    }));
    check({binary<std::int32_t>("add.sat.s32 $d, $a, $b;",
                                [](Wide a, Wide b) { return saturate<std::int32_t>(a + b); }),
           binary<std::int32_t>("sub.sat.s32 $d, $a, $b;",
                                [](Wide a, Wide b) { return saturate<std::int32_t>(a - b); })});
}

TEST(Integer, Products) {
    check(of_all_types([](auto t) {
        return binary<decltype(t)>("mul.lo.$t $d, $a, $b;",
                                   [](Wide a, Wide b) { return product(a, b); });
    }));
    check(of_all_types([](auto t) {
        using T = decltype(t);
        return binary<T>("mul.hi.$t $d, $a, $b;",
                         [](Wide a, Wide b) { return high_half<T>(product(a, b)); });
    }));
    check(of_all_types([](auto t) {
        return ternary<decltype(t)>("mad.lo.$t $d, $a, $b, $c;",
                                    [](Wide a, Wide b, Wide c) { return product(a, b, c); });
    }));
    check(of_all_types([](auto t) {
        using T = decltype(t);
        return ternary<T>("mad.hi.$t $d, $a, $b, $c;",
                          [](Wide a, Wide b, Wide c) { return high_half<T>(product(a, b)) + c; });
    }));
    check({ternary<std::int32_t>("mad.hi.sat.s32 $d, $a, $b, $c;", [](Wide a, Wide b, Wide c) {
        return saturate<std::int32_t>((a * b >> 32) + c);
    })});
}

template <class T, class Result>
std::vector<Form> wide_products() {
    return {{with_type<T>("mul.wide.$t $d, $a, $b;"),
             {type_name<Result>()},
             {type_name<T>(), type_name<T>()},
             by_lane([](T a, T b) { return low<Result>(Wide{a} * b); })},
            {with_type<T>("mad.wide.$t $d, $a, $b, $c;"),
             {type_name<Result>()},
             {type_name<T>(), type_name<T>(), type_name<Result>()},
             by_lane([](T a, T b, Result c) { return low<Result>(Wide{a} * b + c); })}};
}

TEST(Integer, WideProducts) {
    check(wide_products<std::uint16_t, std::uint32_t>());
    check(wide_products<std::int16_t, std::int32_t>());
    check(wide_products<std::uint32_t, std::uint64_t>());
    check(wide_products<std::int32_t, std::int64_t>());
}

/// The low 24 bits with the type's sign.
template <class T>
Wide low24(Wide value) {
    const auto bits = static_cast<std::uint32_t>(value) & 0xffffff;
    return std::is_signed_v<T> && (bits & 0x800000) != 0 ? Wide{bits} - 0x1000000 : Wide{bits};
}

template <class T>
std::vector<Form> products_of_24_bits() {
    return {binary<T>("mul24.lo.$t $d, $a, $b;",
                      [](Wide a, Wide b) { return low24<T>(a) * low24<T>(b); }),
            binary<T>("mul24.hi.$t $d, $a, $b;",
                      [](Wide a, Wide b) { return low24<T>(a) * low24<T>(b) >> 16; }),
            ternary<T>("mad24.lo.$t $d, $a, $b, $c;",
                       [](Wide a, Wide b, Wide c) { return low24<T>(a) * low24<T>(b) + c; }),
            ternary<T>("mad24.hi.$t $d, $a, $b, $c;", [](Wide a, Wide b, Wide c) {
                return (low24<T>(a) * low24<T>(b) >> 16) + c;
            })};
}

TEST(Integer, ProductsOf24Bits) {
    check(products_of_24_bits<std::uint32_t>());
    check(products_of_24_bits<std::int32_t>());
    check({ternary<std::int32_t>("mad24.hi.sat.s32 $d, $a, $b, $c;", [](Wide a, Wide b, Wide c) {
        return saturate<std::int32_t>((low24<std::int32_t>(a) * low24<std::int32_t>(b) >> 16) + c);
    })});
}

TEST(Integer, Division) {
    check(of_all_types([](auto t) {
        return binary<decltype(t)>("div.$t $d, $a, $b;",
                                   [](Wide a, Wide b) { return b == 0 ? Wide{-1} : a / b; });
    }));
    check(of_all_types([](auto t) {
        return binary<decltype(t)>("rem.$t $d, $a, $b;",
                                   [](Wide a, Wide b) { return b == 0 ? Wide{-1} : a % b; });
    }));
}

/// Divisors that are constants become multiplications, each type's hardest ones included.
TEST(Integer, DivisionByConstants) {
    check(of_signed_types([](auto t) {
        using T = decltype(t);
        Form form = binary<T>("div.$t $d, $a, $b;", [](Wide a, Wide b) { return a / b; });
        form.values = {{}, {3}};
        form.only_values = {false, true};
        const auto all = static_cast<std::make_unsigned_t<T>>(-1);
        form.literals = {1, {3, 5, 7, 9, 641, all, all / 2 + 1u, all / 2}};
        return form;
    }));
}

TEST(Integer, SignAndDifference) {
    check(of_signed_types([](auto t) {
        return unary<decltype(t)>("abs.$t $d, $a;", [](Wide a) { return a < 0 ? -a : a; });
    }));
    check(of_signed_types(
        [](auto t) { return unary<decltype(t)>("neg.$t $d, $a;", [](Wide a) { return -a; }); }));
    check(of_all_types([](auto t) {
        return ternary<decltype(t)>("sad.$t $d, $a, $b, $c;", [](Wide a, Wide b, Wide c) {
            return c + (a < b ? b - a : a - b);
        });
    }));
}

TEST(Integer, MinimumAndMaximum) {
    check(of_all_types([](auto t) {
        return binary<decltype(t)>("min.$t $d, $a, $b;",
                                   [](Wide a, Wide b) { return std::min(a, b); });
    }));
    check(of_all_types([](auto t) {
        return binary<decltype(t)>("max.$t $d, $a, $b;",
                                   [](Wide a, Wide b) { return std::max(a, b); });
    }));
    check({binary<std::int32_t>("min.relu.s32 $d, $a, $b;",
                                [](Wide a, Wide b) { return std::max(std::min(a, b), Wide{0}); }),
           binary<std::int32_t>("max.relu.s32 $d, $a, $b;",
                                [](Wide a, Wide b) { return std::max(std::max(a, b), Wide{0}); })});
}

template <class Half, class Function>
Form packed(const std::string& text, Function function) {
    const std::string type = type_name<Half>() + "x2";
    return {text, {type}, {type, type}, by_lane([function](std::uint32_t a, std::uint32_t b) {
                std::uint32_t result = 0;
                for (const unsigned shift : {0u, 16u}) {
                    const auto half = low<std::uint16_t>(function(
                        Wide{static_cast<Half>(a >> shift)}, Wide{static_cast<Half>(b >> shift)}));
                    result |= static_cast<std::uint32_t>(half) << shift;
                }
                return result;
            })};
}

TEST(Integer, PackedHalves) {
    using U = std::uint16_t;
    using S = std::int16_t;
    const auto sum = [](Wide a, Wide b) { return a + b; };
    const auto smaller = [](Wide a, Wide b) { return std::min(a, b); };
    const auto larger = [](Wide a, Wide b) { return std::max(a, b); };
    check({packed<U>("add.u16x2 $d, $a, $b;", sum), packed<S>("add.s16x2 $d, $a, $b;", sum),
           packed<U>("min.u16x2 $d, $a, $b;", smaller), packed<S>("min.s16x2 $d, $a, $b;", smaller),
           packed<U>("max.u16x2 $d, $a, $b;", larger), packed<S>("max.s16x2 $d, $a, $b;", larger),
           packed<S>("min.relu.s16x2 $d, $a, $b;",
                     [](Wide a, Wide b) { return std::max(std::min(a, b), Wide{0}); }),
           packed<S>("max.relu.s16x2 $d, $a, $b;",
                     [](Wide a, Wide b) { return std::max(std::max(a, b), Wide{0}); })});
}

/// Element `index` of `bits` bits, with its sign where it has one.
Wide element(std::uint32_t packed_value, unsigned index, unsigned bits, bool is_signed) {
    const std::uint32_t value = packed_value >> (index * bits) & ((1u << bits) - 1);
    return is_signed && (value >> (bits - 1)) != 0 ? Wide{value} - (Wide{1} << bits) : Wide{value};
}

TEST(Integer, DotProducts) {
    for (const bool a_signed : {false, true}) {
        for (const bool b_signed : {false, true}) {
            const std::string types =
                std::string(a_signed ? ".s32" : ".u32") + (b_signed ? ".s32" : ".u32");
            check({{"dp4a" + types + " $d, $a, $b, $c;",
                    {"b32"},
                    {"b32", "b32", "b32"},
                    by_lane([=](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
                        Wide sum = c;
                        for (unsigned i = 0; i < 4; ++i) {
                            sum += element(a, i, 8, a_signed) * element(b, i, 8, b_signed);
                        }
                        return low<std::uint32_t>(sum);
                    })}});
            for (const unsigned first : {0u, 2u}) {
                check({{(first == 0 ? "dp2a.lo" : "dp2a.hi") + types + " $d, $a, $b, $c;",
                        {"b32"},
                        {"b32", "b32", "b32"},
                        by_lane([=](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
                            Wide sum = c;
                            for (unsigned i = 0; i < 2; ++i) {
                                sum += element(a, i, 16, a_signed) *
                                       element(b, first + i, 8, b_signed);
                            }
                            return low<std::uint32_t>(sum);
                        })}});
            }
        }
    }
}

}  // namespace
}  // namespace wideload::isa
