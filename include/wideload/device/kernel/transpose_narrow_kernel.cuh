// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/kernel/transpose_small_kernel.cuh>

namespace wideload::detail {

/// One side of a matrix with few rows or few columns: one run of bytes that holds them side by
/// side, or a run for each of them.
struct NarrowSide {
    unsigned runs;
    unsigned along;     ///< bytes that one more element of the long side adds to a run
    unsigned staged;    ///< bytes from run to run in shared memory, whole words of 16
    std::size_t pitch;  ///< bytes from run to run in memory
    fast_divide words;  ///< of 16 bytes, from run to run in shared memory
};

/// Matrices of few rows or columns, one behind the other, cut along the long side: a block
/// transposes a piece as `transpose_small_kernel` does a matrix, from copy to copy in shared
/// memory. Each side is read or written by runs, so that every access of memory is wide however
/// few rows or columns there are. In shared memory a run lies as far into a word of 16 bytes as in
/// memory.
struct NarrowTransposePlan {
    const char* input;
    char* output;
    std::size_t length;  ///< elements of the long side
    unsigned piece;      ///< of them a block takes, whose run is whole words of 16 bytes
    fast_divide pieces;  ///< of a matrix
    NarrowSide before, after;
    unsigned staged_before;      ///< bytes of the first copy
    TransposeAxis lanes, inner;  ///< along the long side and along the other, as for a small matrix
    unsigned row_before, row_after;  ///< bytes of a row in shared memory
    unsigned apart_log2;             ///< lanes are so many items apart: whole words of 4 bytes
    fast_divide shares;              ///< among so many warps the inner direction is divided
    BankSwizzle swizzle;             ///< of the side with one run
};

/// A value to be kept, which the compiler would compute anew in every branch that uses it.
WIDELOAD_DEVICE unsigned kept(unsigned value) {
    asm volatile("" : "+r"(value));
    return value;
}
WIDELOAD_DEVICE std::size_t kept(std::size_t value) {
    asm volatile("" : "+l"(value));
    return value;
}

/// A piece's runs on one side.
///
/// @tparam Aligned  all begin at multiples of 16 and are whole words
/// @tparam Byte     const where they are read
template <bool Aligned, class Byte>
class NarrowRuns {
public:
    WIDELOAD_DEVICE NarrowRuns(const NarrowSide& side, Byte* first, unsigned bytes)
        : side_(side), first_(first), bytes_(bytes) {}

    WIDELOAD_DEVICE SlippedRange<Aligned, Byte> range(unsigned run) const {
        return {first_ + run * side_.pitch, bytes_};
    }

    /// Whether all of a word of shared memory belongs to a run, and its address then.
    WIDELOAD_DEVICE bool is_whole(unsigned word, Byte** address) const {
        unsigned run;
        const unsigned byte = side_.words.remainder(word, &run) * kWideBytes;
        const auto own = range(run);
        *address = own.at(byte);
        return run < side_.runs && own.has_word(byte);
    }
    WIDELOAD_DEVICE unsigned words() const { return side_.runs * side_.words.divisor(); }

    /// Calls `move(place, address)` for each unit of the words that a run begins or ends within: a
    /// warp for each, so that no lanes meet in a bank.
    template <int Unit, class Move>
    WIDELOAD_DEVICE void for_edges(Move move) const {
        for (unsigned edge = threadIdx.x / kWarpLanes; edge < side_.runs * 2;
             edge += blockDim.x / kWarpLanes) {
            const unsigned run = edge / 2;
            const auto own = range(run);
            own.template for_edge<Unit>(
                edge % 2, [&](unsigned place) { move(run * side_.staged + place, own.at(place)); });
        }
    }

private:
    const NarrowSide& side_;
    Byte* first_;
    unsigned bytes_;
};

/// To shared memory.
template <int Unit, class Policy, class Runs, class Swizzle>
WIDELOAD_DEVICE void stage_runs(const Runs& runs, char* staged, const Swizzle& swizzle) {
    constexpr int kBatch = 4;
    for (unsigned word = threadIdx.x; word < runs.words(); word += kBatch * blockDim.x) {
        uint4 held[kBatch];
        bool whole[kBatch];
#pragma unroll
        for (int i = 0; i < kBatch; ++i) {
            const char* address;
            whole[i] = runs.is_whole(word + i * blockDim.x, &address);
            if (whole[i]) held[i] = access<Policy>::template load<kWideBytes>(address);
        }
#pragma unroll
        for (int i = 0; i < kBatch; ++i) {
            if (whole[i]) put_word(staged, (word + i * blockDim.x) * kWideBytes, held[i], swizzle);
        }
    }
    if constexpr (Unit != 0) {
        runs.template for_edges<Unit>([&](unsigned place, const char* address) {
            *reinterpret_cast<access_word_t<Unit>*>(staged + swizzle.place(place)) =
                access<Policy>::template load<Unit>(address);
        });
    }
}

/// And back.
template <int Unit, class Policy, class Runs, class Swizzle>
WIDELOAD_DEVICE void drain_runs(const Runs& runs, const char* staged, const Swizzle& swizzle) {
#pragma unroll 4
    for (unsigned word = threadIdx.x; word < runs.words(); word += blockDim.x) {
        char* address;
        if (!runs.is_whole(word, &address)) continue;
        access<Policy>::template store<kWideBytes>(address,
                                                   get_word(staged, word * kWideBytes, swizzle));
    }
    if constexpr (Unit != 0) {
        runs.template for_edges<Unit>([&](unsigned place, char* address) {
            access<Policy>::template store<Unit>(
                address,
                *reinterpret_cast<const access_word_t<Unit>*>(staged + swizzle.place(place)));
        });
    }
}

/// Several narrow elements that follow one another along the long side: a word of 4 bytes of a run,
/// and as many places on the other side. Only where all runs begin at multiples of 16.
template <class Element, bool ToRuns>
struct NarrowColumn {
    using Unit = std::uint32_t;
    static constexpr int kElement = static_cast<int>(sizeof(Element)), kSide = 4 / kElement;
    static constexpr int kBatch = kElement;

    template <int Count, class Load, class Store>
    static WIDELOAD_DEVICE void move(const NarrowTransposePlan& plan, const unsigned (&from)[Count],
                                     const unsigned (&to)[Count], Load load, Store store) {
        Element elements[Count][kSide];
#pragma unroll
        for (int k = 0; k < Count; ++k) {
            if constexpr (ToRuns) {
#pragma unroll
                for (int i = 0; i < kSide; ++i)
                    elements[k][i] = load(from[k] + i * plan.row_before, Element{});
            } else {
                const Unit word = load(from[k], Unit{});
                std::memcpy(elements[k], &word, sizeof(word));
            }
        }
#pragma unroll
        for (int k = 0; k < Count; ++k) {
            if constexpr (ToRuns) {
                Unit word;
                std::memcpy(&word, elements[k], sizeof(word));
                store(to[k], word);
            } else {
#pragma unroll
                for (int i = 0; i < kSide; ++i) store(to[k] + i * plan.row_after, elements[k][i]);
            }
        }
    }
};

/// A thread's part of a piece: of lanes along the long side all that lies along the other, or the
/// share of a warp.
///
/// @param slip_before, slip_after  how far run r is slipped on either side, as functions of r
template <class Item, class Before, class After, class Move>
WIDELOAD_DEVICE void walk_piece(const NarrowTransposePlan& plan, unsigned lanes,
                                const Before& slip_before, const After& slip_after, Move move) {
    constexpr int kBatch = Item::kBatch;
    const unsigned lane = threadIdx.x % kWarpLanes, shares = plan.shares.divisor();
    const unsigned share = divide_up(plan.inner.count, shares);
    const unsigned groups = lane_groups(lanes, plan.apart_log2);
    for (unsigned item = threadIdx.x / kWarpLanes; item < groups * shares;
         item += blockDim.x / kWarpLanes) {
        unsigned group;
        const unsigned first = plan.shares.remainder(item, &group) * share;
        const unsigned x = item_of_lane(group, plan.apart_log2, lane);
        if (x >= lanes) continue;
        const unsigned end = first + share < plan.inner.count ? first + share : plan.inner.count;
        unsigned before = x * plan.lanes.before + first * plan.inner.before;
        unsigned after = x * plan.lanes.after + first * plan.inner.after;
        const auto move_some = [&](auto size, unsigned y) {
            constexpr int kSize = decltype(size)::value;
            unsigned from[kSize], to[kSize];
#pragma unroll
            for (int k = 0; k < kSize; ++k) {
                from[k] = before + slip_before(y + k);
                to[k] = after + slip_after(y + k);
                before += plan.inner.before;
                after += plan.inner.after;
            }
            move(from, to);
        };
        unsigned y = first;
#pragma unroll 1
        for (; y + kBatch <= end; y += kBatch) move_some(std::integral_constant<int, kBatch>{}, y);
#pragma unroll 1
        for (; y < end; ++y) move_some(std::integral_constant<int, 1>{}, y);
    }
}

/// What a block does with its piece.
template <class Item, bool Aligned, class LoadPolicy, class StorePolicy, class Before, class After>
WIDELOAD_DEVICE void transpose_narrow(const NarrowTransposePlan& plan, char* staged,
                                      const Before& swizzle_before, const After& swizzle_after) {
    using Unit = typename Item::Unit;
    constexpr int kEdgeUnit = Aligned ? 0 : static_cast<int>(sizeof(Unit));
    unsigned matrix;
    const std::size_t first = std::size_t{plan.pieces.remainder(blockIdx.x, &matrix)} * plan.piece;
    const std::size_t left = plan.length - first;
    const unsigned elements = kept(left < plan.piece ? static_cast<unsigned>(left) : plan.piece);
    const std::size_t begin = matrix * (plan.length * plan.before.along * plan.before.runs);
    const NarrowRuns<Aligned, const char> before(
        plan.before, plan.input + kept(begin + first * plan.before.along),
        elements * plan.before.along);
    const NarrowRuns<Aligned, char> after(plan.after,
                                          plan.output + kept(begin + first * plan.after.along),
                                          elements * plan.after.along);
    char* const turned = staged + plan.staged_before;

    stage_runs<kEdgeUnit, LoadPolicy>(before, staged, swizzle_before);
    __syncthreads();
    const auto load = [&](unsigned byte, auto type) {
        return *reinterpret_cast<const decltype(type)*>(staged + swizzle_before.place(byte));
    };
    const auto store = [&](unsigned byte, const auto& value) {
        *reinterpret_cast<std::decay_t<decltype(value)>*>(turned + swizzle_after.place(byte)) =
            value;
    };
    // A side with one run is slipped by one distance all along.
    const unsigned before_slip = before.range(0).begin(), after_slip = after.range(0).begin();
    const unsigned before_step = static_cast<unsigned>(plan.before.pitch) * (plan.before.runs > 1);
    const unsigned after_step = static_cast<unsigned>(plan.after.pitch) * (plan.after.runs > 1);
    walk_piece<Item>(
        plan, elements / Item::kSide,
        [=](unsigned run) { return Aligned ? 0 : (before_slip + run * before_step) % kWideBytes; },
        [=](unsigned run) { return Aligned ? 0 : (after_slip + run * after_step) % kWideBytes; },
        [&](const auto& from, const auto& to) { Item::move(plan, from, to, load, store); });
    __syncthreads();
    drain_runs<kEdgeUnit, StorePolicy>(after, turned, swizzle_after);
}

template <class Item, bool Aligned, class LoadPolicy, class StorePolicy>
__global__ void __launch_bounds__(
    tuning::kNarrowTransposeThreads,
    kBlocksWithin<tuning::kNarrowTransposeThreads, tuning::kNarrowTransposeBlocks>)
    transpose_narrow_kernel(const __grid_constant__ NarrowTransposePlan plan) {
    enter_stream_order();
    extern __shared__ uint4 shared_words[];
    char* const staged = reinterpret_cast<char*>(shared_words);
    const auto transpose = [&](const auto& before, const auto& after) {
        transpose_narrow<Item, Aligned, LoadPolicy, StorePolicy>(plan, staged, before, after);
    };
    // Lanes that follow one another in a run meet in no bank.
    if (plan.swizzle.mask == 0) {
        transpose(NoSwizzle{}, NoSwizzle{});
    } else if (plan.before.runs == 1) {
        transpose(plan.swizzle, NoSwizzle{});
    } else {
        transpose(NoSwizzle{}, plan.swizzle);
    }
}

}  // namespace wideload::detail
