// SPDX-License-Identifier: Apache-2.0
// cvt of pairs of floats of 8, 6 and 4 bits, from and to f32 and halves.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "exact_float.h"
#include "harness.h"

namespace wideload::isa {
namespace {

/// A small float as a list of its numbers: whose index is its bits.
struct SmallFormat {
    const char* name;
    unsigned exponent_bits, mantissa_bits;
    unsigned largest;  ///< bits of its greatest number
    unsigned nan;      ///< what NaN becomes
    unsigned place;    ///< bits that one of a pair takes
    bool needs_sm100;
};
constexpr std::array kSmallFormats{SmallFormat{"e4m3x2", 4, 3, 0x7e, 0x7f, 8, false},
                                   SmallFormat{"e5m2x2", 5, 2, 0x7b, 0x7f, 8, false},
                                   SmallFormat{"e2m3x2", 2, 3, 0x1f, 0x1f, 8, true},
                                   SmallFormat{"e3m2x2", 3, 2, 0x1f, 0x1f, 8, true}};

double small_value(const SmallFormat& format, unsigned magnitude) {
    const unsigned field = magnitude >> format.mantissa_bits;
    const double fraction = std::ldexp(magnitude & ((1u << format.mantissa_bits) - 1),
                                       -static_cast<int>(format.mantissa_bits));
    const int bias = (1 << (format.exponent_bits - 1)) - 1;
    return field == 0 ? std::ldexp(fraction, 1 - bias)
                      : std::ldexp(1 + fraction, static_cast<int>(field) - bias);
}

/// The number that is nearest, of two as near the one with even bits; found by looking at all of
/// them.
unsigned encode(const SmallFormat& format, double value) {
    if (std::isnan(value)) return format.nan;
    const unsigned sign =
        std::signbit(value) ? 1u << (format.exponent_bits + format.mantissa_bits) : 0;
    const double magnitude = std::fabs(value);
    if (magnitude >= small_value(format, format.largest)) return sign | format.largest;
    unsigned best = 0;
    for (unsigned bits = 1; bits <= format.largest; ++bits) {
        const double distance = std::fabs(small_value(format, bits) - magnitude);
        const double least = std::fabs(small_value(format, best) - magnitude);
        if (distance < least || (distance == least && bits % 2 == 0)) best = bits;
    }
    return sign | best;
}

std::vector<Bits> values_near(const SmallFormat& format) {
    std::vector<Bits> values = edge_values("f32");
    for (unsigned bits = 0; bits < format.largest; ++bits) {
        const double low = small_value(format, bits), high = small_value(format, bits + 1);
        for (const double value :
             {low, (low + high) / 2, low * 0.25 + high * 0.75, high * 1.0001}) {
            values.push_back(bits_of(static_cast<float>(value)));
            values.push_back(bits_of(static_cast<float>(-value)));
        }
    }
    return values;
}

/// A pair of floats of 4 bits takes a register of 8, which no other instruction of these has.
constexpr SmallFormat kE2m1{"e2m1x2", 2, 1, 0x7, 0x7, 4, true};

std::vector<SmallFormat> small_formats() {
    std::vector<SmallFormat> formats(kSmallFormats.begin(), kSmallFormats.end());
    formats.push_back(kE2m1);
    return formats;
}

TEST(NarrowConversion, SmallFloatsFromF32) {
    for (const SmallFormat& format : kSmallFormats) {
        for (const bool relu : {false, true}) {
            Form form{fmt::format("cvt.rn.satfinite{}.{}.f32 $d, $a, $b;", relu ? ".relu" : "",
                                  format.name),
                      {"b16"},
                      {"f32", "f32"},
                      by_bits([format, relu](const auto& v) {
                          const auto part = [&](Bits bits) -> Bits {
                              const double value = as_f32(bits);
                              return encode(
                                  format, relu && !(value > 0) && !std::isnan(value) ? 0.0 : value);
                          };
                          return part(v[0]) << format.place | part(v[1]);
                      })};
            form.values = {values_near(format), values_near(format)};
            form.needs_sm100 = format.needs_sm100;
            check({form});
        }
    }
}

TEST(NarrowConversion, SmallFloatsToAndFromHalves) {
    for (const SmallFormat& format : kSmallFormats) {
        Form narrow{fmt::format("cvt.rn.satfinite.{}.f16x2 $d, $a;", format.name),
                    {"b16"},
                    {"f16x2"},
                    by_bits([format](const auto& v) {
                        Bits result = 0;
                        for (const unsigned part : {0u, 1u}) {
                            const Bits half = v[0] >> 16 * part & 0xffff;
                            const double value =
                                as_f32(convert_exactly(half, kF16, kF32, Mode::nearest));
                            result |= Bits{encode(format, value)} << format.place * part;
                        }
                        return result;
                    })};
        Form widen{fmt::format("cvt.rn.f16x2.{} $d, $a;", format.name),
                   {"f16x2"},
                   {"b16"},
                   by_bits([format](const auto& v) {
                       Bits result = 0;
                       for (const unsigned part : {0u, 1u}) {
                           const unsigned width = 1 + format.exponent_bits + format.mantissa_bits;
                           const unsigned bits = v[0] >> format.place * part & ((1u << width) - 1);
                           const unsigned magnitude = bits & ((1u << (width - 1)) - 1);
                           const bool negative = bits >> (width - 1) != 0;
                           double value = small_value(format, magnitude);
                           if (width == 8 && magnitude > format.largest) {
                               // e4m3 has NaN alone beyond its numbers, e5m2 infinity and NaN as
                               // IEEE has.
                               value = magnitude == format.largest + 1 && format.mantissa_bits == 2
                                           ? INFINITY
                                           : NAN;
                           }
                           const Bits half = convert_exactly(bits_of(negative ? -value : value),
                                                             kF64, kF16, Mode::nearest);
                           result |= half << 16 * part;
                       }
                       return result;
                   })};
        widen.needs_sm100 = format.needs_sm100;
        check({widen});
        if (!format.needs_sm100) check({narrow});  // PTX has it for 8 bits alone
    }
}

/// Two numbers as a pair, negative ones as 0 where they are rectified.
Bits encode_pair(const SmallFormat& format, double upper, double lower, bool relu) {
    const auto part = [&](double value) -> Bits {
        return encode(format, relu && !(value > 0) && !std::isnan(value) ? 0.0 : value);
    };
    return part(upper) << format.place | part(lower);
}

double half_value_of(Bits half) {
    return as_f32(convert_exactly(half & 0xffff, kF16, kF32, Mode::nearest));
}

/// The instruction with its pair in $d, or in both halves of it.
std::string with_pair_result(const SmallFormat& format, const std::string& mnemonic,
                             const std::string& sources) {
    if (format.place == 8) return fmt::format("{} $d, {};", mnemonic, sources);
    return fmt::format("{{ .reg .b8 %pair; {} %pair, {}; mov.b16 $d, {{%pair, %pair}}; }}",
                       mnemonic, sources);
}

TEST(NarrowConversion, PairsOfFourBitsFromF32) {
    for (const bool relu : {false, true}) {
        Form form{
            with_pair_result(
                kE2m1, fmt::format("cvt.rn.satfinite{}.e2m1x2.f32", relu ? ".relu" : ""), "$a, $b"),
            {"b16"},
            {"f32", "f32"},
            by_bits([relu](const auto& v) {
                return encode_pair(kE2m1, as_f32(v[0]), as_f32(v[1]), relu) * 0x101;
            })};
        form.values = {values_near(kE2m1), values_near(kE2m1)};
        form.needs_sm100 = true;
        check({form});
    }
}

TEST(NarrowConversion, RectifiedPairsFromHalves) {
    for (const SmallFormat& format : small_formats()) {
        if (format.place == 8 && format.needs_sm100) continue;  // PTX has none of 6 bits
        for (const bool relu : {false, true}) {
            const std::string name =
                fmt::format("cvt.rn.satfinite{}.{}.f16x2", relu ? ".relu" : "", format.name);
            Form form{with_pair_result(format, name, "$a"),
                      {"b16"},
                      {"f16x2"},
                      by_bits([=](const auto& v) {
                          return encode_pair(format, half_value_of(v[0] >> 16), half_value_of(v[0]),
                                             relu) *
                                 (format.place == 8 ? 1 : 0x101);
                      })};
            form.needs_sm100 = format.needs_sm100;
            check({form});
        }
    }
}

TEST(NarrowConversion, RectifiedPairsToHalves) {
    for (const SmallFormat& format : small_formats()) {
        for (const bool relu : {false, true}) {
            const std::string name =
                fmt::format("cvt.rn{}.f16x2.{}", relu ? ".relu" : "", format.name);
            Form form{
                format.place == 8
                    ? name + " $d, $a;"
                    : "{ .reg .b8 %pair; mov.b16 {%pair, _}, $a; " + name + " $d, %pair; }",
                {"f16x2"},
                {"b16"},
                by_bits([=](const auto& v) {
                    Bits result = 0;
                    for (const unsigned part : {0u, 1u}) {
                        const unsigned width = 1 + format.exponent_bits + format.mantissa_bits;
                        const auto bits = static_cast<unsigned>(v[0] >> format.place * part &
                                                                ((1u << width) - 1));
                        const unsigned magnitude = bits & ((1u << (width - 1)) - 1);
                        const bool beyond = width == 8 && magnitude > format.largest;
                        const bool is_nan =
                            beyond && (format.mantissa_bits == 3 || magnitude > format.largest + 1);
                        const double size = beyond ? INFINITY : small_value(format, magnitude);
                        const bool negative = bits >> (width - 1) != 0;
                        if (is_nan) {
                            result |= kF16.nan() << 16 * part;
                        } else if (!relu || !negative) {
                            result |= convert_exactly(bits_of(negative ? -size : size), kF64, kF16,
                                                      Mode::nearest)
                                      << 16 * part;
                        }
                    }
                    return result;
                })};
            form.needs_sm100 = format.needs_sm100;
            check({form});
        }
    }
}

}  // namespace
}  // namespace wideload::isa
