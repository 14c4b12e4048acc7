// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "exact_float.h"
#include "harness.h"

namespace wideload::isa {
namespace {

float f32(Bits bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }

/// f32 whose distance from the expectation is at most bound(expectation).
template <class Bound>
Judge within_f32(Bound bound) {
    return [bound](const std::vector<Bits>&, Bits expected_bits,
                   Bits actual_bits) -> std::optional<std::string> {
        const float expected = f32(expected_bits), actual = f32(actual_bits);
        if (std::isnan(expected) && std::isnan(actual)) return std::nullopt;
        if (expected == actual) return std::nullopt;
        const double error = std::fabs(static_cast<double>(actual) - expected);
        if (std::isfinite(expected) && std::isfinite(actual) && error <= bound(expected)) {
            return std::nullopt;
        }
        return fmt::format("({:g} against {:g})", actual, expected);
    };
}

double ulp_of(float value) {
    const float magnitude = std::max(std::fabs(value), std::numeric_limits<float>::min());
    return static_cast<double>(std::nextafter(magnitude, INFINITY)) - magnitude;
}

FloatFormat format_of(std::string_view type) {
    if (type.starts_with("bf16")) return kBf16;
    if (type.starts_with("f16")) return kF16;
    return type == "f64" ? kF64 : kF32;
}

}  // namespace

Judge within_ulps_f32(double ulps) {
    return within_f32([ulps](float expected) { return ulps * ulp_of(expected); });
}

Judge within_relative_f32(double error) {
    return within_f32([error](float expected) { return error * std::fabs(expected); });
}

Judge within_absolute_f32(double error) {
    return within_f32([error](float) { return error; });
}

Judge any_nan(std::string_view type) {
    const FloatFormat format = format_of(type);
    const unsigned parts = type.ends_with("x2") ? 2 : 1;
    return [format, parts](const std::vector<Bits>&, Bits expected,
                           Bits actual) -> std::optional<std::string> {
        const unsigned width = format.width();
        const Bits ones = width == 64 ? ~Bits{0} : (Bits{1} << width) - 1;
        for (unsigned part = 0; part < parts; ++part) {
            const Bits e = expected >> (part * width) & ones;
            const Bits a = actual >> (part * width) & ones;
            if (e != a && !(format.is_nan(e) && format.is_nan(a))) return std::string();
        }
        return std::nullopt;
    };
}

}  // namespace wideload::isa
