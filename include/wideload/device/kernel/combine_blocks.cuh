// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/block/reduce.cuh>
#include <wideload/device/detail/stream_order.cuh>
#include <wideload/device/kernel/counted_sum.cuh>
#include <wideload/device/kernel/mailbox.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// What is reduced.
template <class T>
struct ReduceInput {
    const T* elements;
    std::size_t head_elements;  ///< before the first 16-byte word
    std::size_t words;
    std::size_t tail_elements;

    /// Of whole words and what is around them; see `prefetch_input`.
    WIDELOAD_DEVICE void prefetch() const {
        prefetch_input(elements, words * kWideBytes + (head_elements + tail_elements) * sizeof(T));
    }
};

/// A reduction in one launch: every block reduces a share of the words, and the block that started
/// last combines the blocks' results in their order, so the result does not depend on which one
/// that was. It may wait for the others, since all have started.
template <class T, class Result>
struct ReducePlan {
    ReduceInput<T> input;
    Result* output;
    Result initial;
    unsigned long long* partials;  ///< a mailbox per block; unused by a single block
    /// Blocks so far, in a line of its own; or the words of a counted sum. These and all mailboxes
    /// are 0 before and after every launch.
    unsigned* started;
};

/// The shared memory by which a block's threads combine their results.
template <int Threads, bool InOrder, class Result>
union combine_storage {
    block::reduce_storage<Result, Threads> in_order;
    block::reduce_to_warp_storage<Result, Threads> to_warp;
};
template <int Threads, class Result>
union combine_storage<Threads, true, Result> {
    block::reduce_storage<Result, Threads> in_order;
};

/// The values of a block's threads, combined; thread 0 holds the result. Threads up to the last one
/// with a value come first, without gaps, since elements are dealt to threads in order; with an
/// identity, or if `Busy` says so, all have one.
template <int Threads, bool InOrder, bool Busy, class Result, class Operation>
WIDELOAD_DEVICE Result reduce_block(const Result& own, Operation& operation,
                                    combine_storage<Threads, InOrder, Result>& shared,
                                    int valid_threads) {
    if constexpr (!InOrder && (Busy || has_identity<Operation, Result>::value)) {
        return block::reduce_to_warp<Threads>(own, operation, shared.to_warp, threadIdx.x);
    } else {
        return block::reduce<Threads>(own, operation, shared.in_order, threadIdx.x, valid_threads);
    }
}

/// How many blocks started before this one; the last leaves the count at 0. One thread asks at the
/// start of its block and looks at the answer at the end, so that it comes while the block reads.
/// (Of an addition ptxas makes a vote of the warp, and the warp's loads then wait for its outcome.
/// Asked behind the loads, it would be when these have arrived.)
WIDELOAD_DEVICE unsigned count_start(unsigned* started) {
    return atomicInc(started, gridDim.x - 1);
}

/// What thread `thread` of `Threads`, whole warps, collects, `Together` mailboxes at once: if order
/// matters a group of neighbours, else every `Threads`th. A thread that has none gets the identity,
/// or anything if there is none.
///
/// @param busy  how many threads, from the first on, have any
template <bool InOrder, int Threads, int Together, class Result, class Operation>
WIDELOAD_DEVICE Result collect(const Mailboxes<Result>& mailboxes, int thread, Operation& operation,
                               int* busy) {
    constexpr int kStep = InOrder ? 1 : Threads;
    const int all = static_cast<int>(gridDim.x), group = (all + Threads - 1) / Threads;
    int first = InOrder ? thread * group : thread;
    const int behind = all - first;
    int valid = InOrder ? (behind < group ? behind : group) : (behind + Threads - 1) / Threads;
    *busy = InOrder ? divide_up(all, group) : all < Threads ? all : Threads;
    Result total;
    constexpr bool kIdentity = has_identity<Operation, Result>::value;
    if constexpr (kIdentity) total = Operation::template identity<Result>();
#pragma unroll 1
    for (int received = 0; received < group; received += Together, valid -= Together) {
        Result results[Together];
        mailboxes.template receive<Together, kStep>(first, valid, results);
#pragma unroll
        for (int i = 0; i < Together; ++i) {
            if (!kIdentity && i == 0 && received == 0) {
                total = results[0];
            } else if (i < valid) {
                total = operation(total, results[i]);
            }
        }
        first += Together * kStep;
    }
    return total;
}

/// What is left to do when thread 0 of every block has its block's result.
///
/// @tparam InOrder      a thread of the last block combines neighbouring results, not every
/// `Threads`th
/// @tparam WordsAtOnce  of mailboxes, for which a thread has registers
/// @param started_last  shared; known to thread 0
template <bool InOrder, int Threads, int WordsAtOnce, class T, class Result, class Operation>
WIDELOAD_DEVICE void combine_blocks(const ReducePlan<T, Result>& plan, const Result& partial,
                                    const bool& started_last, Operation& operation,
                                    combine_storage<Threads, InOrder, Result>& shared) {
    const int thread = threadIdx.x;
    if (gridDim.x == 1) {
        if (thread == 0) *plan.output = operation(plan.initial, partial);
        return;
    }

    const Mailboxes<Result> mailboxes(plan.partials);
    if (thread == 0) mailboxes.send(partial);
    __syncthreads();
    if (!started_last) return;
    // Three are all that a thread has of four blocks of 256 threads for each of 192
    // multiprocessors.
    constexpr int kFit = WordsAtOnce / Mailboxes<Result>::kWords;
    constexpr int kTogether = kFit < 1 ? 1 : kFit < 3 ? kFit : 3;
    int busy;
    const Result own =
        collect<InOrder, Threads, kTogether, Result>(mailboxes, thread, operation, &busy);
    const Result all = reduce_block<Threads, InOrder, false>(own, operation, shared, busy);
    if (thread == 0) *plan.output = operation(plan.initial, all);
}

/// What one warp makes of all blocks' results, `OfLane` at most of a lane, as lane 0's: all of a
/// lane's mailboxes at once, whose results it combines as a tree. Branches around single ones would
/// take longer than combining them, so what is missing is the identity or, without one, a result
/// that is there, which nothing comes of.
template <bool InOrder, int OfLane, class Result, class Operation>
WIDELOAD_DEVICE Result collect_by_warp(const Mailboxes<Result>& mailboxes, Operation& operation) {
    constexpr bool kIdentity = !InOrder && has_identity<Operation, Result>::value;
    constexpr int kStep = InOrder ? 1 : kWarpLanes;
    const int lane = threadIdx.x, all = static_cast<int>(gridDim.x);
    const int least = all / kWarpLanes, longer = all % kWarpLanes;
    int valid = least + (lane < longer);
    const int first = InOrder ? lane * least + (lane < longer ? lane : longer) : lane;
    Result results[OfLane];
    mailboxes.template receive<OfLane, kStep>(first, valid, results);
    if (!kIdentity && least == 0) return warp::reduce(results[0], operation, lane, longer);
    Result missing = results[0];
    if constexpr (kIdentity) missing = Operation::template identity<Result>();
#pragma unroll
    for (int i = kIdentity ? 0 : 1; i < OfLane; ++i)
        results[i] = warp::select(i < valid, results[i], missing);
#pragma unroll
    for (int left = OfLane; left > 1; left = (left + 1) / 2) {
#pragma unroll
        for (int i = 0; i < left / 2; ++i) {
            const Result both = operation(results[2 * i], results[2 * i + 1]);
            results[i] = kIdentity ? both : warp::select(2 * i + 1 < valid, both, results[2 * i]);
        }
        if (left % 2) results[left / 2] = results[left - 1];
        valid = (valid + 1) / 2;
    }
    if constexpr (kIdentity) {
        return warp::all_reduce(results[0], operation);
    } else {
        return warp::reduce(results[0], operation);
    }
}

/// As `combine_blocks` for at most `32 * OfLane` blocks: one warp collects all, without a barrier.
/// Called by the first warp, whose lane 0 has the block's result.
template <bool InOrder, int OfLane, class T, class Result, class Operation>
WIDELOAD_DEVICE void combine_few_blocks(const ReducePlan<T, Result>& plan, const Result& partial,
                                        bool started_last, Operation& operation) {
    const int lane = threadIdx.x;
    Result all = partial;
    if (gridDim.x > 1) {
        const Mailboxes<Result> mailboxes(plan.partials);
        if (lane == 0) mailboxes.send(partial);
        if (!__shfl_sync(kFullWarp, started_last, 0)) return;
        if constexpr (Mailboxes<Result>::kWords <= 4) {
            all = collect_by_warp<InOrder, OfLane, Result>(mailboxes, operation);
        } else {
            int busy;
            const Result own =
                collect<InOrder, kWarpLanes, 1, Result>(mailboxes, lane, operation, &busy);
            if constexpr (!InOrder && has_identity<Operation, Result>::value) {
                all = warp::all_reduce(own, operation);
            } else {
                all = warp::reduce(own, operation, lane, busy);
            }
        }
    }
    if (lane == 0) *plan.output = operation(plan.initial, all);
}

/// As `combine_blocks` for sums that are the same in any order: no block waits for another.
template <class T, class Result, class Operation>
WIDELOAD_DEVICE void combine_counted(const ReducePlan<T, Result>& plan, Result partial,
                                     Operation& operation) {
    if (threadIdx.x >= kWarpLanes) return;
    auto* const words = reinterpret_cast<unsigned long long*>(plan.started);
    if (gridDim.x != 1 && !add_counted(words, &partial)) return;
    if (threadIdx.x == 0) *plan.output = operation(plan.initial, partial);
}

}  // namespace wideload::WIDELOAD_DETAIL
