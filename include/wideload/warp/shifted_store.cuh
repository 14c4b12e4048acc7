// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/thread/access.cuh>
#include <wideload/thread/funnel.cuh>
#include <wideload/warp/exchange.cuh>

namespace wideload::warp {

namespace shifted_store_detail {

/// @tparam MidSector  whether `base` is in the second half of a sector: wide requests then start
/// one word later, so that they start at one
template <bool MidSector, class Policy, int Rows>
WIDELOAD_DEVICE void store(char* base, unsigned shift_bytes, const uint4 (&rows)[Rows], int lane) {
    using Access = wideload::detail::access<Policy>;
    constexpr int kEdgeLane = MidSector ? kWarpLanes - 1 : 0;
    constexpr int kEdgeRow = MidSector ? Rows - 1 : 0;
    constexpr int kStep = MidSector ? 1 : -1;  // to the lane and row with the rest of a word
    uint4 edge{};
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
        const bool crosses = lane == kWarpLanes - 1 - kEdgeLane;
        const uint4 sent = crosses ? rows[(r + kStep + Rows) % Rows] : rows[r];
        const uint4 other = exchange_detail::shuffle(sent, (lane + kStep) & (kWarpLanes - 1));
        const uint4 word = MidSector ? funnel_shift_bytes(rows[r], other, 16 - shift_bytes)
                                     : funnel_shift_bytes(other, rows[r], 16 - shift_bytes);
        if (r == kEdgeRow) edge = word;
        if (r != kEdgeRow || lane != kEdgeLane) {
            Access::template store<16>(
                base + (r * kWarpLanes + lane + (MidSector ? 1 : 0)) * kWideBytes, word);
        }
    }
    // The edge word holds what the tile has of the word that it ends in, then of its first.
    edge = exchange_detail::shuffle(edge, kEdgeLane);
    const std::uint32_t part =
        lane & 8 ? (lane & 4 ? edge.w : edge.z) : (lane & 4 ? edge.y : edge.x);
    char* const place =
        base + lane +
        (static_cast<unsigned>(lane) < shift_bytes ? Rows * kWarpLanes * kWideBytes : 0);
    if (lane < kWideBytes)
        Access::template store<1>(place, static_cast<std::uint8_t>(part >> lane % 4 * 8));
}

}  // namespace shifted_store_detail

/// Stores the 16 bytes `rows[r]` of lane l at `base + shift_bytes + 512 * r + 16 * l`, although
/// `base + shift_bytes` is not a multiple of 16: the inverse of `load_shifted`.
///
/// Neighbours exchange words by shuffle; the warp then writes each aligned word that lies inside
/// its bytes as such, 32 per request, starting on a sector, and of the two at the ends, the rest of
/// which others may hold, its own bytes alone, in one request. Nothing outside [base + shift_bytes,
/// base + shift_bytes + 512 * Rows) is written.
///
/// @param base         a multiple of 16, the same in all lanes
/// @param shift_bytes  1 to 15, the same in all lanes; rows at a multiple of 16 are stored as such
/// @param lane         this thread's lane; the whole warp must call
/// @tparam Policy      a cache policy with a store
template <class Policy = cached, int Rows>
WIDELOAD_DEVICE void store_shifted(const uint4 (&rows)[Rows], void* base, unsigned shift_bytes,
                                   int lane) {
    char* const bytes = static_cast<char*>(base);
    const bool mid_sector = reinterpret_cast<std::uintptr_t>(base) & (kSectorBytes / 2);
    if (mid_sector) {
        shifted_store_detail::store<true, Policy>(bytes, shift_bytes, rows, lane);
    } else {
        shifted_store_detail::store<false, Policy>(bytes, shift_bytes, rows, lane);
    }
}

}  // namespace wideload::warp
