// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/thread/access.cuh>
#include <wideload/thread/funnel.cuh>

namespace wideload::warp {

/// Lane l receives the 16 bytes at `base + shift_bytes + 16 * l`, although `base + shift_bytes` is not a multiple of 16.
///
/// The warp reads the 33 aligned words that hold its 512 bytes, each once: 32 in one request that starts on a sector, and
/// one in a request of a single lane; neighbours exchange words by shuffle. So 17 sectors move for 512 bytes, and nothing
/// outside [base, base + 528) is read.
///
/// @param base         a multiple of 16, the same in all lanes
/// @param shift_bytes  1 to 15, the same in all lanes
/// @param lane         this thread's lane; the whole warp must call
/// @tparam Policy      a cache policy with a load
template <class Policy = cached>
WIDELOAD_DEVICE uint4 load_shifted(const void* base, unsigned shift_bytes, int lane) {
    using Access = detail::access<Policy>;
    const char* words = static_cast<const char*>(base);
    // The wide request covers words 0..31 or 1..32, whichever starts on a sector; the odd word is first or last.
    const bool starts_mid_sector = reinterpret_cast<std::uintptr_t>(base) & 16;
    const uint4 own = Access::template load<16>(words + 16 * (lane + (starts_mid_sector ? 1 : 0)));
    const int odd_lane = starts_mid_sector ? 0 : kWarpLanes - 1;
    uint4 odd = make_uint4(0, 0, 0, 0);
    if (lane == odd_lane) odd = Access::template load<16>(words + (starts_mid_sector ? 0 : 16 * kWarpLanes));
    const int neighbour = starts_mid_sector ? lane - 1 : lane + 1;
    uint4 other;
    other.x = __shfl_sync(kFullWarp, own.x, neighbour & 31);
    other.y = __shfl_sync(kFullWarp, own.y, neighbour & 31);
    other.z = __shfl_sync(kFullWarp, own.z, neighbour & 31);
    other.w = __shfl_sync(kFullWarp, own.w, neighbour & 31);
    if (lane == odd_lane) other = odd;
    return starts_mid_sector ? funnel_shift_bytes(other, own, shift_bytes)
                             : funnel_shift_bytes(own, other, shift_bytes);
}

}  // namespace wideload::warp
