// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/detail/stream_order.cuh>
#include <wideload/device/kernel/slipped_range.cuh>
#include <wideload/support/fast_divide.cuh>
#include <wideload/support/turn.cuh>
#include <wideload/thread/access.cuh>
#include <wideload/tuning/transpose_batch_tuning.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// One of the three directions in a stack of matrices: how many items lie along it, and how many
/// bytes apart, before and after the transpose.
struct TransposeAxis {
    unsigned count, before, after;
};

/// Many small matrices, one behind the other: a block takes as many whole ones as fit its shared
/// memory, reads them as one contiguous range, moves their elements to a second copy, and writes
/// that as one range, so that every access of memory is wide whatever the shape.
///
/// On the way from copy to copy a warp's lanes lie along the matrices, their rows or their columns,
/// on both sides at one distance from each other: so a swizzle for each copy keeps their banks
/// apart. A thread walks along the other two directions.
struct SmallTransposePlan {
    const char* input;
    char* output;
    std::size_t matrices;
    unsigned matrices_per_block, matrix_bytes;
    unsigned staged_bytes;           ///< of matrices in each copy at most, whole lines
    unsigned copy_bytes;             ///< from copy to copy; derived here it costs up to 5 %
    unsigned row_before, row_after;  ///< bytes of a row of the input and of the output
    TransposeAxis lanes, outer, inner;
    bool matrices_in_lanes;  ///< else they are the outer direction
    unsigned apart_log2;     ///< lanes are so many items apart: whole words of 4 bytes
    fast_divide outer_shares, inner_shares;  ///< among so many warps a walk is divided
    BankSwizzle swizzle_before, swizzle_after;
};

/// Calls `move(before, after)` for a thread's part of what lies along the inner direction, from
/// bytes `before` and `after` on: with the places of `Batch` items, or of fewer.
template <int Batch, class Move>
WIDELOAD_DEVICE void walk_inner(const TransposeAxis& inner, unsigned count, unsigned before,
                                unsigned after, Move move) {
    const auto move_some = [&](auto size) {
        constexpr int kSize = decltype(size)::value;
        unsigned from[kSize], to[kSize];
#pragma unroll
        for (int k = 0; k < kSize; ++k, before += inner.before, after += inner.after) {
            from[k] = before;
            to[k] = after;
        }
        move(from, to);
    };
#pragma unroll 1
    for (; count >= Batch; count -= Batch) move_some(std::integral_constant<int, Batch>{});
    if constexpr (Batch > 2) {
        if (count >= 2) {
            move_some(std::integral_constant<int, 2>{});
            count -= 2;
        }
    }
    if (count != 0) move_some(std::integral_constant<int, 1>{});
}

/// How many warps the items along the lanes take, which are 2^`apart_log2` apart.
WIDELOAD_HOST_DEVICE unsigned lane_groups(unsigned items, unsigned apart_log2) {
    return divide_up<unsigned>(items, kWarpLanes << apart_log2) << apart_log2;
}
/// The item of a lane of one of them.
WIDELOAD_DEVICE unsigned item_of_lane(unsigned group, unsigned apart_log2, unsigned lane) {
    const unsigned own = group & ((1u << apart_log2) - 1);
    return (group - own) * kWarpLanes + own + (lane << apart_log2);
}

/// A thread's part of all walks: so many items along the lanes, so many in the outer direction.
/// Matrices begin at the given places.
template <int Batch, class Move>
WIDELOAD_DEVICE void walk_items(const SmallTransposePlan& plan, unsigned matrices,
                                unsigned first_before, unsigned first_after, Move move) {
    const unsigned lanes = plan.matrices_in_lanes ? matrices : plan.lanes.count;
    const unsigned outer = plan.matrices_in_lanes ? plan.outer.count : matrices;
    const unsigned lane = threadIdx.x % kWarpLanes, warps = blockDim.x / kWarpLanes;
    const unsigned outer_shares = plan.outer_shares.divisor();
    const unsigned inner_shares = plan.inner_shares.divisor();
    const unsigned inner_share = plan.inner_shares.quotient(plan.inner.count + inner_shares - 1);
    const unsigned groups = lane_groups(lanes, plan.apart_log2);
    const unsigned items = groups * outer_shares * inner_shares;
    for (unsigned item = threadIdx.x / kWarpLanes; item < items; item += warps) {
        unsigned rest, group;
        const unsigned step = plan.inner_shares.remainder(item, &rest) * inner_share;
        const unsigned first = plan.outer_shares.remainder(rest, &group);
        const unsigned x = item_of_lane(group, plan.apart_log2, lane);
        if (x >= lanes || step >= plan.inner.count) continue;
        const unsigned left = plan.inner.count - step;
        const unsigned count = left < inner_share ? left : inner_share;
        unsigned before = first_before + x * plan.lanes.before + first * plan.outer.before +
                          step * plan.inner.before;
        unsigned after =
            first_after + x * plan.lanes.after + first * plan.outer.after + step * plan.inner.after;
#pragma unroll 1
        for (unsigned y = first; y < outer; y += outer_shares) {
            walk_inner<Batch>(plan.inner, count, before, after, move);
            before += outer_shares * plan.outer.before;
            after += outer_shares * plan.outer.after;
        }
    }
}

/// What walks go through: elements of `Units` units of type `UnitType`.
template <class UnitType, int Units>
struct SmallElement {
    using Unit = UnitType;
    static constexpr int kSide = 1;
    static constexpr int kBytes = Units * static_cast<int>(sizeof(Unit));
    static constexpr int kBatch = sizeof(Unit) < 16 ? 4 : 2;  ///< in flight, as registers allow
    static constexpr int kSlippedBatch = Units > 2 && kBatch > 3 ? 3 : kBatch;

    /// Moves some from and to the given bytes, by `load(byte, type)` and `store(byte, unit)`.
    template <class Plan, int Count, class Load, class Store>
    static WIDELOAD_DEVICE void move(const Plan&, const unsigned (&from)[Count],
                                     const unsigned (&to)[Count], Load load, Store store) {
#pragma unroll(sizeof(Unit) < 16 ? 4 : 1)
        for (unsigned unit = 0; unit < Units; ++unit) {
            Unit held[Count];
#pragma unroll
            for (int k = 0; k < Count; ++k) held[k] = load(from[k] + unit * sizeof(Unit), Unit{});
#pragma unroll
            for (int k = 0; k < Count; ++k) store(to[k] + unit * sizeof(Unit), held[k]);
        }
    }
};

/// Turns a square of bytes or of halves whose rows are words of 4 bytes.
WIDELOAD_DEVICE void turn_square(const std::uint32_t (&rows)[4], std::uint32_t (&turned)[4]) {
    turn_bytes(rows[0], rows[1], rows[2], rows[3], turned);
}
WIDELOAD_DEVICE void turn_square(const std::uint32_t (&rows)[2], std::uint32_t (&turned)[2]) {
    turn_halves(rows[0], rows[1], turned);
}

/// Or squares of narrow elements whose rows are words of 4 bytes, turned in registers.
template <int Side>
struct SmallSquare {
    using Unit = std::uint32_t;
    static constexpr int kSide = Side, kBytes = 4;
    static constexpr int kBatch = 4 / Side, kSlippedBatch = kBatch;

    template <class Plan, int Count, class Load, class Store>
    static WIDELOAD_DEVICE void move(const Plan& plan, const unsigned (&from)[Count],
                                     const unsigned (&to)[Count], Load load, Store store) {
        Unit rows[Count][Side], turned[Count][Side];
#pragma unroll
        for (int k = 0; k < Count; ++k) {
#pragma unroll
            for (int i = 0; i < Side; ++i) rows[k][i] = load(from[k] + i * plan.row_before, Unit{});
        }
#pragma unroll
        for (int k = 0; k < Count; ++k) {
            turn_square(rows[k], turned[k]);
#pragma unroll
            for (int i = 0; i < Side; ++i) store(to[k] + i * plan.row_after, turned[k][i]);
        }
    }
};

/// What a block does with its matrices.
template <class Item, bool Aligned, bool Direct, class LoadPolicy, class StorePolicy, class Swizzle>
WIDELOAD_DEVICE void transpose_small(const SmallTransposePlan& plan, char* staged,
                                     const Swizzle& swizzle_before, const Swizzle& swizzle_after) {
    using Unit = typename Item::Unit;
    constexpr int kUnit = static_cast<int>(sizeof(Unit));
    const BlockMatrices<Aligned> own = block_matrices<Aligned>(plan);
    char* const turned = staged + plan.copy_bytes;

    stage_range<kUnit, LoadPolicy>(own.input, staged, swizzle_before);
    __syncthreads();
    const auto load = [&](unsigned byte, Unit) {
        return *reinterpret_cast<const Unit*>(staged + swizzle_before.place(byte));
    };
    const auto store = [&](unsigned byte, const Unit& unit) {
        if constexpr (Direct) {
            access<StorePolicy>::template store<kUnit>(own.output.at(byte), unit);
        } else {
            *reinterpret_cast<Unit*>(turned + swizzle_after.place(byte)) = unit;
        }
    };
    walk_items<Aligned ? Item::kBatch : Item::kSlippedBatch>(
        plan, own.count, own.input.begin(), own.output.begin(),
        [&](const auto& from, const auto& to) { Item::move(plan, from, to, load, store); });
    if constexpr (Direct) return;
    __syncthreads();
    drain_range<kUnit, StorePolicy>(own.output, turned, swizzle_after);
}

/// @tparam Aligned  whether both ends and every block's range are whole words of 16 bytes
/// @tparam Direct   without a second copy, for matrices that leave no room for it: elements go to
///                  memory one by one
template <class Item, bool Aligned, bool Direct, class LoadPolicy, class StorePolicy>
__global__ void __launch_bounds__(
    tuning::kMostSmallTransposeThreads,
    kBlocksWithin<tuning::kMostSmallTransposeThreads, tuning::kSmallTransposeBlocks>)
    transpose_small_kernel(const __grid_constant__ SmallTransposePlan plan) {
    enter_stream_order(plan.input, plan.matrices * plan.matrix_bytes);
    extern __shared__ uint4 shared_words[];
    char* const staged = held_shared(shared_words);
    const auto transpose = [&](const auto& before, const auto& after) {
        transpose_small<Item, Aligned, Direct, LoadPolicy, StorePolicy>(plan, staged, before,
                                                                        after);
    };
    if ((plan.swizzle_before.mask | plan.swizzle_after.mask) == 0) {
        transpose(NoSwizzle{}, NoSwizzle{});
    } else {
        transpose(plan.swizzle_before, plan.swizzle_after);
    }
}

}  // namespace wideload::WIDELOAD_DETAIL
