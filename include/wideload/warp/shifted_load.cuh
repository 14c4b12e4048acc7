// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/thread/access.cuh>
#include <wideload/thread/funnel.cuh>

#include <cstring>

namespace wideload::warp {

/// How far a warp's tile is past a multiple of its accesses, the same in all lanes.
struct Misalignment {
    unsigned shift_bytes;  ///< 0: not at all
    bool mid_sector;       ///< whether that multiple is in the second half of a sector

    /// @param access  bytes, a power of two
    static WIDELOAD_HOST_DEVICE Misalignment of(const void* tile, unsigned access) {
        const auto address = reinterpret_cast<std::uintptr_t>(tile);
        const unsigned shift = static_cast<unsigned>(address & (access - 1));
        return {shift, ((address - shift) & (kSectorBytes / 2)) != 0};
    }
};

/// What of a misalignment is known at compile time; -1: nothing. With both, only the parts that
/// cross from one lane to the next are exchanged, and none is selected: in small ranges the selects
/// show. Where `MidSector` is known, the shift is not 0.
///
/// @tparam MidSector  Misalignment::mid_sector
/// @tparam Parts      whole 4-byte parts of the shift
template <int MidSector = -1, int Parts = -1>
struct KnownShift {
    static constexpr int kMidSector = MidSector, kParts = Parts;
};

/// What a lane reads for `load_shifted`, in two steps, so that the loads of several inputs can be
/// in flight together: `fetch` without a branch, `value` the exchange between lanes. The tile may
/// be aligned, too, where nothing is known.
template <class Policy, int Rows, class Known = KnownShift<>>
class ShiftedRows {
public:
    WIDELOAD_DEVICE void fetch(const void* tile, const Misalignment& misaligned, int lane) {
        using Access = wideload::detail::access<Policy>;
        misaligned_ = misaligned;
        // The wide requests start at word 0 or 1, whichever starts a sector.
        const bool from_second = shifted() && mid_sector();
        const char* words = static_cast<const char*>(tile) - misaligned.shift_bytes + 16 * lane;
#pragma unroll
        for (int r = 0; r < Rows; ++r)
            own_[r] = Access::template load<16>(words + r * kRowBytes + (from_second ? 16 : 0));
        odd_ = make_uint4(0, 0, 0, 0);
        if (shifted() && lane == odd_lane(mid_sector())) {
            odd_ =
                Access::template load<16>(words + (from_second ? 0 : (Rows - 1) * kRowBytes + 16));
        }
    }

    WIDELOAD_DEVICE void value(uint4 (&rows)[Rows], int lane) const {
        if (!shifted()) {
#pragma unroll
            for (int r = 0; r < Rows; ++r) rows[r] = own_[r];
        } else if (mid_sector()) {
            shift<true>(rows, lane);
        } else {
            shift<false>(rows, lane);
        }
    }

private:
    static constexpr int kRowBytes = kWarpLanes * 16;
    using Words = std::uint32_t[4];

    WIDELOAD_DEVICE bool shifted() const {
        return Known::kMidSector >= 0 || misaligned_.shift_bytes != 0;
    }
    WIDELOAD_DEVICE bool mid_sector() const {
        return Known::kMidSector >= 0 ? Known::kMidSector != 0 : misaligned_.mid_sector;
    }
    static WIDELOAD_DEVICE int odd_lane(bool mid_sector) { return mid_sector ? 0 : kWarpLanes - 1; }

    /// A lane needs its own word and its neighbour's; across the end of a row that is the next
    /// row's first or the previous row's last word.
    template <bool MidSector>
    WIDELOAD_DEVICE void shift(uint4 (&rows)[Rows], int lane) const {
        const int neighbour = (MidSector ? lane - 1 : lane + 1) & (kWarpLanes - 1);
        Words odd;
        std::memcpy(odd, &odd_, sizeof(odd));
#pragma unroll
        for (int k = 0; k < Rows; ++k) {
            // The row of the odd word first, or the compiler asks for it when the others are there.
            const int r = MidSector ? k : Rows - 1 - k;
            uint4 sent_word = own_[r];
            if (k > 0 && lane == (MidSector ? kWarpLanes - 1 : 0))
                sent_word = own_[k == 0 ? r : MidSector ? r - 1 : r + 1];
            Words own, sent;
            std::memcpy(own, &own_[r], sizeof(own));
            std::memcpy(sent, &sent_word, sizeof(sent));
            std::uint32_t parts[8];  // the lower word's, own or the neighbour's, and the higher's
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                constexpr int kFirst = Known::kParts;
                parts[MidSector ? i + 4 : i] = own[i];
                std::uint32_t other = 0;
                if (kFirst < 0 || (MidSector ? i >= kFirst : i <= kFirst)) {
                    other = __shfl_sync(kFullWarp, sent[i], neighbour);
                    if (k == 0 && lane == odd_lane(MidSector)) other = odd[i];
                }
                parts[MidSector ? i : i + 4] = other;
            }
            rows[r] = shifted_parts(parts);
        }
    }

    WIDELOAD_DEVICE uint4 shifted_parts(const std::uint32_t (&parts)[8]) const {
        if constexpr (Known::kParts < 0) {
            return funnel_shift_bytes(make_uint4(parts[0], parts[1], parts[2], parts[3]),
                                      make_uint4(parts[4], parts[5], parts[6], parts[7]),
                                      misaligned_.shift_bytes);
        } else {
            constexpr int kFirst = Known::kParts;
            const unsigned bits = (misaligned_.shift_bytes & 3) * 8;
            return make_uint4(__funnelshift_r(parts[kFirst], parts[kFirst + 1], bits),
                              __funnelshift_r(parts[kFirst + 1], parts[kFirst + 2], bits),
                              __funnelshift_r(parts[kFirst + 2], parts[kFirst + 3], bits),
                              __funnelshift_r(parts[kFirst + 3], parts[kFirst + 4], bits));
        }
    }

    uint4 own_[Rows], odd_;
    Misalignment misaligned_;
};

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
    ShiftedRows<Policy, Rows> fetched;
    const char* tile = static_cast<const char*>(base) + shift_bytes;
    fetched.fetch(tile, Misalignment::of(tile, 16), lane);
    fetched.value(rows, lane);
}

}  // namespace wideload::warp
