// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/support/config.cuh>

namespace wideload {

/// The 16 bytes that start `shift_bytes` (0 to 15) into the 32 bytes of `low` followed by `high`.
///
/// Two neighbouring aligned 16-byte words hold every misaligned one between them, so data whose
/// source and destination are misaligned differently still moves 16 bytes at a time. Eleven selects
/// and four funnel shifts; `shift_bytes` is best the same in all lanes. Source: the funnel-shift
/// instruction `shf` of the PTX ISA.
WIDELOAD_DEVICE uint4 funnel_shift_bytes(uint4 low, uint4 high, unsigned shift_bytes) {
    std::uint32_t words[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
    const bool by_two = shift_bytes & 8;
#pragma unroll
    for (int i = 0; i < 6; ++i) words[i] = by_two ? words[i + 2] : words[i];
    const bool by_one = shift_bytes & 4;
#pragma unroll
    for (int i = 0; i < 5; ++i) words[i] = by_one ? words[i + 1] : words[i];
    const unsigned bits = (shift_bytes & 3) * 8;
    return make_uint4(
        __funnelshift_r(words[0], words[1], bits), __funnelshift_r(words[1], words[2], bits),
        __funnelshift_r(words[2], words[3], bits), __funnelshift_r(words[3], words[4], bits));
}

}  // namespace wideload
