// SPDX-License-Identifier: Apache-2.0
// Floats of 8, 6 and 4 bits (OCP formats), two in 16 bits, or in 8 those of 4 bits.
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "jit/runtime/lane_loop.h"

namespace wideload::jit {
namespace {

/// A format of `kExponentBits` and `kMantissaBits` under a sign. `kLargest` is its greatest number
/// and `kNan` what NaN becomes.
template <unsigned kExponentBits_, unsigned kMantissaBits_, unsigned kLargest_, unsigned kNan_>
struct Format {
    static constexpr unsigned kMantissaBits = kMantissaBits_;
    static constexpr unsigned kWidth = 1 + kExponentBits_ + kMantissaBits_;
    static constexpr int kBias = (1 << (kExponentBits_ - 1)) - 1;
    static constexpr unsigned kLargest = kLargest_;
    static constexpr unsigned kNan = kNan_;
};
using E4M3 = Format<4, 3, 0x7e, 0x7f>;  // no infinities, one NaN
using E5M2 = Format<5, 2, 0x7b, 0x7f>;
using E2M3 = Format<2, 3, 0x1f, 0x1f>;  // neither infinities nor NaN
using E3M2 = Format<3, 2, 0x1f, 0x1f>;
using E2M1 = Format<2, 1, 0x07, 0x07>;

/// Rounds to nearest even; what is too large becomes the largest number.
template <class F>
unsigned encode(float value) {
    if (std::isnan(value)) return F::kNan;
    const unsigned sign = std::signbit(value) ? 1u << (F::kWidth - 1) : 0;
    const double magnitude = std::fabs(static_cast<double>(value));
    // The unit of the last place where the value lies; subnormal numbers share that of the least
    // exponent.
    const int exponent = std::max(std::ilogb(magnitude), 1 - F::kBias);
    if (magnitude == 0 || exponent > 64) return sign | (magnitude == 0 ? 0 : F::kLargest);
    const int unit = exponent - static_cast<int>(F::kMantissaBits);
    const auto steps = static_cast<unsigned>(std::nearbyint(std::ldexp(magnitude, -unit)));
    // A carry out of the mantissa goes into the exponent field, as it should; subnormal numbers
    // have none of the implicit bit.
    const auto field = static_cast<unsigned>(exponent + F::kBias - 1);
    const unsigned bits = (field << F::kMantissaBits) + steps;
    return sign | std::min(bits, F::kLargest);
}

template <class F>
float decode(unsigned bits) {
    const unsigned magnitude = bits & ((1u << (F::kWidth - 1)) - 1);
    const bool negative = (bits >> (F::kWidth - 1) & 1) != 0;
    float value = 0;
    if constexpr (F::kWidth == 8) {
        if (magnitude == F::kNan || (std::is_same_v<F, E5M2> && magnitude > 0x7c)) {
            return std::numeric_limits<float>::quiet_NaN();
        }
        if (std::is_same_v<F, E5M2> && magnitude == 0x7c) {
            return negative ? -INFINITY : INFINITY;
        }
    }
    const unsigned field = magnitude >> F::kMantissaBits;
    const unsigned mantissa = magnitude & ((1u << F::kMantissaBits) - 1);
    const unsigned steps = field == 0 ? mantissa : mantissa | 1u << F::kMantissaBits;
    const int exponent = static_cast<int>(field == 0 ? 1 : field) - F::kBias;
    value = std::ldexp(static_cast<float>(steps), exponent - static_cast<int>(F::kMantissaBits));
    return negative ? -value : value;
}

/// Bits of one element's place in a pair: those of 4 bits share a byte, all others have one each.
template <class F>
constexpr unsigned kPlace = F::kWidth == 4 ? 4 : 8;

template <class F>
void pack(std::uint16_t* result, const float* upper, const float* lower) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        result[lane] = static_cast<std::uint16_t>(encode<F>(upper[lane]) << kPlace<F> |
                                                  encode<F>(lower[lane]));
    }
}

template <class F, unsigned kPart>
void unpack(float* result, const std::uint16_t* pair) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        const unsigned bits = pair[lane] >> (kPart * kPlace<F>);
        result[lane] = decode<F>(bits & ((1u << F::kWidth) - 1));
    }
}

// ue8m0: a power of two by its biased exponent, 0xff for NaN. There is no sign.

template <bool kUp, bool kSatfinite>
unsigned encode_power(float value) {
    constexpr unsigned kNan = 0xff, kLargest = 0xfe;
    if (std::isnan(value)) return kNan;
    const auto bits = std::bit_cast<std::uint32_t>(std::fabs(value));
    if (bits >= 0x7f800000) return kSatfinite ? kLargest : kNan;
    unsigned exponent = bits >> 23;
    if (kUp && (bits & 0x7fffff) != 0) {
        // 2^-127 is the least power, and a subnormal number of f32.
        if (exponent != 0 || (bits & 0x7fffff) > 0x400000) ++exponent;
    }
    return exponent > kLargest ? (kSatfinite ? kLargest : kNan) : exponent;
}

template <bool kUp, bool kSatfinite>
void pack_powers(std::uint16_t* result, const float* upper, const float* lower) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        result[lane] = static_cast<std::uint16_t>(encode_power<kUp, kSatfinite>(upper[lane]) << 8 |
                                                  encode_power<kUp, kSatfinite>(lower[lane]));
    }
}

template <unsigned kPart>
void unpack_powers(float* result, const std::uint16_t* pair) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        const unsigned exponent = pair[lane] >> (8 * kPart) & 0xff;
        result[lane] = exponent == 0xff ? std::numeric_limits<float>::quiet_NaN()
                                        : std::ldexp(1.0f, static_cast<int>(exponent) - 127);
    }
}

}  // namespace

std::span<const Helper> conversion_helpers() {
    static const std::array table = {
        helper("wl_pack_e4m3", &pack<E4M3>),
        helper("wl_pack_e5m2", &pack<E5M2>),
        helper("wl_pack_e2m3", &pack<E2M3>),
        helper("wl_pack_e3m2", &pack<E3M2>),
        helper("wl_pack_e2m1", &pack<E2M1>),
        helper("wl_unpack_e4m3_upper", &unpack<E4M3, 1>),
        helper("wl_unpack_e4m3_lower", &unpack<E4M3, 0>),
        helper("wl_unpack_e5m2_upper", &unpack<E5M2, 1>),
        helper("wl_unpack_e5m2_lower", &unpack<E5M2, 0>),
        helper("wl_unpack_e2m3_upper", &unpack<E2M3, 1>),
        helper("wl_unpack_e2m3_lower", &unpack<E2M3, 0>),
        helper("wl_unpack_e3m2_upper", &unpack<E3M2, 1>),
        helper("wl_unpack_e3m2_lower", &unpack<E3M2, 0>),
        helper("wl_unpack_e2m1_upper", &unpack<E2M1, 1>),
        helper("wl_unpack_e2m1_lower", &unpack<E2M1, 0>),
        helper("wl_pack_ue8m0_rz", &pack_powers<false, false>),
        helper("wl_pack_ue8m0_rz_satfinite", &pack_powers<false, true>),
        helper("wl_pack_ue8m0_rp", &pack_powers<true, false>),
        helper("wl_pack_ue8m0_rp_satfinite", &pack_powers<true, true>),
        helper("wl_unpack_ue8m0_upper", &unpack_powers<1>),
        helper("wl_unpack_ue8m0_lower", &unpack_powers<0>),
    };
    return table;
}

}  // namespace wideload::jit
