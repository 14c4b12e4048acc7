// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace wideload::counters {
namespace {

/// 32 lanes of 32-bit integers as native vectors, and what the compiler's vector arithmetic says of
/// them. `Isa` adds what it does not: masks, conversion and the search for equal lanes.
/// @tparam Isa  Part (a vector of int32), kPartLanes, and
///   static uint32_t nonzero(Part): bit per lane whose value is not 0 (a comparison's result),
///   static bool is_progression(const uint64_t* addresses, uint32_t mask, uint64_t start, int64_t
///   stride): whether lane i
///     of the mask's is start + i × stride,
///   static bool load_distances(const uint64_t* addresses, uint32_t mask, uint64_t base, Part*):
///   address − base, 0 for
///     inactive lanes; false where one is not in [−2^30, 2^30),
///   static uint32_t duplicates(const Part*): bit per lane that equals an earlier one,
///   static int32_t least(const Part*), most(const Part*): over all lanes.
template <class Isa>
struct Lanes {
    using Part = typename Isa::Part;
    static constexpr unsigned kParts = 32 / Isa::kPartLanes;
    Part part[kParts];

    /// 0, 1, ... 31
    static inline Lanes iota() {
        Lanes lanes;
        for (unsigned p = 0; p < kParts; ++p) {
            for (unsigned i = 0; i < Isa::kPartLanes; ++i) {
                lanes.part[p][i] = static_cast<std::int32_t>(p * Isa::kPartLanes + i);
            }
        }
        return lanes;
    }

    /// −1 for the lanes of `mask`, else 0.
    static inline Lanes selected(std::uint32_t mask) {
        Lanes lanes = iota();
        for (unsigned p = 0; p < kParts; ++p) {
            const Part bit = 1 << lanes.part[p];
            lanes.part[p] = (bit & static_cast<std::int32_t>(mask)) != 0;
        }
        return lanes;
    }

    template <class F>
    inline Lanes map(F f) const {
        Lanes result;
        for (unsigned p = 0; p < kParts; ++p) {
            result.part[p] = f(part[p]);
        }
        return result;
    }

    /// Bit per lane for which f gives a comparison that holds.
    template <class F>
    inline std::uint32_t where(F f) const {
        std::uint32_t bits = 0;
        for (unsigned p = 0; p < kParts; ++p) {
            bits |= Isa::nonzero(f(part[p])) << (p * Isa::kPartLanes % 32);
        }
        return bits;
    }

    inline std::int32_t operator[](unsigned lane) const {
        return part[lane / Isa::kPartLanes][lane % Isa::kPartLanes];
    }

    inline std::uint32_t equal(std::int32_t value) const {
        return where([=](Part lanes) { return lanes == value; });
    }

    /// Those that equal an earlier one.
    inline std::uint32_t duplicates() const { return Isa::duplicates(part); }
    /// Among the lanes of `mask`, whose values lie below 2^31 − 256, those that equal an earlier
    /// one of them.
    inline std::uint32_t duplicates(std::uint32_t mask) const {
        const Lanes active = selected(mask), lane = iota();
        Lanes lanes;
        for (unsigned p = 0; p < kParts; ++p) {
            lanes.part[p] = active.part[p] ? part[p] : lane.part[p] + 0x7fffff00;
        }
        return lanes.duplicates() & mask;
    }
    /// Distinct values among all 32 lanes.
    inline unsigned distinct() const {
        return 32 - static_cast<unsigned>(__builtin_popcount(duplicates()));
    }
};

}  // namespace
}  // namespace wideload::counters
