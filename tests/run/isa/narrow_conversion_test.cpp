// SPDX-License-Identifier: Apache-2.0
// cvt to pairs of f16 and bf16, tf32, floats of 8 bits and fewer.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "exact_float.h"
#include "harness.h"

namespace wideload::isa {
namespace {

TEST(NarrowConversion, TwoFloatsToAPair) {
    std::vector<Form> forms;
    for (const auto& [type, format] : {std::pair{"f16", kF16}, std::pair{"bf16", kBf16}}) {
        for (const Mode mode : {Mode::nearest, Mode::toward_zero}) {
            for (const char* modifier : {"", ".relu", ".satfinite", ".relu.satfinite"}) {
                const std::string_view m(modifier);
                const auto part = [=](Bits value) {
                    Bits result = convert_exactly(value, kF32, format, mode);
                    if (m.starts_with(".relu") && format.is_negative(result)) result = 0;
                    if (m.ends_with("satfinite") && format.is_infinite(result)) --result;
                    return result;
                };
                forms.push_back(
                    {fmt::format("cvt.{}{}.{}x2.f32 $d, $a, $b;", ptx_name(mode), modifier, type),
                     {fmt::format("{}x2", type)},
                     {"f32", "f32"},
                     by_bits([part](const auto& v) { return part(v[0]) << 16 | part(v[1]); })});
            }
        }
    }
    check(forms);
}

/// f32 with 10 bits of mantissa kept; ties as `away` says.
Bits to_tf32(Bits value, bool nearest, bool away) {
    if (kF32.is_nan(value)) return 0x7fffe000;
    if (kF32.is_infinite(value)) return value;
    constexpr FloatFormat kTf32{8, 10};
    Bits result = convert_exactly(value, kF32, kTf32, nearest ? Mode::nearest : Mode::toward_zero);
    // A tie lies exactly half a unit above what truncation keeps.
    if (away && (value & 0x1fff) == 0x1000) {
        result =
            convert_exactly(value, kF32, kTf32, kF32.is_negative(value) ? Mode::down : Mode::up);
    }
    return result << 13;
}

TEST(NarrowConversion, Tf32) {
    std::vector<Form> forms;
    struct Rounding {
        const char* name;
        bool nearest, away;
    };
    for (const Rounding& rounding :
         {Rounding{"rna", true, true}, Rounding{"rn", true, false}, Rounding{"rz", false, false}}) {
        for (const char* modifier : {"", ".relu", ".satfinite"}) {
            const std::string_view m(modifier);
            const bool is_rna = std::string_view(rounding.name) == "rna";
            if (is_rna && m == ".relu") continue;
            forms.push_back({fmt::format("cvt.{}{}.tf32.f32 $d, $a;", rounding.name, modifier),
                             {"b32"},
                             {"f32"},
                             by_bits([=](const auto& v) {
                                 Bits result = to_tf32(v[0], rounding.nearest, rounding.away);
                                 if (m == ".relu" && kF32.is_negative(result)) result = 0;
                                 const bool infinite = kF32.is_infinite(result);
                                 return m == ".satfinite" && infinite ? result - 0x2000 : result;
                             })});
            forms.back().values = {{0x3f800fff, 0x3f801000, 0x3f801001, 0x3f803000, 0xbf801000,
                                    0x7f7fffff, 0x7f7ff000, 0x7f7fefff, 0xff7ff000, 0x00000fff,
                                    0x00001000, 0x00001001, 0x80001000, 0x007ff000, 0x7f800000,
                                    0xff800000, 0x7fc00000, 0xffffffff, 0x00000000, 0x80000000}};
            // .rna passes a NaN's payload on.
            if (is_rna) forms.back().judge = any_nan("f32");
            forms.back().needs_sm100 = m == ".satfinite" && !is_rna;
        }
    }
    check(forms);
}

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

/// The scale of 8 bits that a number's magnitude lies at, or above it.
Bits scale_of(double value, bool up, bool satfinite) {
    value = std::fabs(value);
    if (std::isnan(value)) return 0xff;
    if (std::isinf(value)) return satfinite ? 0xfe : 0xff;
    int exponent = -127;
    while (exponent < 127 && std::ldexp(1.0, exponent + 1) <= value) ++exponent;
    if (up && std::ldexp(1.0, exponent) < value) ++exponent;
    if (exponent > 127) return satfinite ? 0xfe : 0xff;
    return static_cast<Bits>(exponent + 127);
}

TEST(NarrowConversion, ScalesOfEightBits) {
    for (const bool up : {false, true}) {
        for (const bool satfinite : {false, true}) {
            Form form{fmt::format("cvt.{}{}.ue8m0x2.f32 $d, $a, $b;", up ? "rp" : "rz",
                                  satfinite ? ".satfinite" : ""),
                      {"b16"},
                      {"f32", "f32"},
                      by_bits([=](const auto& v) {
                          const auto part = [=](Bits bits) {
                              return scale_of(as_f32(bits), up, satfinite);
                          };
                          return part(v[0]) << 8 | part(v[1]);
                      })};
            form.needs_sm100 = true;
            check({form});
        }
    }
    Form widen{"cvt.rn.bf16x2.ue8m0x2 $d, $a;", {"bf16x2"}, {"b16"}, by_bits([](const auto& v) {
                   Bits result = 0;
                   for (const unsigned part : {0u, 1u}) {
                       const auto bits = static_cast<int>(v[0] >> 8 * part & 0xff);
                       const double value = bits == 0xff ? NAN : std::ldexp(1.0, bits - 127);
                       result |= convert_exactly(bits_of(value), kF64, kBf16, Mode::nearest)
                                 << 16 * part;
                   }
                   return result;
               })};
    widen.needs_sm100 = true;
    check({widen});
}

TEST(NarrowConversion, ScalesOfPairs) {
    for (const bool up : {false, true}) {
        for (const bool satfinite : {false, true}) {
            Form form{fmt::format("cvt.{}{}.ue8m0x2.bf16x2 $d, $a;", up ? "rp" : "rz",
                                  satfinite ? ".satfinite" : ""),
                      {"b16"},
                      {"bf16x2"},
                      by_bits([=](const auto& v) {
                          const auto part = [=](Bits half) {
                              return scale_of(as_f32(half << 16), up, satfinite);
                          };
                          return part(v[0] >> 16) << 8 | part(v[0] & 0xffff);
                      })};
            form.needs_sm100 = true;
            check({form});
        }
    }
}

TEST(NarrowConversion, RectifiedAndClampedTf32) {
    for (const bool nearest : {true, false}) {
        Form form{fmt::format("cvt.{}.relu.satfinite.tf32.f32 $d, $a;", nearest ? "rn" : "rz"),
                  {"b32"},
                  {"f32"},
                  by_bits([=](const auto& v) {
                      const Bits result = to_tf32(v[0], nearest, false);
                      if (kF32.is_negative(result)) return Bits{0};
                      return kF32.is_infinite(result) ? result - 0x2000 : result;
                  })};
        form.needs_sm100 = true;
        check({form});
    }
}

/// A pair of floats of 4 bits takes a register of 8, which no other instruction of these has.
constexpr SmallFormat kE2m1{"e2m1x2", 2, 1, 0x7, 0x7, 4, true};

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

std::vector<SmallFormat> small_formats() {
    std::vector<SmallFormat> formats(kSmallFormats.begin(), kSmallFormats.end());
    formats.push_back(kE2m1);
    return formats;
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
