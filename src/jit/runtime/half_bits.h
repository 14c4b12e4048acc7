// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

/// 16-bit floating point as bit patterns, for host code that must run on any x86-64.
namespace wideload::jit {

[[nodiscard]] inline float bf16_to_float(std::uint16_t bits) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

/// Rounds to nearest even; NaN becomes the canonical 0x7fff.
[[nodiscard]] inline std::uint16_t float_to_bf16(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if (value != value) return 0x7fff;
    return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

[[nodiscard]] inline float half_to_float(std::uint16_t bits) {
    const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000) << 16;
    const std::uint32_t magnitude = bits & 0x7fff;
    if (magnitude >= 0x7c00) {  // infinity, NaN
        return std::bit_cast<float>(sign | 0x7f800000 | (magnitude & 0x3ff) << 13);
    }
    // Scaling by 2^112 rebuilds the exponent, of subnormals too.
    const float scaled = std::bit_cast<float>(magnitude << 13) * 0x1p112f;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(scaled) | sign);
}

/// Rounds to nearest even; NaN becomes the canonical 0x7fff.
[[nodiscard]] inline std::uint16_t float_to_half(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000);
    const std::uint32_t magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000) return 0x7fff;
    if (magnitude >= 0x47800000) return sign | 0x7c00;  // 65536 and above
    if (magnitude < 0x38800000) {
        // Subnormal: adding 0.5 puts the last bit of a half's subnormals at the last bit of a
        // float.
        const float rounded = std::bit_cast<float>(magnitude) + 0.5f;
        return static_cast<std::uint16_t>(sign |
                                          (std::bit_cast<std::uint32_t>(rounded) - 0x3f000000));
    }
    const std::uint32_t rounded = magnitude + 0xfff + (magnitude >> 13 & 1);
    return static_cast<std::uint16_t>(sign | ((rounded - 0x38000000) >> 13));
}

/// A 16-byte compare-and-swap; `place` is 16-byte aligned. @return what was found
[[nodiscard]] inline unsigned __int128 compare_exchange_16(unsigned __int128* place,
                                                           unsigned __int128 expected,
                                                           unsigned __int128 next) {
#if defined(__x86_64__)
    auto low = static_cast<std::uint64_t>(expected);
    auto high = static_cast<std::uint64_t>(expected >> 64);
    __asm__ __volatile__("lock cmpxchg16b %2"
                         : "+a"(low), "+d"(high), "+m"(*place)
                         : "b"(static_cast<std::uint64_t>(next)),
                           "c"(static_cast<std::uint64_t>(next >> 64))
                         : "cc", "memory");
    return static_cast<unsigned __int128>(high) << 64 | low;
#else
    __atomic_compare_exchange_n(place, &expected, next, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return expected;
#endif
}

}  // namespace wideload::jit
