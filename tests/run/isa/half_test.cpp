// SPDX-License-Identifier: Apache-2.0
// Arithmetic of f16 and bf16, single and packed, against integers rounded once. NaN results are
// PTX's canonical one.
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
    const std::string names = operands == 1   ? "$d, $a;"
                              : operands == 2 ? "$d, $a, $b;"
                                              : "$d, $a, $b, $c;";
    const std::string single = type.name, packed = single + "x2";
    return {{fmt::format("{}.{} {}", mnemonic, single, names),
             {single},
             std::vector<std::string>(operands, single),
             by_bits(operation)},
            {fmt::format("{}.{} {}", mnemonic, packed, names),
             {packed},
             std::vector<std::string>(operands, packed),
             by_bits(in_pairs(16, operation))}};
}

/// The operation with and without .ftz.
using FlushingOperation = std::function<Bits(const std::vector<Bits>&, bool flush)>;

Operation plain(FlushingOperation operation) {
    return [operation = std::move(operation)](const auto& v) { return operation(v, false); };
}
Operation flushing(FlushingOperation operation) {
    return [operation = std::move(operation)](const auto& v) { return operation(v, true); };
}

TEST(Half, SumsAndProducts) {
    for (const HalfType& type : kTypes) {
        const FloatFormat format = type.format;
        const FlushingOperation add = [format](const auto& v, bool flush) {
            return exact_add(format, Mode::nearest, v[0], v[1], flush);
        };
        const FlushingOperation subtract = [format](const auto& v, bool flush) {
            return exact_add(format, Mode::nearest, v[0], v[1] ^ format.sign(), flush);
        };
        const FlushingOperation multiply = [format](const auto& v, bool flush) {
            return exact_mul(format, Mode::nearest, v[0], v[1], flush);
        };
        for (const auto& [name, operation] :
             {std::pair{"add", add}, std::pair{"sub", subtract}, std::pair{"mul", multiply}}) {
            const std::string rounded = fmt::format("{}.rn", name);
            check(forms_of(type, name, 2, plain(operation)));
            check(forms_of(type, rounded, 2, plain(operation)));
            if (std::string_view(type.name) == "bf16") continue;
            check(forms_of(type, rounded + ".ftz", 2, flushing(operation)));
            for (const bool flush : {false, true}) {
                check(forms_of(type, fmt::format("{}{}.sat", name, flush ? ".ftz" : ""), 2,
                               [exact = operation, format, flush](const auto& v) {
                                   return saturated(format, exact(v, flush));
                               }));
            }
        }
    }
}

TEST(Half, FusedMultiplyAddRoundsOnce) {
    for (const HalfType& type : kTypes) {
        const FloatFormat format = type.format;
        const FlushingOperation fma = [format](const auto& v, bool flush) {
            return exact_fma(format, Mode::nearest, v[0], v[1], v[2], flush);
        };
        check(forms_of(type, "fma.rn", 3, plain(fma)));
        check(forms_of(type, "fma.rn.relu", 3,
                       [fma, format](const auto& v) { return rectified(format, fma(v, false)); }));
        if (std::string_view(type.name) == "bf16") continue;
        check(forms_of(type, "fma.rn.ftz", 3, flushing(fma)));
        check(forms_of(type, "fma.rn.sat", 3,
                       [fma, format](const auto& v) { return saturated(format, fma(v, false)); }));
        check(forms_of(type, "fma.rn.ftz.relu", 3,
                       [fma, format](const auto& v) { return rectified(format, fma(v, true)); }));
    }
}

/// A factor of 0x7ff7, of either sign, makes the result 0; an addend, or another NaN, does not.
TEST(Half, FusedMultiplyAddClearsWhatIsOutOfBounds) {
    for (const HalfType& type : kTypes) {
        const FloatFormat format = type.format;
        const auto fma = [format](const auto& v) {
            const auto is_out_of_bounds = [format](Bits factor) {
                return format.magnitude(factor) == 0x7ff7;
            };
            if (is_out_of_bounds(v[0]) || is_out_of_bounds(v[1])) return Bits{0};
            return exact_fma(format, Mode::nearest, v[0], v[1], v[2]);
        };
        const auto relu = [fma, format](const auto& v) { return rectified(format, fma(v)); };
        std::vector<Form> forms = forms_of(type, "fma.rn.oob", 3, fma);
        for (const Form& form : forms_of(type, "fma.rn.oob.relu", 3, relu)) forms.push_back(form);
        for (Form& form : forms) {
            std::vector<Bits> values = edge_values(form.operands[0]);
            for (const Bits nan : {0x7ff7, 0xfff7, 0x7ff6, 0xfff8}) {
                const Bits one = static_cast<Bits>(format.bias()) << format.mantissa_bits;
                const bool packed = width_of(form.operands[0]) == 32;
                values.push_back(packed ? nan | one << 16 : nan);
                if (packed) values.push_back(one | nan << 16);
            }
            form.values = {values, values, values};
        }
        check(forms);
    }
}

/// Around the least normal number, where .ftz asks what rounding yields if exponents have no
/// bounds.
TEST(Half, FlushingLooksAtResultsOfUnboundedExponent) {
    const FlushingOperation fma = [](const auto& v, bool flush) {
        return exact_fma(kF16, Mode::nearest, v[0], v[1], v[2], flush);
    };
    const FlushingOperation multiply = [](const auto& v, bool flush) {
        return exact_mul(kF16, Mode::nearest, v[0], v[1], flush);
    };
    const std::vector<Bits> a{0x3bff, 0x3bfe, 0x3c10, 0x3c20, 0x3c08,
                              0x3bf0, 0x3be0, 0x3bc0, 0xbbff, 0xbc10};
    const std::vector<Bits> b{0x0400, 0x8400, 0x0800, 0x07e0, 0x07f0,
                              0x07c0, 0x07ff, 0x07fe, 0x0410};
    std::vector<Form> forms{forms_of(kTypes[0], "mul.rn.ftz", 2, flushing(multiply))[0],
                            forms_of(kTypes[0], "fma.rn.ftz", 3, flushing(fma))[0]};
    forms[0].values = {a, b};
    forms[1].values = {a, b, {0x0000, 0x8000, 0x0400, 0x8400, 0x0401, 0x8800}};
    forms[1].only_values = {true, true, true};
    check(forms);
}

/// Rounding the product, or the sum to 24 bits before it is rounded to a half, would go wrong on
/// these.
TEST(Half, FusedMultiplyAddOnSumsNearTies) {
    Form f16{
        "fma.rn.f16 $d, $a, $b, $c;", {"f16"}, {"f16", "f16", "f16"}, by_bits([](const auto& v) {
            return exact_fma(kF16, Mode::nearest, v[0], v[1], v[2]);
        })};
    // (1 + 2^-10) (1 + 2^-10) + c; and products just beside half a unit of c.
    f16.values = {{0x3c01, 0x3c03, 0x1001, 0x13ff, 0x0400, 0x0001},
                  {0x3c01, 0x3bff, 0x1001, 0x13fe, 0x0400, 0x0001},
                  {0x6800, 0x6801, 0x2c01, 0x3c00, 0x3c01, 0xbc00, 0x0001, 0x8001, 0x7bff}};
    f16.only_values = {true, true, true};
    Form bf16{
        "fma.rn.bf16 $d, $a, $b, $c;",
        {"bf16"},
        {"bf16", "bf16", "bf16"},
        by_bits([](const auto& v) { return exact_fma(kBf16, Mode::nearest, v[0], v[1], v[2]); })};
    // Products beyond the range of f32 whose sums lie within it, and ties that a tiny addend
    // breaks.
    bf16.values = {{0x7f40, 0x7f7f, 0x3f81, 0x3f80, 0x0080, 0x0001, 0x1f81},
                   {0x4000, 0x3fff, 0x3f81, 0x3f88, 0x0080, 0x1f80, 0x2000},
                   {0xff7f, 0xff40, 0x0001, 0x8001, 0x0080, 0x2000, 0xa000, 0x3f80}};
    bf16.only_values = {true, true, true};
    check({f16, bf16});
}

TEST(Half, MagnitudesAndSignsOfNumbers) {
    for (const HalfType& type : kTypes) {
        const FloatFormat format = type.format;
        // NaN becomes the canonical one, as an H200 has it.
        const auto magnitude = [format](Bits value) {
            return format.is_nan(value) ? format.nan() : format.magnitude(value);
        };
        const auto negated = [format](Bits value) {
            return format.is_nan(value) ? format.nan() : value ^ format.sign();
        };
        check(forms_of(type, "abs", 1, [=](const auto& v) { return magnitude(v[0]); }));
        check(forms_of(type, "neg", 1, [=](const auto& v) { return negated(v[0]); }));
        if (std::string_view(type.name) == "bf16") continue;
        check(forms_of(type, "abs.ftz", 1,
                       [=](const auto& v) { return magnitude(format.flushed(v[0])); }));
        check(forms_of(type, "neg.ftz", 1,
                       [=](const auto& v) { return negated(format.flushed(v[0])); }));
    }
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
                            const Bits result = exact_extremum(format, minimum, nan, v[0], v[1]);
                            return format.is_nan(result) ? result : result | sign;
                        };
                        check(forms_of(
                            type,
                            fmt::format("{}{}{}{}", minimum ? "min" : "max", ftz ? ".ftz" : "",
                                        nan ? ".NaN" : "", xorsign ? ".xorsign.abs" : ""),
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
Judge near_function(FloatFormat format, double (*function)(double), double relative,
                    double absolute, bool ftz) {
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
            const bool overflows =
                convert_exactly(bits_of(exact), kF64, format, Mode::nearest) == got;
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
    judged(kTypes[1], "tanh.approx", near_function(kBf16, tanh, std::exp2(-7), 0, false));
}

}  // namespace
}  // namespace wideload::isa
