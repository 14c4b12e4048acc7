// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/support/integer.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// An order of the bytes within every 128 of shared memory in which lanes at one distance from each
/// other, and lanes that follow one another, meet in no bank.
///
/// Lanes a distance of 2^s × odd units apart agree in the low s bits of a unit's number, and those
/// that agree in its bank differ by odd multiples of a row of banks: the low s bits of that row's
/// number tell them apart, so they are XORed into the unit's. Source: XOR swizzles as in NVIDIA's
/// CUTLASS.
struct BankSwizzle {
    unsigned shift = 0, mask = 0;

    /// @param unit    bytes of an access: 4, 8 or 16
    /// @param stride  bytes between lanes, a multiple of `unit`
    static WIDELOAD_HOST_DEVICE constexpr BankSwizzle for_stride(unsigned unit, unsigned stride) {
        const unsigned banks = kLineBytes / unit, power = lowest_power_of_two(stride / unit);
        unsigned shift = 0;
        while ((1u << shift) < (power > banks ? power : banks)) ++shift;
        return {shift, ((power < banks ? power : banks) - 1) * unit};
    }

    /// What a byte's place is XORed with, the same for all bytes of a line.
    WIDELOAD_DEVICE unsigned turn(unsigned byte) const { return byte >> shift & mask; }
    WIDELOAD_DEVICE unsigned place(unsigned byte) const { return byte ^ turn(byte); }
};

/// The swizzle for lanes at such a distance that access units of `unit` bytes.
WIDELOAD_HOST_DEVICE constexpr BankSwizzle lane_swizzle(unsigned unit, unsigned stride) {
    const unsigned access = unit > 4 ? unit : 4;
    return stride <= 4 || stride % access != 0 ? BankSwizzle{}
                                               : BankSwizzle::for_stride(access, stride);
}

/// A swizzle that is known when a kernel is compiled.
template <unsigned Shift, unsigned Mask>
struct FixedSwizzle {
    static constexpr bool kMovesSectors = Mask >= kSectorBytes;
    WIDELOAD_DEVICE unsigned turn(unsigned byte) const { return byte >> Shift & Mask; }
    WIDELOAD_DEVICE unsigned place(unsigned byte) const { return byte ^ turn(byte); }
};

/// The word of 16 bytes whose 4-byte parts trade places as XORing their places with `turn` does.
WIDELOAD_DEVICE uint4 turned_word(uint4 word, unsigned turn) {
    if (turn & 4) word = {word.y, word.x, word.w, word.z};
    if (turn & 8) word = {word.z, word.w, word.x, word.y};
    return word;
}

/// Puts the 16 bytes that belong at `byte`, a multiple of 16, of swizzled memory.
template <class Swizzle>
WIDELOAD_DEVICE void put_word(char* staged, unsigned byte, const uint4& word,
                              const Swizzle& swizzle) {
    const unsigned turn = swizzle.turn(byte), inside = turn % kWideBytes;
    *reinterpret_cast<uint4*>(staged + (byte ^ (turn - inside))) = turned_word(word, inside);
}

/// Gets them.
template <class Swizzle>
WIDELOAD_DEVICE uint4 get_word(const char* staged, unsigned byte, const Swizzle& swizzle) {
    const unsigned turn = swizzle.turn(byte), inside = turn % kWideBytes;
    return turned_word(*reinterpret_cast<const uint4*>(staged + (byte ^ (turn - inside))), inside);
}

}  // namespace wideload::WIDELOAD_DETAIL
