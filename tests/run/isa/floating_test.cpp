// SPDX-License-Identifier: Apache-2.0
// Exact arithmetic of f32 and f64. f32 sums and products are computed in integers; f64, quotients and roots by the host's own
// arithmetic in the same rounding.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "exact_float.h"
#include "harness.h"

namespace wideload::isa {
namespace {

/// The form with every combination of .ftz and .sat that the operation has.
std::vector<Form> f32_forms(const std::string& mnemonic, const std::string& rounding, unsigned operands,
                            Operation operation, bool has_sat) {
    std::vector<Form> forms;
    const std::string names = operands == 1 ? "$d, $a;" : operands == 2 ? "$d, $a, $b;" : "$d, $a, $b, $c;";
    for (const bool ftz : {false, true}) {
        for (const bool sat : {false, true}) {
            if (sat && !has_sat) continue;
            const auto modified = [operation, ftz, sat](std::vector<Bits> v) {
                if (ftz) {
                    for (Bits& value : v) value = kF32.flushed(value);
                }
                Bits result = operation(v);
                if (ftz) result = kF32.flushed(result);
                return sat ? saturated(kF32, result) : result;
            };
            forms.push_back({fmt::format("{}{}{}{}.f32 {}", mnemonic, rounding, ftz ? ".ftz" : "",
                                         sat ? ".sat" : "", names),
                             {"f32"},
                             std::vector<std::string>(operands, "f32"),
                             by_bits(modified)});
            forms.back().judge = any_nan("f32");
            if (operands > 1) forms.back().literals = {{1, {0x3f800000, 0x80000000, 0x3dcccccd}}};
        }
    }
    return forms;
}

Form f64_form(const std::string& mnemonic, unsigned operands, Operation operation) {
    const std::string names = operands == 1 ? "$d, $a;" : operands == 2 ? "$d, $a, $b;" : "$d, $a, $b, $c;";
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
    check(f32_forms("add", suffix(mode), 2,
                    [mode](const auto& v) { return exact_add(kF32, mode, v[0], v[1]); }, true));
    check(f32_forms("sub", suffix(mode), 2,
                    [mode](const auto& v) {
                        return exact_add(kF32, mode, v[0], v[1] ^ kF32.sign());
                    },
                    true));
    check(f32_forms("mul", suffix(mode), 2,
                    [mode](const auto& v) { return exact_mul(kF32, mode, v[0], v[1]); }, true));
    for (const char* mnemonic : {"fma", "mad"}) {
        check(f32_forms(mnemonic, suffix(mode), 3,
                        [mode](const auto& v) { return exact_fma(kF32, mode, v[0], v[1], v[2]); },
                        true));
    }
}

TEST_P(Rounded, QuotientsAndRootsOfF32) {
    const Mode mode = GetParam();
    check(f32_forms("div", suffix(mode), 2,
                    [mode](const auto& v) {
                        return bits_of(in_mode(mode, [&] {
                            return host_divide(as_f32(v[0]), as_f32(v[1]));
                        }));
                    },
                    false));
    check(f32_forms("rcp", suffix(mode), 1,
                    [mode](const auto& v) {
                        return bits_of(
                            in_mode(mode, [&] { return host_divide(1.0f, as_f32(v[0])); }));
                    },
                    false));
    check(f32_forms("sqrt", suffix(mode), 1,
                    [mode](const auto& v) {
                        return bits_of(in_mode(mode, [&] { return host_root(as_f32(v[0])); }));
                    },
                    false));
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
    check(f32_forms("add", "", 2,
                    [](const auto& v) { return exact_add(kF32, Mode::nearest, v[0], v[1]); }, true));
    check(f32_forms("mul", "", 2,
                    [](const auto& v) { return exact_mul(kF32, Mode::nearest, v[0], v[1]); }, true));
    check({f64_form("add", 2, [](const auto& v) {
        return bits_of(host_add(as_f64(v[0]), as_f64(v[1])));
    })});
}

TEST(Floating, SignsAreBitsAlone) {
    check(f32_forms("abs", "", 1, [](const auto& v) { return v[0] & ~kF32.sign(); }, false));
    check(f32_forms("neg", "", 1, [](const auto& v) { return v[0] ^ kF32.sign(); }, false));
    check({f64_form("abs", 1, [](const auto& v) { return v[0] & ~kF64.sign(); }),
           f64_form("neg", 1, [](const auto& v) { return v[0] ^ kF64.sign(); }),
           f64_form("copysign", 2, [](const auto& v) {
               return (v[0] & kF64.sign()) | kF64.magnitude(v[1]);
           })});
    Form copysign{"copysign.f32 $d, $a, $b;", {"f32"}, {"f32", "f32"}, by_bits([](const auto& v) {
                      return (v[0] & kF32.sign()) | kF32.magnitude(v[1]);
                  })};
    check({copysign});
}

/// An order of all numbers in which -0 is below +0.
std::int64_t rank(FloatFormat format, Bits value) {
    const auto magnitude = static_cast<std::int64_t>(format.magnitude(value));
    return format.is_negative(value) ? -magnitude - 1 : magnitude;
}

Bits extremum(FloatFormat format, bool minimum, bool propagate, Bits a, Bits b) {
    if (format.is_nan(a) && format.is_nan(b)) return format.nan();
    if (format.is_nan(a) || format.is_nan(b)) {
        return propagate ? format.nan() : format.is_nan(a) ? b : a;
    }
    return (rank(format, a) < rank(format, b)) == minimum ? a : b;
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
                             if (!xorsign) return extremum(kF32, minimum, nan, v[0], v[1]);
                             const Bits result = extremum(kF32, minimum, nan, kF32.magnitude(v[0]),
                                                          kF32.magnitude(v[1]));
                             return kF32.is_nan(result) ? result
                                                        : result | ((v[0] ^ v[1]) & kF32.sign());
                         })});
                    forms.back().literals = {{1, {0x00000000, 0x80000000, 0x3f800000, 0x7fffffff}}};
                }
            }
        }
        forms.push_back(f64_form(name, 2, [minimum](const auto& v) {
            return extremum(kF64, minimum, false, v[0], v[1]);
        }));
        check(forms);
    }
}

TEST(Floating, MinimumAndMaximumOfThree) {
    for (const bool minimum : {true, false}) {
        for (const bool nan : {false, true}) {
            for (const bool xorsign : {false, true}) {
                Form form{fmt::format("{}{}{}.f32 $d, $a, $b, $c;", minimum ? "min" : "max",
                                      nan ? ".NaN" : "", xorsign ? ".xorsign.abs" : ""),
                          {"f32"},
                          {"f32", "f32", "f32"},
                          by_bits([=](std::vector<Bits> v) {
                              const Bits signs = (v[0] ^ v[1] ^ v[2]) & kF32.sign();
                              if (xorsign) {
                                  for (Bits& value : v) value = kF32.magnitude(value);
                              }
                              const Bits first = extremum(kF32, minimum, nan, v[0], v[1]);
                              const Bits result = extremum(kF32, minimum, nan, first, v[2]);
                              return xorsign && !kF32.is_nan(result) ? result | signs : result;
                          })};
                form.needs_sm100 = true;
                check({form});
            }
        }
    }
}

TEST(Floating, PairsOfF32AreComputedOneByOne) {
    const auto of_pairs = [](auto operation) {
        return by_bits([operation](const std::vector<Bits>& v) {
            Bits result = 0;
            for (const unsigned shift : {0u, 32u}) {
                std::vector<Bits> part;
                for (const Bits value : v) part.push_back(value >> shift & 0xffff'ffff);
                result |= operation(part) << shift;
            }
            return result;
        });
    };
    // The harness' own judge of NaN takes a pair for one number.
    const Judge judge = [single = any_nan("f32")](const std::vector<Bits>& operands, Bits expected,
                                                  Bits actual) {
        auto wrong = single(operands, expected & 0xffff'ffff, actual & 0xffff'ffff);
        return wrong ? wrong : single(operands, expected >> 32, actual >> 32);
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
             return kF32.flushed(exact_fma(kF32, Mode::nearest, kF32.flushed(v[0]),
                                           kF32.flushed(v[1]), kF32.flushed(v[2])));
         })}};
    for (Form& form : forms) {
        form.judge = judge;
        form.needs_sm100 = true;
    }
    check(forms);
}

TEST(Floating, NarrowOperandsAreWidenedFirst) {
    std::vector<Form> forms;
    for (const auto& [type, format] : {std::pair{"f16", kF16}, std::pair{"bf16", kBf16}}) {
        const auto widen = [format](Bits value) {
            return convert_exactly(value, format, kF32, Mode::nearest);
        };
        for (const Mode mode : kModes) {
            forms.push_back({fmt::format("add.{}.f32.{} $d, $a, $b;", ptx_name(mode), type),
                             {"f32"},
                             {type, "f32"},
                             by_bits([=](const auto& v) {
                                 return exact_add(kF32, mode, widen(v[0]), v[1]);
                             })});
            forms.push_back({fmt::format("sub.{}.sat.f32.{} $d, $a, $b;", ptx_name(mode), type),
                             {"f32"},
                             {type, "f32"},
                             by_bits([=](const auto& v) {
                                 return saturated(kF32, exact_add(kF32, mode, widen(v[0]),
                                                                  v[1] ^ kF32.sign()));
                             })});
            forms.push_back({fmt::format("fma.{}.f32.{} $d, $a, $b, $c;", ptx_name(mode), type),
                             {"f32"},
                             {type, type, "f32"},
                             by_bits([=](const auto& v) {
                                 return exact_fma(kF32, mode, widen(v[0]), widen(v[1]), v[2]);
                             })});
        }
    }
    for (Form& form : forms) {
        form.judge = any_nan("f32");
        form.needs_sm100 = true;
    }
    check(forms);
}

}  // namespace
}  // namespace wideload::isa
