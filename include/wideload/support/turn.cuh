// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/support/config.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// A 4 × 4 transpose of bytes, by words, in eight permutations.
WIDELOAD_DEVICE void turn_bytes(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d,
                                std::uint32_t* turned) {
    const std::uint32_t ab_low = __byte_perm(a, b, 0x5140), cd_low = __byte_perm(c, d, 0x5140);
    const std::uint32_t ab_high = __byte_perm(a, b, 0x7362), cd_high = __byte_perm(c, d, 0x7362);
    turned[0] = __byte_perm(ab_low, cd_low, 0x5410);
    turned[1] = __byte_perm(ab_low, cd_low, 0x7632);
    turned[2] = __byte_perm(ab_high, cd_high, 0x5410);
    turned[3] = __byte_perm(ab_high, cd_high, 0x7632);
}

/// A 2 × 2 transpose of 2-byte elements.
WIDELOAD_DEVICE void turn_halves(std::uint32_t a, std::uint32_t b, std::uint32_t* turned) {
    turned[0] = __byte_perm(a, b, 0x5410);
    turned[1] = __byte_perm(a, b, 0x7632);
}

/// Number i becomes what number (i + by) % Count was, `by` below Count and of each lane's own: by
/// selections, as registers have no addresses.
template <int Count, class T>
WIDELOAD_DEVICE void rotate(T (&values)[Count], unsigned by) {
#pragma unroll
    for (int bit = 1; bit < Count; bit *= 2) {
        T rotated[Count];
#pragma unroll
        for (int i = 0; i < Count; ++i)
            rotated[i] = by & bit ? values[(i + bit) % Count] : values[i];
#pragma unroll
        for (int i = 0; i < Count; ++i) values[i] = rotated[i];
    }
}

/// What `__byte_perm` takes to put byte number places[i] of two words at byte i.
WIDELOAD_DEVICE unsigned byte_selector(const int (&places)[4]) {
    return places[0] | places[1] << 4 | places[2] << 8 | places[3] << 12;
}

/// The word of bytes number a, b, c and d, constants, of `words`: a permutation for each word of
/// these but the first, one if that is the only one and no whole one.
template <int Words>
WIDELOAD_DEVICE std::uint32_t gather_bytes(int a, int b, int c, int d,
                                           const std::uint32_t (&words)[Words]) {
    const int word[4] = {a / 4, b / 4, c / 4, d / 4}, byte[4] = {a % 4, b % 4, c % 4, d % 4};
    std::uint32_t gathered = words[word[0]];
    bool one_word = true;
#pragma unroll
    for (int next = 1; next < 4; ++next) {
        bool is_new = true;
        int places[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            if (i < next && word[i] == word[next]) is_new = false;
            places[i] = word[i] == word[next] ? 4 + byte[i] : one_word ? byte[i] : i;
        }
        if (is_new) {
            gathered = __byte_perm(gathered, words[word[next]], byte_selector(places));
            one_word = false;
        }
    }
    if (one_word && byte_selector(byte) != 0x3210)
        gathered = __byte_perm(gathered, 0, byte_selector(byte));
    return gathered;
}

}  // namespace wideload::WIDELOAD_DETAIL
