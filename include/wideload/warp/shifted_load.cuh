// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/thread/access.cuh>
#include <wideload/thread/funnel.cuh>

#include <cstring>

namespace wideload::warp {

namespace shifted_load_detail {

/// @tparam MidSector  whether word 0 is the second half of a sector
template <class Policy, bool MidSector, int Rows>
WIDELOAD_DEVICE void load(uint4 (&rows)[Rows], const void* base, unsigned shift_bytes, int lane) {
    using Access = wideload::detail::access<Policy>;
    constexpr int kRowBytes = kWarpLanes * 16, kOddLane = MidSector ? 0 : kWarpLanes - 1;
    const char* words = static_cast<const char*>(base) + 16 * lane;
    uint4 own[Rows];
#pragma unroll
    for (int r = 0; r < Rows; ++r)
        own[r] = Access::template load<16>(words + r * kRowBytes + (MidSector ? 16 : 0));
    uint4 odd = make_uint4(0, 0, 0, 0);
    if (lane == kOddLane)
        odd = Access::template load<16>(words + (MidSector ? 0 : (Rows - 1) * kRowBytes + 16));

    // A lane needs its own word and its neighbour's; across the end of a row that is the next row's
    // first or the previous row's last word.
    const int neighbour = (MidSector ? lane - 1 : lane + 1) & (kWarpLanes - 1);
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
        uint4 sent = own[r];
        if (MidSector) {
            if (r > 0 && lane == kWarpLanes - 1) sent = own[r > 0 ? r - 1 : 0];
        } else {
            if (r < Rows - 1 && lane == 0) sent = own[r < Rows - 1 ? r + 1 : r];
        }
        uint4 other;
        other.x = __shfl_sync(kFullWarp, sent.x, neighbour);
        other.y = __shfl_sync(kFullWarp, sent.y, neighbour);
        other.z = __shfl_sync(kFullWarp, sent.z, neighbour);
        other.w = __shfl_sync(kFullWarp, sent.w, neighbour);
        if (lane == kOddLane && r == (MidSector ? 0 : Rows - 1)) other = odd;
        rows[r] =
            funnel_shift_bytes(MidSector ? other : own[r], MidSector ? own[r] : other, shift_bytes);
    }
}

}  // namespace shifted_load_detail

/// `load_shifted` of one row where it is known at compile time whether word 0 is the second half of
/// a sector and by how many whole 4-byte parts the row is shifted: only the parts that cross from
/// one lane to the next are exchanged, and none is selected. In small copies the selects show.
///
/// @tparam MidSector   `base` is an odd multiple of 16
/// @tparam ShiftParts  shift_bytes / 4
template <bool MidSector, int ShiftParts, class Policy = cached>
WIDELOAD_DEVICE uint4 load_shifted_parts(const void* base, unsigned shift_bytes, int lane) {
    using Access = wideload::detail::access<Policy>;
    constexpr int kOddLane = MidSector ? 0 : kWarpLanes - 1;
    const char* word = static_cast<const char*>(base) + 16 * lane;
    std::uint32_t own[4], odd[4] = {}, parts[8];
    const uint4 own_word = Access::template load<16>(word + (MidSector ? 16 : 0));
    std::memcpy(own, &own_word, sizeof(own));
    if (lane == kOddLane) {
        const uint4 odd_word = Access::template load<16>(word + (MidSector ? 0 : 16));
        std::memcpy(odd, &odd_word, sizeof(odd));
    }
    const int neighbour = (MidSector ? lane - 1 : lane + 1) & (kWarpLanes - 1);
    // Parts 0 to 3 are the lower word's, own or the neighbour's, 4 to 7 the higher word's; those
    // from ShiftParts to ShiftParts + 4 are used.
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        parts[MidSector ? i + 4 : i] = own[i];
        std::uint32_t other = 0;
        if (MidSector ? i >= ShiftParts : i <= ShiftParts) {
            other = __shfl_sync(kFullWarp, own[i], neighbour);
            if (lane == kOddLane) other = odd[i];
        }
        parts[MidSector ? i : i + 4] = other;
    }
    const unsigned bits = (shift_bytes & 3) * 8;
    std::uint32_t shifted[4];
#pragma unroll
    for (int i = 0; i < 4; ++i)
        shifted[i] = __funnelshift_r(parts[ShiftParts + i], parts[ShiftParts + i + 1], bits);
    return make_uint4(shifted[0], shifted[1], shifted[2], shifted[3]);
}

/// Lane l receives, in `rows[r]`, the 16 bytes at `base + shift_bytes + 512 * r + 16 * l`, although
/// `base + shift_bytes` is not a multiple of 16.
///
/// The warp reads each of the 32 * Rows + 1 aligned words that hold its bytes once: 32 per request,
/// starting on a sector, and the odd one, first or last, in a request of a single lane. Neighbours
/// then exchange words by shuffle. Nothing outside [base, base + 512 * Rows + 16) is read.
///
/// @param base         a multiple of 16, the same in all lanes
/// @param shift_bytes  1 to 15, the same in all lanes
/// @param lane         this thread's lane; the whole warp must call
/// @tparam Policy      a cache policy with a load
template <class Policy = cached, int Rows>
WIDELOAD_DEVICE void load_shifted(uint4 (&rows)[Rows], const void* base, unsigned shift_bytes,
                                  int lane) {
    // The wide requests start at word 0 or 1, whichever starts a sector.
    if (reinterpret_cast<std::uintptr_t>(base) & (kSectorBytes / 2)) {
        shifted_load_detail::load<Policy, true>(rows, base, shift_bytes, lane);
    } else {
        shifted_load_detail::load<Policy, false>(rows, base, shift_bytes, lane);
    }
}

}  // namespace wideload::warp
