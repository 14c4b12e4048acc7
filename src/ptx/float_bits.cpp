// SPDX-License-Identifier: Apache-2.0
#include "ptx/float_bits.h"

#include <bit>

namespace wideload::ptx {
namespace {

constexpr unsigned kMantissaBits = 52;
constexpr std::uint64_t kMantissaMask = (std::uint64_t{1} << kMantissaBits) - 1;
constexpr int kExponentMask = 0x7ff;
constexpr int kBias = 1023;

struct Format {
    unsigned exponent_bits, mantissa_bits;
};

/// `value >> shift`, rounded to nearest, ties to even.
std::uint64_t shift_right_rounded(std::uint64_t value, unsigned shift) {
    if (shift == 0) return value;
    if (shift > 63) return 0;
    const std::uint64_t rest = value & ((std::uint64_t{1} << shift) - 1);
    const std::uint64_t half = std::uint64_t{1} << (shift - 1);
    const std::uint64_t kept = value >> shift;
    return kept + (rest > half || (rest == half && (kept & 1) != 0) ? 1 : 0);
}

std::uint64_t narrow(std::uint64_t bits, Format format) {
    const std::uint64_t sign = bits >> 63 << (format.exponent_bits + format.mantissa_bits);
    const int exponent = static_cast<int>(bits >> kMantissaBits) & kExponentMask;
    const std::uint64_t mantissa = bits & kMantissaMask;
    const unsigned dropped = kMantissaBits - format.mantissa_bits;
    const std::uint64_t infinity = ((std::uint64_t{1} << format.exponent_bits) - 1)
                                   << format.mantissa_bits;
    if (exponent == kExponentMask) {
        const std::uint64_t payload = mantissa >> dropped;
        return sign | infinity | (mantissa != 0 && payload == 0 ? 1 : payload);
    }
    const int bias = (1 << (format.exponent_bits - 1)) - 1;
    const int target = exponent - kBias + bias;
    if (target >= static_cast<int>((1U << format.exponent_bits) - 1)) return sign | infinity;
    const std::uint64_t significand = mantissa | (exponent == 0 ? 0 : kMantissaMask + 1);
    if (target <= 0) {
        return sign | shift_right_rounded(significand, dropped + static_cast<unsigned>(1 - target));
    }
    // A carry out of the mantissa moves into the exponent, up to infinity, as it should.
    return sign | (shift_right_rounded(significand, dropped) +
                   (static_cast<std::uint64_t>(target - 1) << format.mantissa_bits));
}

}  // namespace

std::uint64_t widen_to_binary64(std::uint32_t binary32) {
    const std::uint64_t sign = std::uint64_t{binary32 >> 31} << 63;
    const std::uint64_t mantissa = std::uint64_t{binary32 & 0x7fffffU} << 29;
    if ((binary32 >> 23 & 0xff) == 0xff) return sign | std::uint64_t{0x7ff} << 52 | mantissa;
    return std::bit_cast<std::uint64_t>(static_cast<double>(std::bit_cast<float>(binary32)));
}

std::uint64_t narrow_from_binary64(std::uint64_t binary64, Type type) {
    switch (type) {
        case Type::f16:
            return narrow(binary64, {5, 10});
        case Type::bf16:
            return narrow(binary64, {8, 7});
        case Type::f32:
            return narrow(binary64, {8, 23});
        default:
            return binary64;
    }
}

}  // namespace wideload::ptx
