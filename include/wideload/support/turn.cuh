// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/support/config.cuh>

namespace wideload::detail {

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

}  // namespace wideload::detail
