// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/detail/stream_order.cuh>
#include <wideload/device/kernel/accumulator.cuh>
#include <wideload/device/kernel/combine_blocks.cuh>
#include <wideload/thread/element.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// How a reduction's kernel is built.
///
/// @tparam Words    16-byte words that a thread has in flight; 0: element by element, for types and
/// addresses that no word fits
/// @tparam OfLane   mailboxes that a lane of one warp collects at most, if one warp collects all,
/// as it does for small inputs, of which a multiprocessor has two blocks at most; else 0
/// @tparam Busy     every thread has `Words` words at least
template <int Words, int Threads, int OfLane, bool Busy>
struct ReduceBuild {
    static constexpr int kWords = Words, kThreads = Threads, kMailboxesOfLane = OfLane;
    static constexpr bool kSmall = OfLane != 0, kBusy = Busy;
};

/// `Words` words, `Threads` words apart, from `first` on.
template <class T, int Words, int Threads, class LoadPolicy, int Accumulators, class Result,
          class Operation>
WIDELOAD_DEVICE void accumulate_words(const char* first,
                                      Accumulator<Result, Operation> (&accumulators)[Accumulators],
                                      Operation& operation) {
    constexpr int kPerWord = kWideBytes / static_cast<int>(sizeof(T));
    vec<T, kPerWord> loaded[Words];
#pragma unroll
    for (int i = 0; i < Words; ++i) {
        load_bytes<kWideBytes, kWideBytes, LoadPolicy>(first + i * Threads * kWideBytes,
                                                       &loaded[i]);
    }
    // Or ptxas, at the last register, waits for some words before it asks for others.
    if constexpr (Words > 1 && !kCountedSum<Result, Operation>) __syncwarp();
#pragma unroll
    for (int i = 0; i < Words; ++i) {
#pragma unroll
        for (int k = 0; k < kPerWord; ++k)
            accumulators[k % Accumulators].add(static_cast<Result>(loaded[i][k]), operation);
    }
}

/// Whether a block of those that all have a tile has anything beside it: another one, words that
/// tiles leave, or elements around the words.
template <class Build, class T>
WIDELOAD_DEVICE bool has_more(const ReduceInput<T>& input) {
    constexpr unsigned kThreads = Build::kThreads, kTile = Build::kWords * kThreads;
    const unsigned words = static_cast<unsigned>(input.words), rest = words % kTile;
    return (blockIdx.x + gridDim.x + 1) * kTile <= words ||
           (gridDim.x - 1 - blockIdx.x) * kThreads < rest ||
           (blockIdx.x == 0 && input.head_elements + input.tail_elements != 0);
}

/// A thread's share of the whole words. Tiles of `kWords` words a thread are dealt to blocks in
/// turn; what is left goes to the last blocks, one word a thread. Waits for the last kernel as late
/// as it can, and does `then` after that. Returns how many of the block's threads, from the first
/// on, had any.
///
/// @param more  false if the block is known to have one tile and nothing else
template <class T, class Build, class LoadPolicy, int Accumulators, class Result, class Operation,
          class Then>
WIDELOAD_DEVICE int accumulate_share(const T* body, std::size_t all_words,
                                     Accumulator<Result, Operation> (&accumulators)[Accumulators],
                                     Operation& operation, bool more, const Then& then) {
    // At small sizes the arithmetic of indices is a visible part of the time.
    using Index = std::conditional_t<Build::kSmall, unsigned, std::size_t>;
    constexpr int kWords = Build::kWords, kThreads = Build::kThreads;
    constexpr Index kTile = kWords * kThreads;
    const char* bytes = reinterpret_cast<const char*>(body) + threadIdx.x * kWideBytes;
    const Index words = static_cast<Index>(all_words);
    const Index whole = words - words % kTile;
    Index tile = blockIdx.x * kTile;
    const bool has_tile = tile < whole;
    if constexpr (Build::kBusy) {  // so that the compiler sees that all threads have a value
        const char* first = bytes + std::size_t{tile} * kWideBytes;
        before_wait(first);
        await_last_kernel();
        then();
        accumulate_words<T, kWords, kThreads, LoadPolicy>(first, accumulators, operation);
        if (!more) return kThreads;
        tile += gridDim.x * kTile;
    } else {
        await_last_kernel();
        then();
    }
    for (; tile < whole; tile += gridDim.x * kTile) {
        accumulate_words<T, kWords, kThreads, LoadPolicy>(bytes + std::size_t{tile} * kWideBytes,
                                                          accumulators, operation);
    }
    const int rest = static_cast<int>(words - whole);
    const int begin = static_cast<int>((gridDim.x - 1 - blockIdx.x) * kThreads);
    if (begin >= rest) return has_tile ? kThreads : 0;
#pragma unroll 1
    for (int word = begin; word + static_cast<int>(threadIdx.x) < rest;
         word += static_cast<int>(gridDim.x) * kThreads) {
        accumulate_words<T, 1, kThreads, LoadPolicy>(bytes + std::size_t{whole + word} * kWideBytes,
                                                     accumulators, operation);
    }
    return has_tile || rest - begin >= kThreads ? kThreads : rest - begin;
}

/// What one block combines of the input, and how many of its threads have a value of it: block 0
/// also takes head and tail, fewer elements than it has threads. Otherwise as `accumulate_share`.
template <class Build, class LoadPolicy, class T, class Result, class Operation, class Then>
WIDELOAD_DEVICE Result reduce_share(const ReduceInput<T>& input, Operation& operation,
                                    combine_storage<Build::kThreads, false, Result>& shared,
                                    const Then& then) {
    constexpr int kWords = Build::kWords, kThreads = Build::kThreads;
    const int thread = threadIdx.x;
    constexpr int kPerWord =
        kWords == 0
            ? 1
            : kWideBytes / static_cast<int>(sizeof(T) <= kWideBytes ? sizeof(T) : kWideBytes);
    constexpr int kAccumulators = kPerWord < 4 ? kPerWord : 4;  // chains hide latency
    Accumulator<Result, Operation> accumulators[kAccumulators];
    int valid_threads = kThreads;
    if constexpr (kWords == 0) {
        await_last_kernel();
        then();
        const std::size_t share_begin = static_cast<std::size_t>(blockIdx.x) * kThreads;
        if (input.words - share_begin < kThreads)
            valid_threads = static_cast<int>(input.words - share_begin);
        for (std::size_t i = share_begin + thread; i < input.words;
             i += static_cast<std::size_t>(gridDim.x) * kThreads) {
            accumulators[0].add(static_cast<Result>(load_element(input.elements + i)), operation);
        }
    } else {
        bool more = true;
        if constexpr (Build::kSmall && Build::kBusy) {
            more = has_more<Build>(input);  // few blocks do
            before_wait(more);
        }
        valid_threads = accumulate_share<T, Build, LoadPolicy>(
            input.elements + input.head_elements, input.words, accumulators, operation, more, then);
        if (more) {
            const int head = static_cast<int>(input.head_elements);
            const int edges = blockIdx.x == 0 ? head + static_cast<int>(input.tail_elements) : 0;
            if (valid_threads < edges) valid_threads = edges;
            if (thread < edges) {
                const std::size_t between = thread < head ? 0 : input.words * kPerWord;
                accumulators[0].add(
                    static_cast<Result>(load_element<true>(input.elements + between + thread)),
                    operation);
            }
        }
    }
#pragma unroll
    for (int k = 1; k < kAccumulators; ++k) accumulators[0].add(accumulators[k], operation);

    return reduce_block<kThreads, false, Build::kBusy>(accumulators[0].value(), operation, shared,
                                                       valid_threads);
}

/// For how many blocks a multiprocessor ptxas is to leave registers: as many as fit, but where the
/// kernel is for small inputs. Not told, it aims at as many as fit everywhere, and waits for some
/// words before it asks for others. Told, it might spill what an operation not known here needs.
template <class Result, class Operation, class Build>
inline constexpr int kBlocksForRegisters = [] {
    if (Build::kSmall) return sizeof(Result) <= 8 ? 4 : sizeof(Result) <= kWideBytes ? 2 : 0;
    return kLightOperation<Result, Operation> ? kResidentThreads / Build::kThreads : 0;
}();

/// All of a reduction whose operation commutes; see ReducePlan.
template <class T, class Result, class Operation, class Build, class LoadPolicy>
__global__ void __launch_bounds__(Build::kThreads, kBlocksForRegisters<Result, Operation, Build>)
    reduce_kernel(const __grid_constant__ ReducePlan<T, Result> plan, Operation operation) {
    release_next_kernel();
    __shared__ combine_storage<Build::kThreads, false, Result> shared;
    constexpr bool kCounted = kCountedSum<Result, Operation>;
    const bool counts = !kCounted && gridDim.x > 1 && threadIdx.x == 0;
    unsigned started_before = 0;
    const Result partial = reduce_share<Build, LoadPolicy>(plan.input, operation, shared, [&] {
        if (counts) started_before = count_start(plan.started);
    });
    const bool last = counts && started_before == gridDim.x - 1;
    if constexpr (kCounted) {
        combine_counted(plan, partial, operation);
    } else if constexpr (Build::kSmall) {
        if (threadIdx.x < kWarpLanes)
            combine_few_blocks<false, Build::kMailboxesOfLane>(plan, partial, last, operation);
    } else {
        __shared__ bool started_last;
        if (counts) started_last = last;
        combine_blocks<false, Build::kThreads>(plan, partial, started_last, operation, shared);
    }
}

}  // namespace wideload::WIDELOAD_DETAIL
