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

/// How the bytes of a word, those number places[0] to places[3] of other words, come together:
/// `__byte_perm` joins to what has come from the words before the bytes of byte number `next`'s.
struct GatherStep {
    bool is_needed;  ///< that word is none of those before
    unsigned selector;
};
WIDELOAD_HOST_DEVICE constexpr GatherStep gather_step(int next, const int (&places)[4]) {
    bool is_new = true, from_one_word = true;
    for (int i = 0; i < next; ++i) {
        if (places[i] / 4 == places[next] / 4) is_new = false;
        if (places[i] / 4 != places[0] / 4) from_one_word = false;
    }
    unsigned selector = 0;
    for (int i = 0; i < 4; ++i) {
        const bool here = places[i] / 4 == places[next] / 4;
        const int byte = here ? 4 + places[i] % 4 : from_one_word ? places[i] % 4 : i;
        selector |= static_cast<unsigned>(byte) << 4 * i;
    }
    return {is_new, selector};
}

/// The word of the bytes of `words` with these numbers: a permutation for each word of these but
/// the first, one if that is the only one and no whole one.
template <int First, int Second, int Third, int Fourth, int Words>
WIDELOAD_DEVICE std::uint32_t gather_bytes(const std::uint32_t (&words)[Words]) {
    constexpr int kPlaces[4] = {First, Second, Third, Fourth};
    constexpr GatherStep kSecond = gather_step(1, kPlaces), kThird = gather_step(2, kPlaces),
                         kFourth = gather_step(3, kPlaces);
    std::uint32_t gathered = words[kPlaces[0] / 4];
    if constexpr (kSecond.is_needed)
        gathered = __byte_perm(gathered, words[kPlaces[1] / 4], kSecond.selector);
    if constexpr (kThird.is_needed)
        gathered = __byte_perm(gathered, words[kPlaces[2] / 4], kThird.selector);
    if constexpr (kFourth.is_needed)
        gathered = __byte_perm(gathered, words[kPlaces[3] / 4], kFourth.selector);
    constexpr unsigned kOneWord =
        kPlaces[0] % 4 | kPlaces[1] % 4 << 4 | kPlaces[2] % 4 << 8 | kPlaces[3] % 4 << 12;
    constexpr bool kFromOneWord = !kSecond.is_needed && !kThird.is_needed && !kFourth.is_needed;
    if constexpr (kFromOneWord && kOneWord != 0x3210) gathered = __byte_perm(gathered, 0, kOneWord);
    return gathered;
}

}  // namespace wideload::WIDELOAD_DETAIL
