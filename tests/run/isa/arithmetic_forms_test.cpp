// SPDX-License-Identifier: Apache-2.0
// Sums, products and extrema with the modifiers that other tests leave out: every rounding, .ftz
// and .sat of every type.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "exact_float.h"
#include "harness.h"
#include "together.h"

namespace wideload::isa {
namespace {

/// add, sub, mul or fma of a format.
using ExactArithmetic = Bits (*)(FloatFormat, Mode, const std::vector<Bits>&, bool flush);
struct ArithmeticOperation {
    const char* name;
    unsigned operands;
    ExactArithmetic exact;
};
constexpr std::array kArithmetic{
    ArithmeticOperation{"add", 2,
                        [](FloatFormat format, Mode mode, const std::vector<Bits>& v, bool flush) {
                            return exact_add(format, mode, v[0], v[1], flush);
                        }},
    ArithmeticOperation{"sub", 2,
                        [](FloatFormat format, Mode mode, const std::vector<Bits>& v, bool flush) {
                            return exact_add(format, mode, v[0], v[1] ^ format.sign(), flush);
                        }},
    ArithmeticOperation{"mul", 2,
                        [](FloatFormat format, Mode mode, const std::vector<Bits>& v, bool flush) {
                            return exact_mul(format, mode, v[0], v[1], flush);
                        }},
    ArithmeticOperation{"fma", 3,
                        [](FloatFormat format, Mode mode, const std::vector<Bits>& v, bool flush) {
                            return exact_fma(format, mode, v[0], v[1], v[2], flush);
                        }}};

std::string operands_of(const ArithmeticOperation& operation) {
    return operation.operands == 2 ? " $d, $a, $b;" : " $d, $a, $b, $c;";
}

std::vector<Form> f16_forms(const ArithmeticOperation& operation, bool packed) {
    std::vector<Form> forms;
    const std::string type = packed ? "f16x2" : "f16";
    for (const char* rounding : {"", ".rn"}) {
        if (operation.operands == 3 && *rounding == 0) continue;
        for (const bool ftz : {false, true}) {
            for (const bool sat : {false, true}) {
                const Operation exact = [=, exact = operation.exact](const auto& v) {
                    const Bits result = exact(kF16, Mode::nearest, v, ftz);
                    return sat ? saturated(kF16, result) : result;
                };
                forms.push_back(
                    {fmt::format("{}{}{}{}.{}{}", operation.name, rounding, ftz ? ".ftz" : "",
                                 sat ? ".sat" : "", type, operands_of(operation)),
                     {type},
                     std::vector<std::string>(operation.operands, type),
                     by_bits(packed ? in_pairs(16, exact) : exact)});
            }
        }
    }
    return forms;
}

TEST(ArithmeticForms, OfF16) {
    for (const ArithmeticOperation& operation : kArithmetic) {
        for (const bool packed : {false, true}) check(together(f16_forms(operation, packed)));
    }
}

TEST(ArithmeticForms, WithoutARoundingRoundToNearest) {
    const ArithmeticOperation& sub = kArithmetic[1];
    std::vector<Form> forms;
    for (const bool ftz : {false, true}) {
        for (const bool sat : {false, true}) {
            forms.push_back(
                {fmt::format("sub{}{}.f32 $d, $a, $b;", ftz ? ".ftz" : "", sat ? ".sat" : ""),
                 {"f32"},
                 {"f32", "f32"},
                 by_bits([=](const auto& v) {
                     const Bits result = sub.exact(kF32, Mode::nearest, v, ftz);
                     return sat ? saturated(kF32, result) : result;
                 })});
        }
    }
    check(together(forms));
    Form difference{"sub.f64 $d, $a, $b;", {"f64"}, {"f64", "f64"}, by_bits([](const auto& v) {
                        return bits_of(opaque(opaque(as_f64(v[0])) - opaque(as_f64(v[1]))));
                    })};
    Form product{"mul.f64 $d, $a, $b;", {"f64"}, {"f64", "f64"}, by_bits([](const auto& v) {
                     return bits_of(opaque(opaque(as_f64(v[0])) * opaque(as_f64(v[1]))));
                 })};
    for (Form* form : {&difference, &product}) form->judge = any_nan("f64");
    check({difference, product});
}

/// The roundings of an instruction, and what they do where none is written.
struct WrittenMode {
    std::string text;
    Mode mode;
};
std::vector<WrittenMode> written_modes(bool may_be_left_out) {
    std::vector<WrittenMode> modes;
    if (may_be_left_out) modes.push_back({"", Mode::nearest});
    for (const Mode mode : kModes) modes.push_back({std::string(".") + ptx_name(mode), mode});
    return modes;
}

TEST(ArithmeticForms, OfPairsOfF32) {
    std::vector<Form> forms;
    for (const ArithmeticOperation& operation : kArithmetic) {
        for (const WrittenMode& mode : written_modes(operation.operands == 2)) {
            for (const bool ftz : {false, true}) {
                forms.push_back({fmt::format("{}{}{}.f32x2{}", operation.name, mode.text,
                                             ftz ? ".ftz" : "", operands_of(operation)),
                                 {"f32x2"},
                                 std::vector<std::string>(operation.operands, "f32x2"),
                                 by_bits(in_pairs(32, [=, exact = operation.exact](const auto& v) {
                                     return exact(kF32, mode.mode, v, ftz);
                                 }))});
                forms.back().needs_sm100 = true;
            }
        }
    }
    check(together(forms));
}

/// add and sub widen their first operand, fma its factors.
TEST(ArithmeticForms, OfHalvesAndF32) {
    for (const auto& [type, format] : {std::pair{"f16", kF16}, std::pair{"bf16", kBf16}}) {
        for (const ArithmeticOperation& operation : kArithmetic) {
            if (std::string_view(operation.name) == "mul") continue;
            std::vector<Form> forms;
            for (const WrittenMode& mode : written_modes(operation.operands == 2)) {
                for (const bool sat : {false, true}) {
                    std::vector<std::string> types(operation.operands, type);
                    types.back() = "f32";
                    forms.push_back({fmt::format("{}{}{}.f32.{}{}", operation.name, mode.text,
                                                 sat ? ".sat" : "", type, operands_of(operation)),
                                     {"f32"},
                                     types,
                                     by_bits([=, exact = operation.exact, narrow = format](auto v) {
                                         for (std::size_t i = 0; i + 1 < v.size(); ++i) {
                                             v[i] =
                                                 convert_exactly(v[i], narrow, kF32, Mode::nearest);
                                         }
                                         const Bits result = exact(kF32, mode.mode, v, false);
                                         return sat ? saturated(kF32, result) : result;
                                     })});
                    forms.back().needs_sm100 = true;
                }
            }
            check(together(forms));
        }
    }
}

TEST(ArithmeticForms, ExtremaOfThree) {
    std::vector<Form> forms;
    for (const bool minimum : {true, false}) {
        for (unsigned modifiers = 0; modifiers < 8; ++modifiers) {
            const bool ftz = (modifiers & 1) != 0, nan = (modifiers & 2) != 0,
                       absolute = (modifiers & 4) != 0;
            forms.push_back(
                {fmt::format("{}{}{}{}.f32 $d, $a, $b, $c;", minimum ? "min" : "max",
                             ftz ? ".ftz" : "", nan ? ".NaN" : "", absolute ? ".abs" : ""),
                 {"f32"},
                 {"f32", "f32", "f32"},
                 by_bits([=](auto v) {
                     for (Bits& value : v) {
                         if (ftz) value = kF32.flushed(value);
                         if (absolute) value = kF32.magnitude(value);
                     }
                     const Bits first = exact_extremum(kF32, minimum, nan, v[0], v[1]);
                     return exact_extremum(kF32, minimum, nan, first, v[2]);
                 })});
            forms.back().needs_sm100 = true;
        }
    }
    check(together(forms));
}

}  // namespace
}  // namespace wideload::isa
