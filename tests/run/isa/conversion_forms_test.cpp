// SPDX-License-Identifier: Apache-2.0
// cvt with the roundings and modifiers that other tests leave out.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "exact_float.h"
#include "harness.h"
#include "together.h"

namespace wideload::isa {
namespace {

struct ConvertedInteger {
    const char* name;
    unsigned width;
    bool is_signed;

    [[nodiscard]] std::string register_type() const {
        return width == 8 ? (is_signed ? "s32" : "u32") : name;
    }
    [[nodiscard]] __int128 value(Bits bits) const {
        const Bits ones = ~Bits{0} >> (64 - width);
        const __int128 magnitude = bits & ones;
        return is_signed && (bits >> (width - 1) & 1) != 0 ? magnitude - ones - 1 : magnitude;
    }
    [[nodiscard]] long double lowest() const {
        return is_signed ? -std::ldexp(1.0L, static_cast<int>(width) - 1) : 0;
    }
    [[nodiscard]] long double highest() const {
        return std::ldexp(1.0L, static_cast<int>(width) - (is_signed ? 1 : 0)) - 1;
    }
};
constexpr std::array kConvertedIntegers{
    ConvertedInteger{"u8", 8, false},   ConvertedInteger{"s8", 8, true},
    ConvertedInteger{"u16", 16, false}, ConvertedInteger{"s16", 16, true},
    ConvertedInteger{"u32", 32, false}, ConvertedInteger{"s32", 32, true},
    ConvertedInteger{"u64", 64, false}, ConvertedInteger{"s64", 64, true}};

Form conversion(const std::string& mnemonic, const std::string& to, const std::string& from,
                Operation operation) {
    return {mnemonic + " $d, $a;", {to}, {from}, by_bits(std::move(operation))};
}

/// No integer is a subnormal number, so .ftz changes nothing.
TEST(ConversionForms, OfIntegersToFloats) {
    for (const auto& [to, format] :
         {std::pair{"f16", kF16}, std::pair{"f32", kF32}, std::pair{"f64", kF64}}) {
        for (const ConvertedInteger& from : kConvertedIntegers) {
            std::vector<Form> forms;
            for (const Mode mode : kModes) {
                for (const bool ftz : {false, true}) {
                    if (ftz && format.width() != 32) continue;
                    for (const bool sat : {false, true}) {
                        forms.push_back(conversion(
                            fmt::format("cvt.{}{}{}.{}.{}", ptx_name(mode), ftz ? ".ftz" : "",
                                        sat ? ".sat" : "", to, from.name),
                            to, from.register_type(), [=, wide = format](const auto& v) {
                                const __int128 value = from.value(v[0]);
                                const auto size =
                                    static_cast<std::uint64_t>(value < 0 ? -value : value);
                                const Bits result = Exact(value < 0, size, 0).round(wide, mode);
                                return sat ? saturated(wide, result) : result;
                            }));
                    }
                }
            }
            check(together(forms));
        }
    }
}

struct TowardsInteger {
    const char* name;
    long double (*round)(long double);
};
constexpr std::array kTowardsInteger{
    TowardsInteger{"rni", [](long double x) { return std::rint(x); }},
    TowardsInteger{"rzi", [](long double x) { return std::trunc(x); }},
    TowardsInteger{"rmi", [](long double x) { return std::floor(x); }},
    TowardsInteger{"rpi", [](long double x) { return std::ceil(x); }}};

/// .sat changes nothing: what is out of range is clamped without it as well.
TEST(ConversionForms, OfF32ToIntegers) {
    for (const ConvertedInteger& to : kConvertedIntegers) {
        std::vector<Form> forms;
        for (const TowardsInteger& rounding : kTowardsInteger) {
            forms.push_back(conversion(
                fmt::format("cvt.{}.ftz.sat.{}.f32", rounding.name, to.name), to.register_type(),
                "f32", [=](const auto& v) -> Bits {
                    const Bits ones = ~Bits{0} >> (64 - std::max(to.width, 32u));
                    const Bits mask = to.width == 16 ? 0xffff : ones;
                    if (kF32.is_nan(v[0])) return to.width < 64 ? 0 : Bits{1} << 63;
                    const long double value = std::clamp(rounding.round(as_f32(kF32.flushed(v[0]))),
                                                         to.lowest(), to.highest());
                    return static_cast<Bits>(static_cast<__int128>(value)) & mask;
                }));
        }
        check(together(forms));
    }
}

TEST(ConversionForms, WithinOneFormat) {
    std::vector<Form> forms{
        conversion("cvt.ftz.sat.f32.f32", "f32", "f32",
                   [](const auto& v) { return saturated(kF32, kF32.flushed(v[0])); }),
        conversion("cvt.f32.f32", "f32", "f32", [](const auto& v) { return v[0]; }),
        conversion("cvt.f16.f16", "f16", "f16", [](const auto& v) { return v[0]; }),
        conversion("cvt.bf16.bf16", "bf16", "bf16", [](const auto& v) { return v[0]; }),
        conversion("cvt.f64.f64", "f64", "f64", [](const auto& v) { return v[0]; })};
    for (Form& form : forms) form.judge = any_nan(form.results[0]);
    check(forms);
    std::vector<Form> rounded;
    for (const TowardsInteger& rounding : kTowardsInteger) {
        rounded.push_back(conversion(
            fmt::format("cvt.{}.bf16.bf16", rounding.name), "bf16", "bf16", [=](const auto& v) {
                if (kBf16.is_nan(v[0])) return kBf16.nan();
                const Bits wide = convert_exactly(v[0], kBf16, kF32, Mode::nearest);
                const auto value = static_cast<float>(rounding.round(as_f32(wide)));
                return convert_exactly(bits_of(value), kF32, kBf16, Mode::nearest);
            }));
        rounded.back().judge = any_nan("bf16");
    }
    check(rounded);
}

/// Widening is exact, whichever rounding is written.
TEST(ConversionForms, ToWiderFloats) {
    std::vector<Form> to_f32, to_f64;
    for (const char* rounding : {"", ".rn", ".rz", ".rm", ".rp"}) {
        // bf16 is the upper half of f32.
        for (const char* ftz : {"", ".ftz"}) {
            const bool flush = *ftz != 0;
            to_f32.push_back(conversion(fmt::format("cvt{}{}.f32.bf16", rounding, ftz), "f32",
                                        "bf16", [flush](const auto& v) {
                                            const Bits wide = v[0] << 16;
                                            return flush ? kF32.flushed(wide) : wide;
                                        }));
        }
        to_f64.push_back(conversion(
            fmt::format("cvt{}.f64.bf16", rounding), "f64", "bf16",
            [](const auto& v) { return convert_exactly(v[0], kBf16, kF64, Mode::nearest); }));
    }
    to_f32 = together(to_f32);
    to_f64 = together(to_f64);
    for (Form& form : to_f32) form.judge = any_nan("f32");
    for (Form& form : to_f64) form.judge = any_nan("f64");
    check(to_f32);
    check(to_f64);
    check({conversion("cvt.ftz.sat.f32.f16", "f32", "f16",
                      [](const auto& v) {
                          return saturated(kF32, convert_exactly(v[0], kF16, kF32, Mode::nearest));
                      }),
           conversion("cvt.ftz.sat.f64.f32", "f64", "f32", [](const auto& v) {
               return saturated(kF64,
                                convert_exactly(kF32.flushed(v[0]), kF32, kF64, Mode::nearest));
           })});
}

/// An H200 rounds subnormal numbers to f16 as they are whatever .ftz says; to bf16 it flushes them.
TEST(ConversionForms, ToNarrowerFloats) {
    std::vector<Form> from_f32, from_f64;
    for (const Mode mode : kModes) {
        const auto narrowed = [mode](FloatFormat to, bool sat) {
            return [=](const std::vector<Bits>& v) {
                const Bits result = convert_exactly(v[0], kF32, to, mode);
                return sat ? saturated(to, result) : result;
            };
        };
        const char* name = ptx_name(mode);
        from_f32.push_back(conversion(fmt::format("cvt.{}.ftz.f16.f32", name), "f16", "f32",
                                      narrowed(kF16, false)));
        from_f32.push_back(conversion(fmt::format("cvt.{}.ftz.sat.f16.f32", name), "f16", "f32",
                                      narrowed(kF16, true)));
        from_f32.push_back(conversion(
            fmt::format("cvt.{}.ftz.bf16.f32", name), "bf16", "f32", [mode](const auto& v) {
                return convert_exactly(kF32.flushed(v[0]), kF32, kBf16, mode);
            }));
        from_f64.push_back(conversion(
            fmt::format("cvt.{}.ftz.sat.f32.f64", name), "f32", "f64", [mode](const auto& v) {
                return saturated(kF32, convert_exactly(v[0], kF64, kF32, mode, true));
            }));
    }
    check(together(from_f32));
    check(together(from_f64));
}

}  // namespace
}  // namespace wideload::isa
