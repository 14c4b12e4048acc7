// SPDX-License-Identifier: Apache-2.0
// f16 and bf16: bf16's fused multiply-add, and the conversions that LLVM calls on hosts without
// instructions for them.
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "jit/runtime/half_bits.h"
#include "jit/runtime/lane_loop.h"

namespace wideload::jit {
namespace {

/// `nearest`, where it is not the exact value and its last bit is 0, moved by one unit: toward zero
/// or away from it. Rounding the outcome to fewer bits is as rounding the exact value.
/// All without branches, so that lanes become vectors.
template <class Float, class Integer>
WIDELOAD_INLINE Float make_odd(Float nearest, Integer inexact, Integer toward_zero) {
    const auto bits = std::bit_cast<Integer>(nearest);
    const Integer moves = inexact & ~bits & 1;
    return std::bit_cast<Float>(static_cast<Integer>(bits + moves - 2 * (moves & toward_zero)));
}

WIDELOAD_INLINE float narrow_to_odd(double value) {
    const auto nearest = static_cast<float>(value);
    const double back = nearest;
    const std::uint32_t inexact = (back < value ? 1u : 0u) | (back > value ? 1u : 0u);
    const std::uint32_t toward_zero = std::fabs(back) > std::fabs(value) ? 1u : 0u;
    return make_odd<float, std::uint32_t>(nearest, inexact, toward_zero);
}

WIDELOAD_INLINE std::uint32_t round_to_bf16(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    return value != value ? 0x7fffu : rounded;
}

WIDELOAD_INLINE double bf16_to_double(std::uint32_t bits) {
    return std::bit_cast<float>(bits << 16);
}

/// f64 holds the product exactly; the sum is rounded to odd twice, and then once to nearest.
WIDELOAD_INLINE std::uint32_t multiply_add(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    const double product = bf16_to_double(a) * bf16_to_double(b);
    const double addend = bf16_to_double(c);
    const double sum = product + addend;
    const double addend_part = sum - product;
    const double error = (product - (sum - addend_part)) + (addend - addend_part);
    const std::uint64_t inexact =
        (error < 0 ? std::uint64_t{1} : 0) | (error > 0 ? std::uint64_t{1} : 0);
    const std::uint64_t signs =
        std::bit_cast<std::uint64_t>(sum) ^ std::bit_cast<std::uint64_t>(error);
    return round_to_bf16(narrow_to_odd(make_odd<double, std::uint64_t>(sum, inexact, signs >> 63)));
}

struct MultiplyAddBfloat {
    using Guard = NoGuard;
    static WIDELOAD_INLINE std::uint16_t apply(std::uint16_t a, std::uint16_t b, std::uint16_t c) {
        return static_cast<std::uint16_t>(multiply_add(a, b, c));
    }
};

struct MultiplyAddBfloatPair {
    using Guard = NoGuard;
    static WIDELOAD_INLINE std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
        const std::uint32_t low = multiply_add(a & 0xffff, b & 0xffff, c & 0xffff);
        const std::uint32_t high = multiply_add(a >> 16, b >> 16, c >> 16);
        return high << 16 | low;
    }
};

// The compiler's runtime passes f16 and bf16 in the lower 16 bits of a vector register, which
// _Float16 does too, whatever its bits mean.

float extend_half(_Float16 value) { return half_to_float(std::bit_cast<std::uint16_t>(value)); }

_Float16 truncate_to_half(float value) { return std::bit_cast<_Float16>(float_to_half(value)); }

_Float16 truncate_double_to_half(double value) {
    return std::bit_cast<_Float16>(float_to_half(narrow_to_odd(value)));
}

_Float16 truncate_to_bfloat(float value) {
    return std::bit_cast<_Float16>(static_cast<std::uint16_t>(round_to_bf16(value)));
}

_Float16 truncate_double_to_bfloat(double value) {
    return std::bit_cast<_Float16>(static_cast<std::uint16_t>(round_to_bf16(narrow_to_odd(value))));
}

}  // namespace

std::span<const Helper> half_helpers() {
    using Half = std::uint16_t;
    using Pair = std::uint32_t;
    static const std::array table = {
        helper("wl_fma_bf16", LaneLoop<MultiplyAddBfloat, Half, Half, Half, Half>::best()),
        helper("wl_fma_bf16x2", LaneLoop<MultiplyAddBfloatPair, Pair, Pair, Pair, Pair>::best()),
        helper("__extendhfsf2", &extend_half),
        helper("__truncsfhf2", &truncate_to_half),
        helper("__truncdfhf2", &truncate_double_to_half),
        helper("__truncsfbf2", &truncate_to_bfloat),
        helper("__truncdfbf2", &truncate_double_to_bfloat),
    };
    return table;
}

}  // namespace wideload::jit
