// SPDX-License-Identifier: Apache-2.0
// cvt to pairs of f16 and bf16, to tf32, and to scales of 8 bits.
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

}  // namespace
}  // namespace wideload::isa
