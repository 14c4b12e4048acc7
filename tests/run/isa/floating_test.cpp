// SPDX-License-Identifier: Apache-2.0
// Exact arithmetic of f32 and f64. f32 sums and products are computed in integers; f64, quotients
// and roots by the host's own arithmetic in the same rounding.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "exact_float.h"
#include "harness.h"

namespace wideload::isa {
namespace {

/// The operation with and without .ftz.
using FlushingOperation = std::function<Bits(const std::vector<Bits>&, bool flush)>;

/// The form with every combination of .ftz and .sat that the operation has.
std::vector<Form> f32_forms(const std::string& mnemonic, const std::string& rounding,
                            unsigned operands, FlushingOperation operation, bool has_sat) {
    std::vector<Form> forms;
    const std::string names = operands == 1   ? "$d, $a;"
                              : operands == 2 ? "$d, $a, $b;"
                                              : "$d, $a, $b, $c;";
    for (const bool ftz : {false, true}) {
        for (const bool sat : {false, true}) {
            if (sat && !has_sat) continue;
            const auto modified = [operation, ftz, sat](const std::vector<Bits>& v) {
                Bits result = operation(v, ftz);
                if (kF32.is_nan(result)) result = kF32.nan();  // whichever it was on the host
                return sat ? saturated(kF32, result) : result;
            };
            forms.push_back({fmt::format("{}{}{}{}.f32 {}", mnemonic, rounding, ftz ? ".ftz" : "",
                                         sat ? ".sat" : "", names),
                             {"f32"},
                             std::vector<std::string>(operands, "f32"),
                             by_bits(modified)});
            if (operands > 1) forms.back().literals = {{1, {0x3f800000, 0x80000000, 0x3dcccccd}}};
        }
    }
    return forms;
}

Form f64_form(const std::string& mnemonic, unsigned operands, Operation operation) {
    const std::string names = operands == 1   ? "$d, $a;"
                              : operands == 2 ? "$d, $a, $b;"
                                              : "$d, $a, $b, $c;";
    Form form{mnemonic + ".f64 " + names,
              {"f64"},
              std::vector<std::string>(operands, "f64"),
              by_bits(std::move(operation))};
    form.judge = any_nan("f64");
    return form;
}

// The host's arithmetic, which no compiler may move out of its rounding mode.
template <class T>
T host_add(T a, T b) {
    return opaque(opaque(a) + opaque(b));
}
template <class T>
T host_multiply(T a, T b) {
    return opaque(opaque(a) * opaque(b));
}
template <class T>
T host_divide(T a, T b) {
    return opaque(opaque(a) / opaque(b));
}
template <class T>
T host_fma(T a, T b, T c) {
    return opaque(std::fma(opaque(a), opaque(b), opaque(c)));
}
template <class T>
T host_root(T a) {
    return opaque(std::sqrt(opaque(a)));
}

std::string suffix(Mode mode) { return std::string(".") + ptx_name(mode); }

class Rounded : public testing::TestWithParam<Mode> {};
INSTANTIATE_TEST_SUITE_P(Isa, Rounded, testing::ValuesIn(kModes),
                         [](const auto& test) { return ptx_name(test.param); });

TEST_P(Rounded, SumsAndProductsOfF32) {
    const Mode mode = GetParam();
    check(f32_forms(
        "add", suffix(mode), 2,
        [mode](const auto& v, bool flush) { return exact_add(kF32, mode, v[0], v[1], flush); },
        true));
    check(f32_forms(
        "sub", suffix(mode), 2,
        [mode](const auto& v, bool flush) {
            return exact_add(kF32, mode, v[0], v[1] ^ kF32.sign(), flush);
        },
        true));
    check(f32_forms(
        "mul", suffix(mode), 2,
        [mode](const auto& v, bool flush) { return exact_mul(kF32, mode, v[0], v[1], flush); },
        true));
    for (const char* mnemonic : {"fma", "mad"}) {
        check(f32_forms(
            mnemonic, suffix(mode), 3,
            [mode](const auto& v, bool flush) {
                return exact_fma(kF32, mode, v[0], v[1], v[2], flush);
            },
            true));
    }
}

/// The quotient in 64 bits of precision tells whether f32 without bounds of its exponent would be
/// below the normal numbers.
Bits quotient(Mode mode, Bits a, Bits b, bool flush) {
    if (flush) {
        a = kF32.flushed(a);
        b = kF32.flushed(b);
    }
    const Bits result = bits_of(in_mode(mode, [&] { return host_divide(as_f32(a), as_f32(b)); }));
    const auto scaled = in_mode(mode, [&] {
        const long double precise = host_divide<long double>(as_f32(a), as_f32(b));
        return opaque(static_cast<float>(opaque(precise * 0x1p64L)));
    });
    return flush && std::fabs(scaled) < 0x1p-62f ? result & kF32.sign() : result;
}

TEST_P(Rounded, QuotientsAndRootsOfF32) {
    const Mode mode = GetParam();
    check(f32_forms(
        "div", suffix(mode), 2,
        [mode](const auto& v, bool flush) { return quotient(mode, v[0], v[1], flush); }, false));
    check(f32_forms(
        "rcp", suffix(mode), 1,
        [mode](const auto& v, bool flush) { return quotient(mode, bits_of(1.0f), v[0], flush); },
        false));
    check(f32_forms(
        "sqrt", suffix(mode), 1,
        [mode](const auto& v, bool flush) {
            const Bits operand = flush ? kF32.flushed(v[0]) : v[0];
            return bits_of(in_mode(mode, [&] { return host_root(as_f32(operand)); }));
        },
        false));
}

/// Products and sums around the least normal number, by steps finer than f32's own.
TEST_P(Rounded, FlushingLooksAtResultsOfUnboundedExponent) {
    const Mode mode = GetParam();
    std::vector<Bits> a, b, c{0x00000000, 0x80000000, 0x00800000, 0x80800000, 0x00800001};
    for (const unsigned k : {1u, 2u, 11u, 12u, 13u, 14u, 23u, 24u}) {
        const auto step = static_cast<float>(std::ldexp(1.0, -static_cast<int>(k)));
        for (const float sign : {1.0f, -1.0f}) {
            a.push_back(bits_of(sign * (1 + step)));
            b.push_back(bits_of(sign * (1 - step) * 0x1p-126f * (k == 1 ? 2 : 1)));
            b.push_back(bits_of(sign * (1 - step) * 0x1p-125f));
            a.push_back(bits_of(sign * (1 - step)));
            a.push_back(bits_of(sign * 0.5f * (1 + step)));
        }
    }
    std::vector<Form> forms = f32_forms(
        "mul", suffix(mode), 2,
        [mode](const auto& v, bool flush) { return exact_mul(kF32, mode, v[0], v[1], flush); },
        false);
    for (Form& form : forms) form.values = {a, b};
    for (Form& form : f32_forms(
             "fma", suffix(mode), 3,
             [mode](const auto& v, bool flush) {
                 return exact_fma(kF32, mode, v[0], v[1], v[2], flush);
             },
             false)) {
        form.values = {a, b, c};
        form.only_values = {true, true, true};
        forms.push_back(form);
    }
    check(forms);
}

TEST_P(Rounded, F64) {
    const Mode mode = GetParam();
    const std::string rounding = suffix(mode);
    const auto host = [mode](auto operation) {
        return [mode, operation](const std::vector<Bits>& v) {
            return bits_of(in_mode(mode, [&] { return operation(v); }));
        };
    };
    check({
        f64_form("add" + rounding, 2,
                 host([](const auto& v) { return host_add(as_f64(v[0]), as_f64(v[1])); })),
        f64_form("sub" + rounding, 2,
                 host([](const auto& v) { return host_add(as_f64(v[0]), -as_f64(v[1])); })),
        f64_form("mul" + rounding, 2,
                 host([](const auto& v) { return host_multiply(as_f64(v[0]), as_f64(v[1])); })),
        f64_form("fma" + rounding, 3, host([](const auto& v) {
                     return host_fma(as_f64(v[0]), as_f64(v[1]), as_f64(v[2]));
                 })),
        f64_form("mad" + rounding, 3, host([](const auto& v) {
                     return host_fma(as_f64(v[0]), as_f64(v[1]), as_f64(v[2]));
                 })),
        f64_form("div" + rounding, 2,
                 host([](const auto& v) { return host_divide(as_f64(v[0]), as_f64(v[1])); })),
        f64_form("rcp" + rounding, 1,
                 host([](const auto& v) { return host_divide(1.0, as_f64(v[0])); })),
        f64_form("sqrt" + rounding, 1, host([](const auto& v) { return host_root(as_f64(v[0])); })),
    });
}

TEST(Floating, ArithmeticWithoutARoundingRoundsToNearest) {
    check(f32_forms(
        "add", "", 2,
        [](const auto& v, bool flush) { return exact_add(kF32, Mode::nearest, v[0], v[1], flush); },
        true));
    check(f32_forms(
        "mul", "", 2,
        [](const auto& v, bool flush) { return exact_mul(kF32, Mode::nearest, v[0], v[1], flush); },
        true));
    check({f64_form("add", 2,
                    [](const auto& v) { return bits_of(host_add(as_f64(v[0]), as_f64(v[1]))); })});
}

TEST(Floating, SignsAreBitsAlone) {
    const auto flushed = [](Bits value, bool flush) { return flush ? kF32.flushed(value) : value; };
    check(f32_forms(
        "abs", "", 1,
        [=](const auto& v, bool flush) { return flushed(v[0], flush) & ~kF32.sign(); }, false));
    check(f32_forms(
        "neg", "", 1, [=](const auto& v, bool flush) { return flushed(v[0], flush) ^ kF32.sign(); },
        false));
    check({f64_form("abs", 1, [](const auto& v) { return v[0] & ~kF64.sign(); }),
           f64_form("neg", 1, [](const auto& v) { return v[0] ^ kF64.sign(); }),
           f64_form("copysign", 2,
                    [](const auto& v) { return (v[0] & kF64.sign()) | kF64.magnitude(v[1]); })});
    Form copysign{"copysign.f32 $d, $a, $b;", {"f32"}, {"f32", "f32"}, by_bits([](const auto& v) {
                      return (v[0] & kF32.sign()) | kF32.magnitude(v[1]);
                  })};
    check({copysign});
}

TEST(Floating, MinimumAndMaximum) {
    for (const bool minimum : {true, false}) {
        const char* name = minimum ? "min" : "max";
        std::vector<Form> forms;
        for (const bool ftz : {false, true}) {
            for (const bool nan : {false, true}) {
                for (const bool xorsign : {false, true}) {
                    forms.push_back(
                        {fmt::format("{}{}{}{}.f32 $d, $a, $b;", name, ftz ? ".ftz" : "",
                                     nan ? ".NaN" : "", xorsign ? ".xorsign.abs" : ""),
                         {"f32"},
                         {"f32", "f32"},
                         by_bits([=](std::vector<Bits> v) {
                             if (ftz) {
                                 for (Bits& value : v) value = kF32.flushed(value);
                             }
                             if (!xorsign) return exact_extremum(kF32, minimum, nan, v[0], v[1]);
                             const Bits result = exact_extremum(
                                 kF32, minimum, nan, kF32.magnitude(v[0]), kF32.magnitude(v[1]));
                             return kF32.is_nan(result) ? result
                                                        : result | ((v[0] ^ v[1]) & kF32.sign());
                         })});
                    forms.back().literals = {{1, {0x00000000, 0x80000000, 0x3f800000, 0x7fffffff}}};
                }
            }
        }
        forms.push_back(f64_form(name, 2, [minimum](const auto& v) {
            return exact_extremum(kF64, minimum, false, v[0], v[1]);
        }));
        check(forms);
    }
}

TEST(Floating, MinimumAndMaximumOfThree) {
    for (const bool minimum : {true, false}) {
        for (const bool nan : {false, true}) {
            Form form{
                fmt::format("{}{}.f32 $d, $a, $b, $c;", minimum ? "min" : "max", nan ? ".NaN" : ""),
                {"f32"},
                {"f32", "f32", "f32"},
                by_bits([=](const auto& v) {
                    const Bits first = exact_extremum(kF32, minimum, nan, v[0], v[1]);
                    return exact_extremum(kF32, minimum, nan, first, v[2]);
                })};
            form.needs_sm100 = true;
            check({form});
        }
    }
}

TEST(Floating, PairsOfF32AreComputedOneByOne) {
    const auto of_pairs = [](Operation operation) {
        return by_bits(in_pairs(32, std::move(operation)));
    };
    std::vector<Form> forms{
        {"add.rn.f32x2 $d, $a, $b;", {"f32x2"}, {"f32x2", "f32x2"}, of_pairs([](const auto& v) {
             return exact_add(kF32, Mode::nearest, v[0], v[1]);
         })},
        {"mul.rz.f32x2 $d, $a, $b;", {"f32x2"}, {"f32x2", "f32x2"}, of_pairs([](const auto& v) {
             return exact_mul(kF32, Mode::toward_zero, v[0], v[1]);
         })},
        {"fma.rn.ftz.f32x2 $d, $a, $b, $c;",
         {"f32x2"},
         {"f32x2", "f32x2", "f32x2"},
         of_pairs([](const auto& v) {
             return exact_fma(kF32, Mode::nearest, v[0], v[1], v[2], true);
         })}};
    for (Form& form : forms) form.needs_sm100 = true;
    check(forms);
}

TEST_P(Rounded, PairsOfF32) {
    const Mode mode = GetParam();
    const auto form = [&](const std::string& name, unsigned operands, const Operation& operation) {
        Form pairs{
            fmt::format("{}.f32x2 {}", name, operands == 2 ? "$d, $a, $b;" : "$d, $a, $b, $c;"),
            {"f32x2"},
            std::vector<std::string>(operands, "f32x2"),
            by_bits(in_pairs(32, operation))};
        pairs.needs_sm100 = true;
        return pairs;
    };
    for (const bool flush : {false, true}) {
        const std::string rounded = suffix(mode) + (flush ? ".ftz" : "");
        check({form("add" + rounded, 2,
                    [=](const auto& v) { return exact_add(kF32, mode, v[0], v[1], flush); }),
               form("sub" + rounded, 2,
                    [=](const auto& v) {
                        return exact_add(kF32, mode, v[0], v[1] ^ kF32.sign(), flush);
                    }),
               form("mul" + rounded, 2,
                    [=](const auto& v) { return exact_mul(kF32, mode, v[0], v[1], flush); }),
               form("fma" + rounded, 3, [=](const auto& v) {
                   return exact_fma(kF32, mode, v[0], v[1], v[2], flush);
               })});
    }
}

TEST(Floating, NarrowOperandsAreWidenedFirst) {
    std::vector<Form> forms;
    for (const auto& [type, format] : {std::pair{"f16", kF16}, std::pair{"bf16", kBf16}}) {
        const auto widen = [format](Bits value) {
            return convert_exactly(value, format, kF32, Mode::nearest);
        };
        for (const Mode mode : kModes) {
            forms.push_back(
                {fmt::format("add.{}.f32.{} $d, $a, $b;", ptx_name(mode), type),
                 {"f32"},
                 {type, "f32"},
                 by_bits([=](const auto& v) { return exact_add(kF32, mode, widen(v[0]), v[1]); })});
            forms.push_back({fmt::format("sub.{}.sat.f32.{} $d, $a, $b;", ptx_name(mode), type),
                             {"f32"},
                             {type, "f32"},
                             by_bits([=](const auto& v) {
                                 return saturated(
                                     kF32, exact_add(kF32, mode, widen(v[0]), v[1] ^ kF32.sign()));
                             })});
            forms.push_back({fmt::format("fma.{}.f32.{} $d, $a, $b, $c;", ptx_name(mode), type),
                             {"f32"},
                             {type, type, "f32"},
                             by_bits([=](const auto& v) {
                                 return exact_fma(kF32, mode, widen(v[0]), widen(v[1]), v[2]);
                             })});
        }
    }
    for (Form& form : forms) form.needs_sm100 = true;
    check(forms);
}

}  // namespace
}  // namespace wideload::isa
