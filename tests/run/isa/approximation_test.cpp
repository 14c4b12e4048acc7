// SPDX-License-Identifier: Apache-2.0
// Approximations of f32 and f64 against libm's in higher precision, within the errors that the PTX
// manual allows; zeros, infinities and NaN exactly as its tables say.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "exact_float.h"
#include "harness.h"

namespace wideload::isa {
namespace {

using Function = std::function<double(double, double)>;
/// The largest error where the exact result is `exact` and the first operand `a`.
using Bound = std::function<double(double exact, double a)>;

Bound relative(double error) {
    return [error](double exact, double) { return error * std::fabs(exact); };
}

/// As the exact value rounded to f32 where that is zero, infinite or NaN, else within the bound. A
/// result that the form cannot hold without .ftz's flush is a zero.
Judge near(const Function& function, const Bound& bound, bool ftz) {
    return [=](const std::vector<Bits>& operands, Bits, Bits actual) -> std::optional<std::string> {
        std::vector<double> values;
        for (const Bits operand : operands) {
            values.push_back(as_f32(ftz ? kF32.flushed(operand) : operand));
        }
        values.push_back(0);
        const double exact = function(values[0], values[1]);
        Bits rounded = convert_exactly(bits_of(exact), kF64, kF32, Mode::nearest);
        if (kF32.is_nan(rounded)) {
            return actual == kF32.nan() ? std::nullopt
                                        : std::optional<std::string>("not the NaN of f32");
        }
        if (ftz && kF32.is_subnormal(actual)) return "a subnormal number";
        if (ftz) rounded = kF32.flushed(rounded);
        if (actual == rounded) return std::nullopt;
        const double result = as_f32(actual);
        constexpr double kLeastUnit = 0x1p-149;
        const double unit = ftz ? 0x1p-126 : kLeastUnit;
        const bool special = exact == 0 || std::isinf(exact) || std::isinf(result);
        if (!special && std::fabs(result - exact) <=
                            bound(exact, values[0]) + (std::fabs(exact) < 0x1p-125 ? unit : 0)) {
            return std::nullopt;
        }
        return fmt::format("({:.9g} against {:.9g})", result, exact);
    };
}

Bits nothing(const std::vector<Bits>&) { return 0; }

/// The f32 form with and without .ftz.
void check_unary(const std::string& mnemonic, const Function& function, const Bound& bound,
                 bool has_ftz = true, std::vector<Bits> values = {}) {
    std::vector<Form> forms;
    for (const bool ftz : {false, true}) {
        if (ftz && !has_ftz) continue;
        forms.push_back({fmt::format("{}{}.f32 $d, $a;", mnemonic, ftz ? ".ftz" : ""),
                         {"f32"},
                         {"f32"},
                         by_bits(nothing)});
        forms.back().judge = near(function, bound, ftz);
        if (!values.empty()) forms.back().values = {values};
    }
    check(forms);
}

/// Numbers of ordinary size: random bits are mostly huge or tiny.
std::vector<Bits> ordinary_values(double low, double high) {
    std::vector<Bits> values{0x00000000, 0x80000000, 0x00000001, 0x807fffff, 0x7f800000, 0xff800000,
                             0x7fc00000, 0x7fffffff, 0xffc00000, 0x7f7fffff, 0xff7fffff};
    constexpr int kCount = 3000;
    for (int i = 0; i <= kCount; ++i) {
        values.push_back(bits_of(static_cast<float>(low + (high - low) * i / kCount)));
    }
    return values;
}

TEST(Approximation, Reciprocal) {
    const Function exact = [](double a, double) { return 1 / a; };
    check_unary("rcp.approx", exact, relative(0x1p-23));
    check_unary("rcp.approx", exact, relative(0x1p-23), true, ordinary_values(1, 2));
}

TEST(Approximation, SquareRoots) {
    const Function root = [](double a, double) { return std::sqrt(a); };
    const Function inverse = [](double a, double) { return 1 / std::sqrt(a); };
    check_unary("sqrt.approx", root, relative(0x1p-23));
    check_unary("sqrt.approx", root, relative(0x1p-23), true, ordinary_values(1, 4));
    check_unary("rsqrt.approx", inverse, relative(std::exp2(-22.9)));
    check_unary("rsqrt.approx", inverse, relative(std::exp2(-22.9)), true, ordinary_values(1, 4));
}

TEST(Approximation, PowersOfTwo) {
    const Function exact = [](double a, double) { return std::exp2(a); };
    check_unary("ex2.approx", exact, relative(0x1p-22));
    check_unary("ex2.approx", exact, relative(0x1p-22), true, ordinary_values(-152, 130));
    check_unary("ex2.approx", exact, relative(0x1p-22), true, ordinary_values(-1, 1));
}

TEST(Approximation, Logarithms) {
    const Function exact = [](double a, double) { return std::log2(a); };
    const Bound bound = [](double logarithm, double a) {
        return a > 0.5 && a < 2 ? 0x1p-22 : 0x1p-22 * std::fabs(logarithm);
    };
    check_unary("lg2.approx", exact, bound);
    check_unary("lg2.approx", exact, bound, true, ordinary_values(0.4, 2.1));
    check_unary("lg2.approx", exact, bound, true, ordinary_values(0.99, 1.01));
}

/// Beyond 100 pi the manual promises nothing.
Bound of_angle() {
    return [](double, double a) {
        constexpr double kPi = 3.14159265358979323846;
        const double turn = std::fabs(a) / (2 * kPi);
        return turn <= 1 ? std::exp2(-20.5) : turn <= 50 ? std::exp2(-14.7) : 2.0;
    };
}

TEST(Approximation, SineAndCosine) {
    const Function sine = [](double a, double) { return std::sin(a); };
    const Function cosine = [](double a, double) { return std::cos(a); };
    for (const double range : {1.0, 6.3, 314.0}) {
        check_unary("sin.approx", sine, of_angle(), true, ordinary_values(-range, range));
        check_unary("cos.approx", cosine, of_angle(), true, ordinary_values(-range, range));
    }
}

TEST(Approximation, HyperbolicTangent) {
    const Function exact = [](double a, double) { return std::tanh(a); };
    check_unary("tanh.approx", exact, relative(0x1p-11), false);
    check_unary("tanh.approx", exact, relative(0x1p-11), false, ordinary_values(-9, 9));
}

TEST(Approximation, Quotients) {
    const Function exact = [](double a, double b) { return a / b; };
    const Bound two_ulps = [](double quotient, double) {
        int exponent = 0;
        std::frexp(quotient, &exponent);
        return 2 * std::ldexp(1.0, std::max(exponent - 24, -149));
    };
    std::vector<Form> forms;
    for (const bool ftz : {false, true}) {
        forms.push_back({fmt::format("div.full{}.f32 $d, $a, $b;", ftz ? ".ftz" : ""),
                         {"f32"},
                         {"f32", "f32"},
                         by_bits(nothing)});
        forms.back().judge = near(exact, two_ulps, ftz);
        forms.push_back({fmt::format("div.approx{}.f32 $d, $a, $b;", ftz ? ".ftz" : ""),
                         {"f32"},
                         {"f32", "f32"},
                         by_bits(nothing)});
        // Divisors beyond 2^126 count as infinite.
        const Function limited = [](double a, double b) {
            return a / (std::fabs(b) > 0x1p126 ? std::copysign(INFINITY, b) : b);
        };
        // The bound is for divisors of 2^-126 and more.
        forms.back().judge = [judge = near(limited, two_ulps, ftz)](
                                 const std::vector<Bits>& operands, Bits expected,
                                 Bits actual) -> std::optional<std::string> {
            if (kF32.is_subnormal(operands[1])) return std::nullopt;
            return judge(operands, expected, actual);
        };
    }
    check(forms);
}

/// The least error that 20 bits of mantissa allow, and nothing below the upper 32 bits.
Judge near_upper_half(double (*function)(double)) {
    return [function](const std::vector<Bits>& operands, Bits,
                      Bits actual) -> std::optional<std::string> {
        const Bits operand = kF64.flushed(operands[0] & 0xffff'ffff'0000'0000);
        const double exact = function(as_f64(operand));
        if (std::isnan(exact)) {
            return kF64.is_nan(actual) ? std::nullopt : std::optional<std::string>("not NaN");
        }
        if ((actual & 0xffff'ffff) != 0) return "the lower half is not zero";
        const Bits flushed = kF64.flushed(bits_of(exact));
        const double result = as_f64(actual);
        if (actual == flushed) return std::nullopt;
        if (std::isfinite(exact) && std::fabs(result - exact) <= 0x1p-19 * std::fabs(exact)) {
            return std::nullopt;
        }
        return fmt::format("({:.17g} against {:.17g})", result, exact);
    };
}

TEST(Approximation, OfF64) {
    Form reciprocal{"rcp.approx.ftz.f64 $d, $a;", {"f64"}, {"f64"}, by_bits(nothing)};
    reciprocal.judge = near_upper_half([](double a) { return 1 / a; });
    Form root{"rsqrt.approx.ftz.f64 $d, $a;", {"f64"}, {"f64"}, by_bits(nothing)};
    root.judge = near_upper_half([](double a) { return 1 / std::sqrt(a); });
    Form precise{"rsqrt.approx.f64 $d, $a;", {"f64"}, {"f64"}, by_bits([](const auto& v) {
                     return bits_of(static_cast<double>(
                         1 / std::sqrt(static_cast<long double>(as_f64(v[0])))));
                 })};
    precise.judge = [](const std::vector<Bits>&, Bits expected,
                       Bits actual) -> std::optional<std::string> {
        if (expected == actual || (kF64.is_nan(expected) && kF64.is_nan(actual)))
            return std::nullopt;
        const double want = as_f64(expected), got = as_f64(actual);
        if (std::isfinite(want) && std::fabs(got - want) <= 0x1p-50 * std::fabs(want))
            return std::nullopt;
        return fmt::format("({:.17g} against {:.17g})", got, want);
    };
    check({reciprocal, root, precise});
}

}  // namespace
}  // namespace wideload::isa
