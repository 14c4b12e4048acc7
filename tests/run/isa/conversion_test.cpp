// SPDX-License-Identifier: Apache-2.0
// cvt among integers and f16, bf16, f32, f64, in every rounding. Integers are compared as 80-bit
// floating point, which holds all of 64 bits and every f64.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "exact_float.h"
#include "harness.h"

namespace wideload::isa {
namespace {

struct IntegerType {
    const char* name;
    unsigned width;
    bool is_signed;

    [[nodiscard]] __int128 lowest() const { return is_signed ? -(__int128{1} << (width - 1)) : 0; }
    [[nodiscard]] __int128 highest() const {
        return (__int128{1} << (is_signed ? width - 1 : width)) - 1;
    }
    /// What the type's bits of a register mean.
    [[nodiscard]] __int128 value(Bits bits) const {
        __int128 value = bits & static_cast<Bits>((static_cast<unsigned __int128>(1) << width) - 1);
        if (is_signed && value > highest()) value -= __int128{1} << width;
        return value;
    }
    /// Registers are wider than 8 bits, and take the sign along.
    [[nodiscard]] std::string register_type() const {
        return width == 8 ? (is_signed ? "s32" : "u32") : name;
    }
    [[nodiscard]] unsigned register_width() const { return width == 8 ? 32 : width; }
    [[nodiscard]] Bits bits(__int128 value) const {
        return static_cast<Bits>(value) &
               static_cast<Bits>((static_cast<unsigned __int128>(1) << register_width()) - 1);
    }
};
constexpr std::array kIntegers{IntegerType{"u8", 8, false},   IntegerType{"s8", 8, true},
                               IntegerType{"u16", 16, false}, IntegerType{"s16", 16, true},
                               IntegerType{"u32", 32, false}, IntegerType{"s32", 32, true},
                               IntegerType{"u64", 64, false}, IntegerType{"s64", 64, true}};

struct FloatType {
    const char* name;
    FloatFormat format;
};
constexpr std::array kFloats{FloatType{"f16", kF16}, FloatType{"bf16", kBf16},
                             FloatType{"f32", kF32}, FloatType{"f64", kF64}};

bool is(const FloatType& type, std::string_view name) { return type.name == name; }

Form form(const std::string& mnemonic, const std::string& to, const std::string& from,
          Operation operation) {
    return {mnemonic + " $d, $a;", {to}, {from}, by_bits(std::move(operation))};
}

TEST(Conversion, AmongIntegers) {
    std::vector<Form> forms;
    for (const IntegerType& to : kIntegers) {
        for (const IntegerType& from : kIntegers) {
            forms.push_back(form(fmt::format("cvt.{}.{}", to.name, from.name), to.register_type(),
                                 from.register_type(), [to, from](const auto& v) {
                                     const auto cut = static_cast<Bits>(from.value(v[0]));
                                     return to.bits(to.value(cut));
                                 }));
            // PTX has no .sat where nothing can exceed the range.
            if (from.lowest() >= to.lowest() && from.highest() <= to.highest()) continue;
            forms.push_back(
                form(fmt::format("cvt.sat.{}.{}", to.name, from.name), to.register_type(),
                     from.register_type(), [to, from](const auto& v) {
                         return to.bits(std::clamp(from.value(v[0]), to.lowest(), to.highest()));
                     }));
        }
    }
    check(forms);
}

/// An integer's magnitude fits in 64 bits.
Bits integer_as_float(__int128 value, FloatFormat format, Mode mode) {
    const auto magnitude = static_cast<std::uint64_t>(value < 0 ? -value : value);
    return Exact(value < 0, magnitude, 0).round(format, mode);
}

TEST(Conversion, FromIntegersToFloats) {
    for (const FloatType& to : kFloats) {
        std::vector<Form> forms;
        for (const IntegerType& from : kIntegers) {
            if (is(to, "bf16") && from.width == 8) continue;  // PTX has none
            for (const Mode mode : kModes) {
                forms.push_back(
                    form(fmt::format("cvt.{}.{}.{}", ptx_name(mode), to.name, from.name), to.name,
                         from.register_type(), [to, from, mode](const auto& v) {
                             return integer_as_float(from.value(v[0]), to.format, mode);
                         }));
            }
            if (is(to, "bf16")) continue;
            forms.push_back(form(fmt::format("cvt.rn.sat.{}.{}", to.name, from.name), to.name,
                                 from.register_type(), [to, from](const auto& v) {
                                     return saturated(to.format,
                                                      integer_as_float(from.value(v[0]), to.format,
                                                                       Mode::nearest));
                                 }));
        }
        check(forms);
    }
}

struct IntegerRounding {
    const char* name;
    long double (*round)(long double);
};
constexpr std::array kIntegerRoundings{
    IntegerRounding{"rni", [](long double x) { return std::rint(x); }},
    IntegerRounding{"rzi", [](long double x) { return std::trunc(x); }},
    IntegerRounding{"rmi", [](long double x) { return std::floor(x); }},
    IntegerRounding{"rpi", [](long double x) { return std::ceil(x); }}};

/// Any number of any format; f64 holds all of them.
long double value_of(Bits bits, FloatFormat format) {
    if (format.width() == 64) return as_f64(bits);
    return as_f32(convert_exactly(bits, format, kF32, Mode::nearest));
}

Bits to_integer(Bits bits, const FloatType& from, const IntegerType& to,
                const IntegerRounding& rounding) {
    if (from.format.is_nan(bits)) {
        const bool is_zero = !is(from, "f64") && to.width < 64;
        return is_zero ? 0 : to.bits(to.value(Bits{1} << (to.width - 1)));
    }
    const long double value = rounding.round(value_of(bits, from.format));
    if (value < static_cast<long double>(to.lowest())) return to.bits(to.lowest());
    if (value > static_cast<long double>(to.highest())) return to.bits(to.highest());
    return to.bits(static_cast<__int128>(value));
}

/// Ties and the ends of every integer type, beside the edge values of the format.
std::vector<Bits> boundary_values(const FloatType& type) {
    std::vector<Bits> values = edge_values(type.name);
    for (const int exponent : {0, 1, 3, 7, 8, 15, 16, 22, 23, 31, 32, 52, 63, 64}) {
        for (const double offset : {-1.0, -0.5, -0.25, 0.0, 0.25, 0.5, 1.0, 1.5, 2.5}) {
            for (const double sign : {1.0, -1.0}) {
                const double value = sign * (std::ldexp(1.0, exponent) + offset);
                values.push_back(convert_exactly(bits_of(value), kF64, type.format, Mode::nearest));
            }
        }
    }
    return values;
}

TEST(Conversion, FromFloatsToIntegers) {
    for (const FloatType& from : kFloats) {
        std::vector<Form> forms;
        for (const IntegerType& to : kIntegers) {
            for (const IntegerRounding& rounding : kIntegerRoundings) {
                for (const char* modifier : {"", ".ftz", ".sat"}) {
                    const bool ftz = std::string_view(modifier) == ".ftz";
                    if (ftz && !is(from, "f32")) continue;
                    // Neither 8 bits nor .sat stand beside bf16.
                    if (is(from, "bf16") && (to.width == 8 || *modifier != 0)) continue;
                    forms.push_back(form(
                        fmt::format("cvt.{}{}.{}.{}", rounding.name, modifier, to.name, from.name),
                        to.register_type(), from.name, [from, to, rounding, ftz](const auto& v) {
                            const Bits value = ftz ? kF32.flushed(v[0]) : v[0];
                            return to_integer(value, from, to, rounding);
                        }));
                    forms.back().values = {boundary_values(from)};
                }
            }
        }
        check(forms);
    }
}

TEST(Conversion, RoundingToIntegersWithinAType) {
    for (const FloatType& type : kFloats) {
        std::vector<Form> forms;
        for (const IntegerRounding& rounding : kIntegerRoundings) {
            for (const bool sat : {false, true}) {
                for (const bool ftz : {false, true}) {
                    if (ftz && !is(type, "f32")) continue;
                    if (is(type, "bf16")) continue;  // PTX has none
                    forms.push_back(
                        form(fmt::format("cvt.{}{}{}.{}.{}", rounding.name, ftz ? ".ftz" : "",
                                         sat ? ".sat" : "", type.name, type.name),
                             type.name, type.name, [=](const auto& v) {
                                 const Bits input = ftz ? type.format.flushed(v[0]) : v[0];
                                 Bits result = type.format.nan();
                                 if (!type.format.is_nan(input)) {
                                     const auto value = static_cast<double>(
                                         rounding.round(value_of(input, type.format)));
                                     result = is(type, "f64")
                                                  ? bits_of(value)
                                                  : convert_exactly(bits_of(value), kF64,
                                                                    type.format, Mode::nearest);
                                 }
                                 return sat ? saturated(type.format, result) : result;
                             }));
                    forms.back().values = {boundary_values(type)};
                    if (!is(type, "f32")) forms.back().judge = any_nan(type.name);
                }
            }
        }
        check(forms);
    }
}

/// Neighbours of values that the narrower format holds, and of those half-way between them.
std::vector<Bits> near_values_of(const FloatType& from, FloatFormat to) {
    std::vector<Bits> values = edge_values(from.name);
    for (const Bits edge : {Bits{0}, Bits{1}, Bits{2}, to.infinity() - 1, to.infinity() - 2,
                            Bits{1} << to.mantissa_bits, (Bits{1} << to.mantissa_bits) - 1,
                            static_cast<Bits>(to.bias()) << to.mantissa_bits}) {
        const double low = as_f64(convert_exactly(edge, to, kF64, Mode::nearest));
        const double unit =
            std::ldexp(1.0, std::max(std::ilogb(std::max(low, 1e-300)), 1 - to.bias()) -
                                static_cast<int>(to.mantissa_bits));
        for (const double part : {0.0, 0.125, 0.25, 0.5, 0.625, 0.75, 0.875, 1.0}) {
            const Bits bits =
                convert_exactly(bits_of(low + part * unit), kF64, from.format, Mode::nearest);
            if (from.format.is_infinite(bits)) continue;
            for (const Bits neighbour : {bits - 1, bits, bits + 1}) {
                values.push_back(from.format.magnitude(neighbour));
                values.push_back(from.format.magnitude(neighbour) | from.format.sign());
            }
        }
    }
    return values;
}

/// A quiet NaN with what has room of the sign and the payload of an f64's.
Bits narrowed_nan(Bits f64) { return f64 >> 63 << 31 | 0x7fc00000 | (f64 >> 29 & 0x3fffff); }

TEST(Conversion, ToNarrowerFloats) {
    for (const FloatType& from : kFloats) {
        for (const FloatType& to : kFloats) {
            const bool narrows = to.format.width() < from.format.width();
            const bool crosses = to.format.width() == from.format.width() && !is(to, from.name);
            if (!narrows && !crosses) continue;
            std::vector<Form> forms;
            for (const Mode mode : kModes) {
                for (const char* modifier :
                     {"", ".sat", ".relu", ".satfinite", ".relu.satfinite", ".ftz"}) {
                    const std::string_view m(modifier);
                    const bool from_f32_to_half = is(from, "f32") && to.format.width() == 16;
                    if (m != "" && crosses) continue;
                    if (m == ".sat" && is(to, "bf16")) continue;
                    if (m == ".ftz" && !is(from, "f32") && !is(to, "f32")) continue;
                    if (m == ".ftz" && is(to, "bf16")) continue;
                    if (m.starts_with(".relu") || m.starts_with(".satfinite")) {
                        if (!from_f32_to_half || mode == Mode::down || mode == Mode::up) continue;
                    }
                    const auto convert = [=](const std::vector<Bits>& v) -> Bits {
                        const FloatFormat format = to.format;
                        // To f16, .ftz changes nothing: an H200 rounds subnormal numbers as they
                        // are.
                        Bits result = convert_exactly(v[0], from.format, format, mode,
                                                      m == ".ftz" && is(to, "f32"));
                        if (is(to, "f32") && kF64.is_nan(v[0])) result = narrowed_nan(v[0]);
                        if (m == ".sat") result = saturated(format, result);
                        if (m.starts_with(".relu") && format.is_negative(result)) result = 0;
                        if (m.ends_with("satfinite") && format.is_infinite(result)) --result;
                        return result;
                    };
                    forms.push_back(form(
                        fmt::format("cvt.{}{}.{}.{}", ptx_name(mode), modifier, to.name, from.name),
                        to.name, from.name, convert));
                    forms.back().values = {near_values_of(from, to.format)};
                    // Only from f32 is a NaN always the canonical one.
                    if (!is(from, "f32") && !is(to, "f32")) forms.back().judge = any_nan(to.name);
                }
            }
            check(forms);
        }
    }
}

TEST(Conversion, ToWiderFloats) {
    std::vector<Form> forms;
    for (const FloatType& from : kFloats) {
        for (const FloatType& to : kFloats) {
            if (to.format.width() <= from.format.width()) continue;
            for (const char* modifier : {"", ".sat", ".ftz"}) {
                const std::string_view m(modifier);
                if (m == ".ftz" && !(is(from, "f32") || is(to, "f32"))) continue;
                if (m != "" && is(from, "bf16")) continue;
                forms.push_back(form(fmt::format("cvt{}.{}.{}", modifier, to.name, from.name),
                                     to.name, from.name, [=](const auto& v) {
                                         const bool flush = m == ".ftz" && is(from, "f32");
                                         Bits result =
                                             convert_exactly(flush ? kF32.flushed(v[0]) : v[0],
                                                             from.format, to.format, Mode::nearest);
                                         // bf16 is the upper half of f32, NaN or not.
                                         if (is(from, "bf16") && is(to, "f32")) result = v[0] << 16;
                                         return m == ".sat" ? saturated(to.format, result) : result;
                                     }));
                if (!is(to, "f32")) forms.back().judge = any_nan(to.name);
            }
        }
    }
    check(forms);
}

TEST(Conversion, WithinOneFormat) {
    std::vector<Form> forms;
    for (const FloatType& type : kFloats) {
        if (is(type, "bf16")) continue;
        forms.push_back(form(fmt::format("cvt.sat.{}.{}", type.name, type.name), type.name,
                             type.name,
                             [type](const auto& v) { return saturated(type.format, v[0]); }));
    }
    forms.push_back(form("cvt.ftz.f32.f32", "f32", "f32", [](const auto& v) {
        return kF32.is_nan(v[0]) ? kF32.nan() : kF32.flushed(v[0]);
    }));
    check(forms);
}

}  // namespace
}  // namespace wideload::isa
