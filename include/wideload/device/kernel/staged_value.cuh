// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/detail/bank_swizzle.cuh>
#include <wideload/device/kernel/staged_vector.cuh>
#include <wideload/thread/access.cuh>

#include <cstring>

namespace wideload::WIDELOAD_DETAIL {

/// Words become those `Step` behind them, if they are to.
template <int Step, int Words>
WIDELOAD_DEVICE void move_words(std::uint32_t (&words)[Words], bool moved) {
#pragma unroll
    for (int i = 0; i + Step < Words; ++i) words[i] = moved ? words[i + Step] : words[i];
}

/// The value at any byte of shared memory, by units of `Unit` bytes: those that hold its bytes, and
/// one more where it begins at one.
///
/// @tparam Unit  4, 8 or 16; lanes' bytes have the same place in one
template <class T, int Unit, class Swizzle>
WIDELOAD_DEVICE T get_by_units(const char* staged, unsigned byte, const Swizzle& swizzle) {
    constexpr int kSize = static_cast<int>(sizeof(T)), kUnits = divide_up(kSize, Unit);
    constexpr int kParts = Unit / 4, kWords = divide_up(kSize, 4);
    const unsigned past = byte % Unit, first = byte - past;
    std::uint32_t words[(kUnits + 1) * kParts];
#pragma unroll
    for (int i = 0; i <= kUnits; ++i) {
        const char* place = staged + swizzle.place(first + static_cast<unsigned>(i * Unit));
        if constexpr (Unit > 4) {
            get_staged_vector<Unit>(words + i * kParts, place);
        } else {
            words[i] = *reinterpret_cast<const std::uint32_t*>(place);
        }
    }
    if constexpr (kParts > 2) move_words<2>(words, (past & 8) != 0);
    if constexpr (kParts > 1) move_words<1>(words, (past & 4) != 0);
#pragma unroll
    for (int i = 0; i < kWords; ++i)
        words[i] = __funnelshift_r(words[i], words[i + 1], past % 4 * 8);
    T value;
    std::memcpy(&value, words, sizeof(T));
    return value;
}

}  // namespace wideload::WIDELOAD_DETAIL
