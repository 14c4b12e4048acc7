// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/detail/bank_swizzle.cuh>
#include <wideload/device/detail/held_shared.cuh>
#include <wideload/thread/access.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// The order of bytes that needs no swizzle.
using NoSwizzle = FixedSwizzle<0, 0>;

/// A range of memory and its place in shared memory, from a line on: as far into a word of 16 bytes
/// as in memory.
///
/// @tparam Aligned  whether it begins at a word and is whole ones
/// @tparam Byte     char, const where it is read
template <bool Aligned, class Byte>
class SlippedRange {
public:
    WIDELOAD_DEVICE SlippedRange(Byte* first, unsigned bytes)
        : slip_(Aligned
                    ? 0
                    : static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(first) % kWideBytes)),
          first_word_(first - slip_),
          end_(slip_ + bytes) {}

    /// The places of its first byte and of the one behind it.
    WIDELOAD_DEVICE unsigned begin() const { return slip_; }
    WIDELOAD_DEVICE unsigned end() const { return end_; }
    WIDELOAD_DEVICE Byte* at(unsigned place) const { return first_word_ + place; }
    /// Whether all of a word belongs to it.
    WIDELOAD_DEVICE bool has_word(unsigned place) const {
        return Aligned ? place < end_ : place >= slip_ && place + kWideBytes <= end_;
    }
    /// Whether any of it does, of a word from place 0 on.
    WIDELOAD_DEVICE bool reaches_into(unsigned place) const { return place < end_; }
    /// Whether the unit at byte `unit` of a word that belongs to it in part is its own, and the
    /// unit's place: of edge 0, the word that it begins within, or 1, that it ends within but does
    /// not begin.
    WIDELOAD_DEVICE bool has_edge_unit(unsigned edge, unsigned unit, unsigned* place) const {
        const unsigned last = end_ - end_ % kWideBytes;
        const bool begins = slip_ != 0, ends = end_ != last && !(begins && last == 0);
        *place = (edge == 0 ? 0 : last) + unit;
        return unit < kWideBytes && (edge == 0 ? begins : ends) && *place >= slip_ && *place < end_;
    }

    /// Calls `move(at_end, place)` for each unit of the range's that lies in no whole word of
    /// `Word` bytes.
    template <int Unit, unsigned Word, class Move>
    WIDELOAD_DEVICE void for_ends(Move move) const {
        if constexpr (!Aligned) {
            const unsigned unit = threadIdx.x * Unit;
            if (unit < (0u - slip_) % Word) move(false, slip_ + unit);
            if (unit < end_ % Word) move(true, end_ / Word * Word + unit);
        }
    }

    /// Calls `move(place)` for each unit of both edges: a warp for each, so that no lanes meet in a
    /// bank.
    template <int Unit, class Move>
    WIDELOAD_DEVICE void for_edges(Move move) const {
        if constexpr (!Aligned) {
            const unsigned unit = threadIdx.x % kWarpLanes * Unit, warps = blockDim.x / kWarpLanes;
            for (unsigned edge = threadIdx.x / kWarpLanes; edge < 2; edge += warps) {
                unsigned place;
                if (has_edge_unit(edge, unit, &place)) move(place);
            }
        }
    }

private:
    unsigned slip_;
    Byte* first_word_;
    unsigned end_;
};

/// The matrices of a block: as many as its plan says, or what is left of all.
template <bool Aligned>
struct BlockMatrices {
    unsigned count;
    SlippedRange<Aligned, const char> input;
    SlippedRange<Aligned, char> output;
};
template <bool Aligned, class Plan>
WIDELOAD_DEVICE BlockMatrices<Aligned> block_matrices(const Plan& plan) {
    const std::size_t first = static_cast<std::size_t>(blockIdx.x) * plan.matrices_per_block;
    const std::size_t left = plan.matrices - first;
    const unsigned count =
        left < plan.matrices_per_block ? static_cast<unsigned>(left) : plan.matrices_per_block;
    const unsigned bytes = count * plan.matrix_bytes;
    return {count,
            {plan.input + first * plan.matrix_bytes, bytes},
            {plan.output + first * plan.matrix_bytes, bytes}};
}

/// Which words of a range are read whole, and which others by units: those of the range alone.
struct OwnWords {
    static constexpr bool kLeaves = true;  ///< whether there are others
    template <class Range>
    WIDELOAD_DEVICE bool takes(const Range& range, unsigned place) const {
        return range.has_word(place);
    }
    template <class Range>
    WIDELOAD_DEVICE bool leaves(const Range&, unsigned) const {
        return true;
    }
};

/// All words that a range reaches into are read whole.
struct ReachedWords {
    static constexpr bool kLeaves = false;
    static constexpr int kBatch = 4;  ///< so many of a thread are in flight
    template <class Range>
    WIDELOAD_DEVICE bool takes(const Range& range, unsigned place) const {
        return range.reaches_into(place);
    }
};

/// So far as they lie inside what may be read.
struct ReachedWordsInside {
    static constexpr bool kLeaves = true;
    static constexpr int kBatch = 2;
    const char *begin, *end;

    /// Of these elements.
    template <class T>
    static WIDELOAD_DEVICE ReachedWordsInside of(const T* elements, std::size_t count) {
        return {reinterpret_cast<const char*>(elements),
                reinterpret_cast<const char*>(elements + count)};
    }
    template <class Range>
    WIDELOAD_DEVICE bool takes(const Range& range, unsigned place) const {
        return range.reaches_into(place) && is_inside(range.at(place));
    }
    template <class Range>
    WIDELOAD_DEVICE bool leaves(const Range& range, unsigned place) const {
        return !is_inside(range.at(place - place % kWideBytes));
    }
    /// Whether all words that a range reaches into are there.
    template <class Range>
    WIDELOAD_DEVICE bool hold(const Range& range) const {
        return range.at(0) >= begin && range.at(range.end() + kWideBytes) <= end;
    }

private:
    WIDELOAD_DEVICE bool is_inside(const char* word) const {
        return word >= begin && word + kWideBytes <= end;
    }
};

/// To shared memory; what is in no word that is read whole goes by `Unit` bytes.
template <int Unit, class Policy, class Range, class Swizzle, class Words = OwnWords>
WIDELOAD_DEVICE void stage_range(const Range& range, char* staged, const Swizzle& swizzle,
                                 const Words& words = {}) {
    constexpr int kBatch = 4;
    const unsigned step = blockDim.x * kWideBytes;
    for (unsigned first = threadIdx.x * kWideBytes; first < range.end(); first += kBatch * step) {
        uint4 held[kBatch];
#pragma unroll
        for (int i = 0; i < kBatch; ++i) {
            if (words.takes(range, first + i * step))
                held[i] = access<Policy>::template load<kWideBytes>(range.at(first + i * step));
        }
#pragma unroll
        for (int i = 0; i < kBatch; ++i) {
            if (words.takes(range, first + i * step))
                put_word(staged, first + i * step, held[i], swizzle);
        }
    }
    if constexpr (Words::kLeaves) {
        range.template for_edges<Unit>([&](unsigned place) {
            if (!words.leaves(range, place)) return;
            *reinterpret_cast<access_word_t<Unit>*>(staged + swizzle.place(place)) =
                access<Policy>::template load<Unit>(range.at(place));
        });
    }
}

/// From there, what is in no whole word of the range's.
template <int Unit, class Policy, class Range, class Swizzle>
WIDELOAD_DEVICE void drain_edges(const Range& range, const char* staged, const Swizzle& swizzle) {
    range.template for_edges<Unit>([&](unsigned place) {
        access<Policy>::template store<Unit>(
            range.at(place),
            *reinterpret_cast<const access_word_t<Unit>*>(staged + swizzle.place(place)));
    });
}

/// All of it.
template <int Unit, class Policy, class Range, class Swizzle>
WIDELOAD_DEVICE void drain_range(const Range& range, const char* staged, const Swizzle& swizzle) {
#pragma unroll 4
    for (unsigned place = threadIdx.x * kWideBytes; place < range.end();
         place += blockDim.x * kWideBytes) {
        if (range.has_word(place))
            access<Policy>::template store<kWideBytes>(range.at(place),
                                                       get_word(staged, place, swizzle));
    }
    drain_edges<Unit, Policy>(range, staged, swizzle);
}

}  // namespace wideload::WIDELOAD_DETAIL
