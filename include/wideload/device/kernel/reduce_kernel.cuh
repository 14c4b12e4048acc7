// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/detail/stream_order.cuh>
#include <wideload/device/kernel/accumulator.cuh>
#include <wideload/device/kernel/combine_blocks.cuh>
#include <wideload/thread/element.cuh>
#include <wideload/tuning/reduce_tuning.cuh>

#include <cstring>

namespace wideload::WIDELOAD_DETAIL {

/// How a reduction's kernel is built.
///
/// @tparam Words    16-byte words that a thread has in flight, at most; 0: element by element, for
/// types and addresses that no word fits
/// @tparam OfLane   mailboxes that a lane of one warp collects at most, if one warp collects all,
/// as it does for small inputs, of which a multiprocessor has two blocks at most; else 0
/// @tparam Busy     every thread has `Words` words at least
template <int Words, int Threads, int OfLane, bool Busy>
struct ReduceBuild {
    static constexpr int kWords = Words, kThreads = Threads, kMailboxesOfLane = OfLane;
    static constexpr bool kSmall = OfLane != 0, kBusy = Busy;
    /// The fewest words of a thread's tile: where many are in flight, as many as share a small
    /// input evenly.
    static constexpr int kFewest =
        kSmall && Words > tuning::kReduceWords ? tuning::kReduceWords + 1 : Words;
};

/// How a reduction's words are cut into tiles.
struct ReduceTiles {
    const char* first;
    std::size_t whole;  ///< words that are in tiles
    int words;          ///< of a thread in each
};

/// `Words` words, `Threads` words apart, from `first` on.
///
/// @tparam Ordered  whether ptxas is to ask for all of them, and for what was asked for before, in
/// front of the first use; at its last registers it does not by itself
template <class T, int Words, int Threads, class LoadPolicy, bool Ordered, int Accumulators,
          class Result, class Operation>
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
    if constexpr (Ordered && Words > 1) __syncwarp();
#pragma unroll
    for (int i = 0; i < Words; ++i) {
#pragma unroll
        for (int k = 0; k < kPerWord; ++k)
            accumulators[k % Accumulators].add(static_cast<Result>(loaded[i][k]), operation);
    }
}

/// The words of a tile, of which the compiler sees that they are constant where they are.
template <class Build>
WIDELOAD_DEVICE unsigned tile_size(const ReduceTiles& tiles) {
    return (Build::kFewest == Build::kWords ? Build::kWords : tiles.words) * Build::kThreads;
}

/// Whether a block of those that all have a tile has anything beside it: another one, words that
/// tiles leave, or elements around the words.
template <class Build, class T>
WIDELOAD_DEVICE bool has_more(const ReduceInput<T>& input, const ReduceTiles& tiles) {
    constexpr unsigned kThreads = Build::kThreads;
    const unsigned whole = static_cast<unsigned>(tiles.whole);
    const unsigned rest = static_cast<unsigned>(input.words) - whole;
    return (blockIdx.x + gridDim.x + 1) * tile_size<Build>(tiles) <= whole ||
           (gridDim.x - 1 - blockIdx.x) * kThreads < rest ||
           (blockIdx.x == 0 && input.head_elements + input.tail_elements != 0);
}

/// Does `then(Words)` for the words of a thread's tile. Kernels for each number of them would be
/// many, and words that may be missing are asked for when the others have come.
template <class Build, int Words = Build::kWords, class Then>
WIDELOAD_DEVICE void for_tile_words(const ReduceTiles& tiles, const Then& then) {
    if constexpr (Words > Build::kFewest) {
        if (tiles.words < Words) return for_tile_words<Build, Words - 1>(tiles, then);
    }
    then(std::integral_constant<int, Words>{});
}

/// Whether what is beside tiles is found before the wait for the last kernel and loaded before the
/// tiles: it takes 0.4 µs less, but for registers where blocks are to be many. Only sums of 4 bytes
/// have them there.
template <class Result, class Operation, class Build>
inline constexpr bool kBesideFirst =
    Build::kSmall || (kCountedSum<Result, Operation> && sizeof(Result) <= 4);

/// What a thread takes beside tiles: of the words that these leave the last blocks have one for
/// each thread, and block 0 has the elements around the words, which are fewer than its threads.
template <class T, class Build, class LoadPolicy>
class BesideTiles {
    static constexpr int kThreads = Build::kThreads;
    static constexpr int kSize = static_cast<int>(sizeof(T)), kPerWord = kWideBytes / kSize;

public:
    /// @param whole  words that are in tiles
    WIDELOAD_DEVICE void find(const ReduceInput<T>& input, std::size_t whole) {
        const int thread = threadIdx.x;
        const int begin = static_cast<int>((gridDim.x - 1 - blockIdx.x) * kThreads);
        word_ = begin + thread;
        rest_ = static_cast<int>(input.words - whole);
        has_word_ = word_ < rest_;
        words_ = input.elements + input.head_elements + (whole + word_) * kPerWord;
        const int head = static_cast<int>(input.head_elements);
        const int edges = blockIdx.x == 0 ? head + static_cast<int>(input.tail_elements) : 0;
        has_edge_ = thread < edges;
        edge_at_ = input.elements + (thread < head ? 0 : input.words * kPerWord) + thread;
        const int of_words = rest_ - begin;
        busy_ = of_words < edges ? edges : of_words < kThreads ? of_words : kThreads;
        before_wait(words_);
        before_wait(edge_at_);
        before_wait(has_word_);
        before_wait(has_edge_);
    }
    /// Nothing, if nothing was found.
    WIDELOAD_DEVICE void fetch() {
        if (has_word_) load_bytes<kWideBytes, kWideBytes, LoadPolicy>(words_, &loaded_);
        if (has_edge_) load_bytes<kSize, kSize, LoadPolicy>(edge_at_, &edge_);
    }
    template <int Accumulators, class Result, class Operation>
    WIDELOAD_DEVICE void add(Accumulator<Result, Operation> (&accumulators)[Accumulators],
                             Operation& operation) const {
        if (has_word_) add_word(loaded_, accumulators, operation);
        const int step = static_cast<int>(gridDim.x) * kThreads;
#pragma unroll 1
        for (int behind = step; word_ + behind < rest_; behind += step) {  // of few blocks
            uint4 loaded;
            load_bytes<kWideBytes, kWideBytes, LoadPolicy>(words_ + behind * kPerWord, &loaded);
            add_word(loaded, accumulators, operation);
        }
        if (has_edge_) {
            T edge;
            std::memcpy(&edge, &edge_, kSize);
            accumulators[0].add(static_cast<Result>(edge), operation);
        }
    }
    /// How many of the block's threads, from the first on, have any.
    WIDELOAD_DEVICE int busy() const { return busy_; }

private:
    template <int Accumulators, class Result, class Operation>
    static WIDELOAD_DEVICE void add_word(
        const uint4& word, Accumulator<Result, Operation> (&accumulators)[Accumulators],
        Operation& operation) {
        vec<T, kPerWord> elements;
        std::memcpy(&elements, &word, kWideBytes);
#pragma unroll
        for (int k = 0; k < kPerWord; ++k)
            accumulators[k % Accumulators].add(static_cast<Result>(elements[k]), operation);
    }

    const T *words_, *edge_at_;
    int word_, rest_, busy_;
    bool has_word_ = false, has_edge_ = false;
    uint4 loaded_;  // as whole registers, whatever its elements are
    access_word_t<kSize> edge_;
};

/// A thread's share of the input: tiles, which are dealt to blocks in turn, and what is beside
/// them. Waits for the last kernel as late as it can, and does `then` after that. Returns how many
/// of the block's threads, from the first on, had any.
///
/// @param more  false if the block is known to have one tile and nothing else
template <class Build, class LoadPolicy, class T, int Accumulators, class Result, class Operation,
          class Then>
WIDELOAD_DEVICE int accumulate_share(const ReduceInput<T>& input, const ReduceTiles& tiles,
                                     Accumulator<Result, Operation> (&accumulators)[Accumulators],
                                     Operation& operation, bool more, const Then& then) {
    // In small work index arithmetic shows; elsewhere `tiles` would take the last registers.
    using Index = std::conditional_t<Build::kSmall, unsigned, std::size_t>;
    constexpr int kThreads = Build::kThreads;
    const Index words = static_cast<Index>(input.words), size = tile_size<Build>(tiles);
    const Index whole = Build::kSmall ? static_cast<Index>(tiles.whole) : words - words % size;
    Index tile = blockIdx.x * size;
    const bool has_tile = tile < whole;
    constexpr bool kFirst = kBesideFirst<Result, Operation, Build>;
    constexpr bool kOrdered = Build::kSmall || !kCountedSum<Result, Operation>;
    BesideTiles<T, Build, LoadPolicy> beside;
    if (Build::kSmall) input.prefetch();
    if (kFirst && more) beside.find(input, whole);
    const char* const bytes = reinterpret_cast<const char*>(input.elements + input.head_elements) +
                              threadIdx.x * kWideBytes;
    const auto own_words = [&] {
        return Build::kSmall ? tiles.first + std::size_t{tile + threadIdx.x} * kWideBytes
                             : bytes + std::size_t{tile} * kWideBytes;
    };
    const auto add_tile = [&](const char* first, auto tile_words) {
        accumulate_words<T, decltype(tile_words)::value, kThreads, LoadPolicy, kOrdered>(
            first, accumulators, operation);
    };
    if constexpr (Build::kBusy) {  // so that the compiler sees that all threads have a value
        for_tile_words<Build>(tiles, [&](auto tile_words) {
            const char* const first = own_words();
            before_wait(first);
            await_last_kernel();
            then();
            if (kFirst) beside.fetch();
            add_tile(first, tile_words);
        });
        if (!more) return kThreads;
        tile += gridDim.x * size;
        if (Build::kSmall) beside.add(accumulators, operation);  // whose registers tiles then have
    } else {
        await_last_kernel();
        then();
        if (kFirst) beside.fetch();
    }
    for (; tile < whole; tile += gridDim.x * size) {
        for_tile_words<Build>(tiles, [&](auto tile_words) { add_tile(own_words(), tile_words); });
    }
    if (!kFirst) {
        beside.find(input, whole);
        beside.fetch();
    }
    if (!(Build::kSmall && Build::kBusy)) beside.add(accumulators, operation);
    return has_tile ? kThreads : beside.busy();
}

/// What one block combines of the input. Otherwise as `accumulate_share`.
template <class Build, class LoadPolicy, class T, class Result, class Operation, class Then>
WIDELOAD_DEVICE Result reduce_share(const ReduceInput<T>& input, const ReduceTiles& tiles,
                                    Operation& operation,
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
            more = has_more<Build>(input, tiles);  // few blocks do
            before_wait(more);
        }
        valid_threads =
            accumulate_share<Build, LoadPolicy>(input, tiles, accumulators, operation, more, then);
    }
#pragma unroll
    for (int k = 1; k < kAccumulators; ++k) accumulators[0].add(accumulators[k], operation);

    return reduce_block<kThreads, false, Build::kBusy>(accumulators[0].value(), operation, shared,
                                                       valid_threads);
}

/// For how many blocks a multiprocessor ptxas is to leave registers: as many as fit, but where the
/// kernel is for small inputs. Not told, it aims at as many as fit everywhere, and waits for some
/// words before it asks for others. Told, it might spill what an operation not known here needs, or
/// bytes and structs of them.
template <class Result, class Operation, class Build>
inline constexpr int kBlocksForRegisters = [] {
    constexpr bool kOfBytes = sizeof(Result) > alignof(Result) && alignof(Result) < 4;
    constexpr bool kManyBytes = alignof(Result) == 1 && Build::kFewest < Build::kWords;
    if (Build::kSmall && sizeof(Result) <= 8) return 4 - kOfBytes - kManyBytes;
    if (Build::kSmall) return sizeof(Result) <= kWideBytes ? 2 : 0;
    return kLightOperation<Result, Operation> ? kResidentThreads / Build::kThreads : 0;
}();

/// All of a reduction whose operation commutes; see ReducePlan.
template <class T, class Result, class Operation, class Build, class LoadPolicy>
__global__ void __launch_bounds__(Build::kThreads, kBlocksForRegisters<Result, Operation, Build>)
    reduce_kernel(const __grid_constant__ ReducePlan<T, Result> plan,
                  const __grid_constant__ ReduceTiles tiles, Operation operation) {
    release_next_kernel();
    __shared__ combine_storage<Build::kThreads, false, Result> shared;
    constexpr bool kCounted = kCountedSum<Result, Operation>;
    const bool counts = !kCounted && gridDim.x > 1 && threadIdx.x == 0;
    unsigned started_before = 0;
    const Result partial =
        reduce_share<Build, LoadPolicy>(plan.input, tiles, operation, shared, [&] {
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
        combine_blocks<false, Build::kThreads, 6>(plan, partial, started_last, operation, shared);
    }
}

}  // namespace wideload::WIDELOAD_DETAIL
