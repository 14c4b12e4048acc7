// SPDX-License-Identifier: Apache-2.0
// Arithmetic of f16 and bf16, single and packed, against integers rounded once. NaN results are PTX's canonical one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "exact_float.h"
#include "harness.h"

namespace wideload::isa {
namespace {

struct HalfType {
    const char* name;
    FloatFormat format;
};
constexpr std::array kTypes{HalfType{"f16", kF16}, HalfType{"bf16", kBf16}};

/// .relu: negative numbers become +0.
Bits rectified(FloatFormat format, Bits value) {
    return format.is_negative(value) && !format.is_nan(value) ? 0 : value;
}

/// The form of single values and of packed pairs.
std::vector<Form> forms_of(const HalfType& type, const std::string& mnemonic, unsigned operands,
                           const Operation& operation) {
    const std::string names =
        operands == 1 ? "$d, $a;" : operands == 2 ? "$d, $a, $b;" : "$d, $a, $b, $c;";
    const std::string single = type.name, packed = single + "x2";
    const auto of_pairs = [operation](const std::vector<Bits>& v) {
        Bits result = 0;
        for (const unsigned shift : {0u, 16u}) {
            std::vector<Bits> part;
            for (const Bits value : v) part.push_back(value >> shift & 0xffff);
            result |= operation(part) << shift;
        }
        return result;
    };
    return {{fmt::format("{}.{} {}", mnemonic, single, names), {single},
             std::vector<std::string>(operands, single), by_bits(operation)},
            {fmt::format("{}.{} {}", mnemonic, packed, names), {packed},
             std::vector<std::string>(operands, packed), by_bits(of_pairs)}};
}

/// The operation on flushed operands, with its result flushed.
Operation flushing(FloatFormat format, const Operation& operation) {
    return [format, operation](std::vector<Bits> v) {
        for (Bits& value : v) value = format.flushed(value);
        return format.flushed(operation(v));
    };
}

TEST(Half, SumsAndProducts) {
    for (const HalfType& type : kTypes) {
        const FloatFormat format = type.format;
        const Operation add = [format](const auto& v) {
            return exact_add(format, Mode::nearest, v[0], v[1]);
        };
        const Operation subtract = [format](const auto& v) {
            return exact_add(format, Mode::nearest, v[0], v[1] ^ format.sign());
        };
        const Operation multiply = [format](const auto& v) {
            return exact_mul(format, Mode::nearest, v[0], v[1]);
        };
        for (const auto& [name, operation] :
             {std::pair{"add", add}, std::pair{"sub", subtract}, std::pair{"mul", multiply}}) {
            const std::string rounded = fmt::format("{}.rn", name);
            check(forms_of(type, name, 2, operation));
            check(forms_of(type, rounded, 2, operation));
            if (std::string_view(type.name) == "bf16") continue;
            check(forms_of(type, rounded + ".ftz", 2, flushing(format, operation)));
            check(forms_of(type, rounded + ".sat", 2, [operation, format](const auto& v) {
                return saturated(format, operation(v));
            }));
            check(forms_of(type, fmt::format("{}.ftz.sat", name), 2,
                           [operation = flushing(format, operation), format](const auto& v) {
                               return saturated(format, operation(v));
                           }));
        }
    }
}

TEST(Half, FusedMultiplyAddRoundsOnce) {
    for (const HalfType& type : kTypes) {
        const FloatFormat format = type.format;
        const Operation fma = [format](const auto& v) {
            return exact_fma(format, Mode::nearest, v[0], v[1], v[2]);
        };
        check(forms_of(type, "fma.rn", 3, fma));
        check(forms_of(type, "fma.rn.relu", 3, [fma, format](const auto& v) {
            return rectified(format, fma(v));
        }));
        if (std::string_view(type.name) == "bf16") continue;
        check(forms_of(type, "fma.rn.ftz", 3, flushing(format, fma)));
        check(forms_of(type, "fma.rn.sat", 3,
                       [fma, format](const auto& v) { return saturated(format, fma(v)); }));
        check(forms_of(type, "fma.rn.ftz.relu", 3,
                       [fma = flushing(format, fma), format](const auto& v) {
                           return rectified(format, fma(v));
                       }));
    }
}

/// Rounding the product, or the sum to 24 bits before it is rounded to a half, would go wrong on these.
TEST(Half, FusedMultiplyAddOnSumsNearTies) {
    Form f16{"fma.rn.f16 $d, $a, $b, $c;", {"f16"}, {"f16", "f16", "f16"}, by_bits([](const auto& v) {
                 return exact_fma(kF16, Mode::nearest, v[0], v[1], v[2]);
             })};
    // (1 + 2^-10) (1 + 2^-10) + c; and products just beside half a unit of c.
    f16.values = {{0x3c01, 0x3c03, 0x1001, 0x13ff, 0x0400, 0x0001},
                  {0x3c01, 0x3bff, 0x1001, 0x13fe, 0x0400, 0x0001},
                  {0x6800, 0x6801, 0x2c01, 0x3c00, 0x3c01, 0xbc00, 0x0001, 0x8001, 0x7bff}};
    f16.only_values = {true, true, true};
    Form bf16{"fma.rn.bf16 $d, $a, $b, $c;", {"bf16"}, {"bf16", "bf16", "bf16"},
              by_bits([](const auto& v) {
                  return exact_fma(kBf16, Mode::nearest, v[0], v[1], v[2]);
              })};
    // Products beyond the range of f32 whose sums lie within it, and ties that a tiny addend breaks.
    bf16.values = {{0x7f40, 0x7f7f, 0x3f81, 0x3f80, 0x0080, 0x0001, 0x1f81},
                   {0x4000, 0x3fff, 0x3f81, 0x3f88, 0x0080, 0x1f80, 0x2000},
                   {0xff7f, 0xff40, 0x0001, 0x8001, 0x0080, 0x2000, 0xa000, 0x3f80}};
    bf16.only_values = {true, true, true};
    check({f16, bf16});
}

TEST(Half, SignsAreBitsAlone) {
    for (const HalfType& type : kTypes) {
        const FloatFormat format = type.format;
        check(forms_of(type, "abs", 1, [format](const auto& v) { return format.magnitude(v[0]); }));
        check(forms_of(type, "neg", 1, [format](const auto& v) { return v[0] ^ format.sign(); }));
    }
    check(forms_of(kTypes[0], "abs.ftz", 1, [](const auto& v) {
        return kF16.magnitude(kF16.flushed(v[0]));
    }));
    check(forms_of(kTypes[0], "neg.ftz", 1, [](const auto& v) {
        return kF16.flushed(v[0]) ^ kF16.sign();
    }));
}

TEST(Half, MinimumAndMaximum) {
    for (const HalfType& type : kTypes) {
        const FloatFormat format = type.format;
        for (const bool minimum : {true, false}) {
            for (const bool nan : {false, true}) {
                for (const bool xorsign : {false, true}) {
                    for (const bool ftz : {false, true}) {
                        if (ftz && std::string_view(type.name) == "bf16") continue;
                        const auto operation = [=](std::vector<Bits> v) {
                            if (ftz) v = {format.flushed(v[0]), format.flushed(v[1])};
                            const Bits sign = xorsign ? (v[0] ^ v[1]) & format.sign() : 0;
                            if (xorsign) v = {format.magnitude(v[0]), format.magnitude(v[1])};
                            if (format.is_nan(v[0]) || format.is_nan(v[1])) {
                                const bool both = format.is_nan(v[0]) && format.is_nan(v[1]);
                                if (both || nan) return format.nan();
                                return (format.is_nan(v[0]) ? v[1] : v[0]) | sign;
                            }
                            // As signed integers of 17 bits, halves are in order, -0 below +0.
                            const auto rank = [format](Bits value) {
                                const auto magnitude = static_cast<int>(format.magnitude(value));
                                return format.is_negative(value) ? -magnitude - 1 : magnitude;
                            };
                            return ((rank(v[0]) < rank(v[1])) == minimum ? v[0] : v[1]) | sign;
                        };
                        check(forms_of(type,
                                       fmt::format("{}{}{}{}", minimum ? "min" : "max",
                                                   ftz ? ".ftz" : "", nan ? ".NaN" : "",
                                                   xorsign ? ".xorsign.abs" : ""),
                                       2, operation));
                    }
                }
            }
        }
    }
}

double value_of(FloatFormat format, Bits half) {
    return as_f32(convert_exactly(half, format, kF32, Mode::nearest));
}

/// Each part within a relative and an absolute error of `function`, or of 0 where that is flushed.
Judge near_function(FloatFormat format, double (*function)(double), double relative, double absolute,
                    bool ftz) {
    return [=](const std::vector<Bits>& operands, Bits, Bits actual) -> std::optional<std::string> {
        const unsigned parts = operands[0] > 0xffff || actual > 0xffff ? 2 : 1;
        for (unsigned part = 0; part < parts; ++part) {
            Bits operand = operands[0] >> 16 * part & 0xffff;
            if (ftz) operand = format.flushed(operand);
            const Bits got = actual >> 16 * part & 0xffff;
            const double exact = function(value_of(format, operand));
            if (std::isnan(exact)) {
                if (got != format.nan()) return "NaN is not the canonical one";
                continue;
            }
            const double least_normal = std::ldexp(1.0, 1 - format.bias());
            if (ftz && std::fabs(exact) < least_normal && format.is_zero(got)) continue;
            const double result = value_of(format, got);
            const bool overflows = convert_exactly(bits_of(exact), kF64, format, Mode::nearest) == got;
            const double unit = std::ldexp(least_normal, -static_cast<int>(format.mantissa_bits));
            const double bound = relative * std::fabs(exact) + absolute + unit;
            if (!overflows && !(std::fabs(result - exact) <= bound)) {
                return fmt::format("({:g} against {:g})", result, exact);
            }
        }
        return std::nullopt;
    };
}

TEST(Half, ApproximationsStayWithinTheirBounds) {
    const auto nothing = [](const auto&) { return Bits{0}; };
    const auto judged = [&](const HalfType& type, const char* mnemonic, const Judge& judge) {
        std::vector<Form> forms = forms_of(type, mnemonic, 1, nothing);
        for (Form& form : forms) form.judge = judge;
        check(forms);
    };
    const auto exp2 = [](double x) { return std::exp2(x); };
    const auto tanh = [](double x) { return std::tanh(x); };
    judged(kTypes[0], "ex2.approx", near_function(kF16, exp2, std::exp2(-9.9), 0, false));
    judged(kTypes[1], "ex2.approx.ftz", near_function(kBf16, exp2, std::exp2(-7), 0, true));
    judged(kTypes[0], "tanh.approx", near_function(kF16, tanh, 0, std::exp2(-10.987), false));
    judged(kTypes[1], "tanh.approx", near_function(kBf16, tanh, std::exp2(-8), 0, false));
}

}  // namespace
}  // namespace wideload::isa
