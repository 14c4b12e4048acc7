// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/kernel/narrow_runs.cuh>
#include <wideload/tuning/transpose_batch_tuning.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// Matrices of few rows or columns, one behind the other, cut along the long side: a block
/// transposes a piece as `transpose_small_kernel` does a matrix, from copy to copy in shared
/// memory. One side of a piece is a range in which the few lie together, the other a run for each
/// of them, so that every access of memory is wide however few they are. In shared memory both lie
/// as far into a word of 16 bytes as in memory, but runs of narrow elements, once turned, at
/// multiples of 4.
struct NarrowTransposePlan {
    const char* input;
    char* output;
    std::size_t bytes;   ///< of all matrices
    std::size_t length;  ///< elements of the long side
    unsigned piece;      ///< of them a block takes
    fast_divide pieces;  ///< of a matrix
    NarrowRunsShape runs;
    unsigned line;                   ///< bytes of the range for each element of the long side
    unsigned staged_before;          ///< bytes of the first copy
    TransposeAxis lanes, inner;      ///< along the long side and along the other
    unsigned row_before, row_after;  ///< bytes of a row in shared memory
    unsigned apart_log2;             ///< lanes are so many items apart: whole words of 4 bytes
    fast_divide shares;              ///< among so many warps the inner direction is divided
    BankSwizzle swizzle;             ///< of the range
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

/// How far what belongs to a run is slipped on either side.
struct NarrowSlips {
    unsigned before, after;
};

/// What a piece is moved by: elements of `Units` units.
template <class UnitType, int Units>
struct NarrowElement : SmallElement<UnitType, Units> {
    using Base = SmallElement<UnitType, Units>;
    /// Of runs, whose elements may be too large for lanes side by side to have banks of their own.
    static constexpr BankSwizzle kSwizzle =
        lane_swizzle(sizeof(UnitType), Units * sizeof(UnitType));
    static constexpr int kRuns = 1, kEdgeUnit = static_cast<int>(sizeof(UnitType));
    static constexpr int kBatch = Base::kSlippedBatch;
    static constexpr bool kJoins = false;  ///< whether several of a run are one word

    /// Moves some, of run `run` and those behind it, from and to the given bytes where nothing is
    /// slipped.
    ///
    /// @param slips        how far what belongs to a run is slipped, as a function of it
    /// @param load, store  `load(byte, type)` and `store(byte, value)`
    template <int Count, class Slips, class Load, class Store>
    static WIDELOAD_DEVICE void move(const NarrowTransposePlan& plan, unsigned run,
                                     const unsigned (&from)[Count], const unsigned (&to)[Count],
                                     const Slips& slips, Load load, Store store) {
        unsigned before[Count], after[Count];
#pragma unroll
        for (int k = 0; k < Count; ++k) {
            const NarrowSlips slip = slips(run + k);
            before[k] = from[k] + slip.before;
            after[k] = to[k] + slip.after;
        }
        Base::move(plan, before, after, load, store);
    }
};

/// Or narrow elements that follow one another along the long side: a word of 4 bytes of a run, and
/// as many places of the range.
template <class Element, bool ToRuns>
struct NarrowColumn {
    using Unit = std::uint32_t;
    static constexpr int kEdgeUnit = static_cast<int>(sizeof(Element)), kSide = 4 / kEdgeUnit;
    static constexpr BankSwizzle kSwizzle{};
    static constexpr int kRuns = 1, kBatch = kEdgeUnit;
    static constexpr bool kJoins = true;

    template <int Count, class Slips, class Load, class Store>
    static WIDELOAD_DEVICE void move(const NarrowTransposePlan& plan, unsigned run,
                                     const unsigned (&from)[Count], const unsigned (&to)[Count],
                                     const Slips& slips, Load load, Store store) {
        Element elements[Count][kSide];
#pragma unroll
        for (int k = 0; k < Count; ++k) {
            const unsigned before = from[k] + slips(run + k).before;
            if constexpr (ToRuns) {
#pragma unroll
                for (int i = 0; i < kSide; ++i)
                    elements[k][i] = load(before + i * plan.row_before, Element{});
            } else {
                const Unit word = load(before, Unit{});
                std::memcpy(elements[k], &word, sizeof(word));
            }
        }
#pragma unroll
        for (int k = 0; k < Count; ++k) {
            const unsigned after = to[k] + slips(run + k).after;
            if constexpr (ToRuns) {
                Unit word;
                std::memcpy(&word, elements[k], sizeof(word));
                store(after, word);
            } else {
#pragma unroll
                for (int i = 0; i < kSide; ++i) store(after + i * plan.row_after, elements[k][i]);
            }
        }
    }
};

/// Or squares of them, turned in registers, where the range's rows are whole words of 4 bytes.
template <int Side>
struct NarrowSquare {
    using Unit = std::uint32_t;
    static constexpr int kEdgeUnit = 4 / Side, kSide = Side;
    static constexpr BankSwizzle kSwizzle{};
    static constexpr int kRuns = Side, kBatch = 4 / Side;
    static constexpr bool kJoins = true;

    template <int Count, class Slips, class Load, class Store>
    static WIDELOAD_DEVICE void move(const NarrowTransposePlan& plan, unsigned run,
                                     const unsigned (&from)[Count], const unsigned (&to)[Count],
                                     const Slips& slips, Load load, Store store) {
        Unit rows[Count][Side], turned[Count][Side];
#pragma unroll
        for (int k = 0; k < Count; ++k) {
#pragma unroll
            for (int i = 0; i < Side; ++i)
                rows[k][i] =
                    load(from[k] + i * plan.row_before + slips(run + k * Side + i).before, Unit{});
        }
#pragma unroll
        for (int k = 0; k < Count; ++k) {
            turn_square(rows[k], turned[k]);
#pragma unroll
            for (int i = 0; i < Side; ++i)
                store(to[k] + i * plan.row_after + slips(run + k * Side + i).after, turned[k][i]);
        }
    }
};

/// A thread's part of a piece: of lanes along the long side all that lies along the other, or the
/// share of a warp. Calls `move(run, from, to)` for items of run `run` and those behind it.
template <class Item, class Move>
WIDELOAD_DEVICE void walk_piece(const NarrowTransposePlan& plan, unsigned lanes, Move move) {
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
                from[k] = before;
                to[k] = after;
                before += plan.inner.before;
                after += plan.inner.after;
            }
            move(y * Item::kRuns, from, to);
        };
        unsigned y = first;
#pragma unroll 1
        for (; y + kBatch <= end; y += kBatch) move_some(std::integral_constant<int, kBatch>{}, y);
#pragma unroll 1
        for (; y < end; ++y) move_some(std::integral_constant<int, 1>{}, y);
    }
}

/// What a block does with its piece.
template <class Item, bool ToRuns, bool Aligned, class LoadPolicy, class StorePolicy, class Swizzle>
WIDELOAD_DEVICE void transpose_narrow(const NarrowTransposePlan& plan, char* staged,
                                      const Swizzle& swizzle) {
    constexpr int kEdgeUnit = Item::kEdgeUnit;
    // Words of several elements move whole, so they lie at multiples of 4 where they are put, and
    // are put together from two where they are got.
    constexpr bool kShifted = Item::kJoins && !Aligned;
    constexpr FixedSwizzle<Item::kSwizzle.shift, Item::kSwizzle.mask> swizzle_runs{};
    unsigned matrix;
    const std::size_t first = std::size_t{plan.pieces.remainder(blockIdx.x, &matrix)} * plan.piece;
    const std::size_t left = plan.length - first;
    const unsigned elements = kept(left < plan.piece ? static_cast<unsigned>(left) : plan.piece);
    const std::size_t begin = matrix * (plan.length * plan.line);
    const std::size_t begin_range = begin + first * plan.line;
    const std::size_t begin_runs = kept(begin + first * plan.runs.element);
    const unsigned range_bytes = elements * plan.line, run_bytes = elements * plan.runs.element;

    // Whether all words of which some is read lie inside the matrices.
    const std::size_t begin_read = ToRuns ? begin_range : begin_runs;
    const std::size_t end_read =
        ToRuns ? begin_range + range_bytes
               : begin_runs + (plan.runs.count - 1) * plan.runs.pitch + run_bytes;
    const bool inside = begin_read >= kWideBytes && end_read + kWideBytes <= plan.bytes;

    const auto address = [&plan](auto is_read, std::size_t offset) {
        if constexpr (decltype(is_read)::value) {
            return plan.input + offset;
        } else {
            return plan.output + offset;
        }
    };
    using RangeByte = std::conditional_t<ToRuns, const char, char>;
    using RunByte = std::conditional_t<ToRuns, char, const char>;
    const SlippedRange<Aligned, RangeByte> range(address(std::bool_constant<ToRuns>{}, begin_range),
                                                 range_bytes);
    const NarrowRuns<Aligned, RunByte> runs(
        plan.runs, address(std::bool_constant<!ToRuns>{}, begin_runs), run_bytes);
    char* const turned = staged + plan.staged_before;

    const auto stage = [&](const auto& words) {
        if constexpr (ToRuns) {
            stage_range<kEdgeUnit, LoadPolicy>(range, staged, swizzle, words);
        } else {
            stage_runs<kEdgeUnit, LoadPolicy>(runs, staged, swizzle_runs, words);
        }
    };
    if (Aligned || inside) {
        stage(ReachedWords{});
    } else {
        stage(ReachedWordsInside{plan.input, plan.input + plan.bytes});
    }
    __syncthreads();
    const auto load = [&](unsigned byte, auto type) {
        using Type = decltype(type);
        if constexpr (kShifted && !ToRuns) {
            const auto* words = reinterpret_cast<const std::uint32_t*>(staged + byte / 4 * 4);
            return __funnelshift_r(words[0], words[1], byte % 4 * 8);
        } else {
            return *reinterpret_cast<const Type*>(
                staged + (ToRuns ? swizzle.place(byte) : swizzle_runs.place(byte)));
        }
    };
    const auto store = [&](unsigned byte, const auto& value) {
        *reinterpret_cast<std::decay_t<decltype(value)>*>(
            turned + (ToRuns ? swizzle_runs.place(byte) : swizzle.place(byte))) = value;
    };
    const unsigned range_slip = range.begin();
    const auto slips = [&](unsigned run) {
        const unsigned slip = runs.slip(run);
        return ToRuns ? NarrowSlips{range_slip, kShifted ? slip / 4 * 4 : slip}
                      : NarrowSlips{slip, range_slip};
    };
    walk_piece<Item>(plan, divide_up<unsigned>(elements, Item::kSide),
                     [&](unsigned run, const auto& from, const auto& to) {
                         Item::move(plan, run, from, to, slips, load, store);
                     });
    __syncthreads();
    if constexpr (!ToRuns) {
        drain_range<kEdgeUnit, StorePolicy>(range, turned, swizzle);
    } else if constexpr (kShifted) {
        drain_shifted_runs<kEdgeUnit, StorePolicy>(runs, turned);
    } else {
        drain_runs<kEdgeUnit, StorePolicy>(runs, turned, swizzle_runs);
    }
}

/// @tparam ToRuns   whether matrices have few columns, which become runs, or few rows, which are
/// @tparam Aligned  whether all runs begin at multiples of 16 and are whole words
template <class Item, bool ToRuns, bool Aligned, class LoadPolicy, class StorePolicy>
__global__ void __launch_bounds__(
    tuning::kNarrowTransposeThreads,
    kBlocksWithin<tuning::kNarrowTransposeThreads, tuning::kNarrowTransposeBlocks>)
    transpose_narrow_kernel(const __grid_constant__ NarrowTransposePlan plan) {
    enter_stream_order(plan.input, plan.bytes, kSmallTransposeBytes);
    extern __shared__ uint4 shared_words[];
    char* const staged = held_shared(shared_words);
    // Lanes that follow one another in a run meet in no bank.
    if (plan.swizzle.mask == 0) {
        transpose_narrow<Item, ToRuns, Aligned, LoadPolicy, StorePolicy>(plan, staged, NoSwizzle{});
    } else {
        transpose_narrow<Item, ToRuns, Aligned, LoadPolicy, StorePolicy>(plan, staged,
                                                                         plan.swizzle);
    }
}

}  // namespace wideload::WIDELOAD_DETAIL
