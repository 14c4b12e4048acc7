// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/block/reduce.cuh>
#include <wideload/device/detail/stream_order.cuh>
#include <wideload/device/kernel/counted_sum.cuh>
#include <wideload/thread/element.cuh>

namespace wideload::detail {

/// What is reduced.
template <class T>
struct ReduceInput {
    const T* elements;
    std::size_t head_elements;  ///< before the first 16-byte word
    std::size_t words;
    std::size_t tail_elements;
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

/// How a block's result travels: every 4 bytes in a 64-bit word of their own beside a mark that
/// they are there. Such words are read and written whole, so neither a fence nor an atomic
/// operation stands between the blocks. Source: the flagged values of D. Merrill, M. Garland,
/// "Single-pass parallel prefix scan with decoupled look-back", 2016.
template <class Result>
struct Mailbox {
    static constexpr int kWords = static_cast<int>((sizeof(Result) + 3) / 4);
    static constexpr unsigned long long kFull = 1ull << 32;

    static WIDELOAD_DEVICE void send(unsigned long long* mailbox, const Result& result) {
        std::uint32_t words[kWords] = {};
        std::memcpy(words, &result, sizeof(Result));
#pragma unroll
        for (int i = 0; i < kWords; ++i)
            static_cast<volatile unsigned long long*>(mailbox)[i] = kFull | words[i];
    }

    /// Waits for the results in the mailboxes number `first`, `first + step`, ..., `Count` of them
    /// but none from `end` on, all at once. Gives them to `use` in their order and leaves the
    /// mailboxes empty.
    template <int Count, class Use>
    static WIDELOAD_DEVICE void receive(unsigned long long* mailboxes, unsigned first,
                                        unsigned step, unsigned end, const Use& use) {
        unsigned long long found[Count][kWords];
        unsigned long long full;
        do {
            full = kFull;
#pragma unroll
            for (int i = 0; i < Count; ++i) {
#pragma unroll
                for (int k = 0; k < kWords; ++k) {
                    const volatile unsigned long long* mailbox =
                        mailboxes + (first + i * step) * kWords;
                    found[i][k] = kFull;
                    if (first + i * step < end) found[i][k] = mailbox[k];
                }
            }
#pragma unroll
            for (int i = 0; i < Count; ++i) {
#pragma unroll
                for (int k = 0; k < kWords; ++k) full &= found[i][k];
            }
        } while ((full & kFull) == 0);
#pragma unroll
        for (int i = 0; i < Count; ++i) {
            if (first + i * step >= end) continue;
            std::uint32_t words[kWords];
#pragma unroll
            for (int k = 0; k < kWords; ++k) {
                words[k] = static_cast<std::uint32_t>(found[i][k]);
                mailboxes[(first + i * step) * kWords + k] = 0;
            }
            Result result;
            std::memcpy(&result, words, sizeof(Result));
            use(result);
        }
    }
};

/// Whether a kernel is for small inputs alone, of which a multiprocessor has two blocks at most.
template <class T, int Words, int Threads>
inline constexpr bool kForSmall = Words > 4 || (Threads <= 256 && sizeof(T) < 8);

/// Whether a block's first warp gets the block's result, not thread 0 alone.
template <class Result, class Operation>
inline constexpr bool kReducedToWarp =
    has_identity<Operation, Result>::value && is_commutative<Operation, Result>::value;

/// The shared memory by which a block's threads combine their results.
template <int Threads, class Result, class Operation>
using combine_storage = std::conditional_t<kReducedToWarp<Result, Operation>,
                                           block::reduce_to_warp_storage<Result, Threads>,
                                           block::reduce_storage<Result, Threads>>;

/// A running combination that may still be empty. Operations with an identity start from that
/// instead.
template <class Result, class Operation>
class Accumulator {
public:
    WIDELOAD_DEVICE Accumulator() {
        if constexpr (kIdentity) value_ = Operation::template identity<Result>();
    }
    WIDELOAD_DEVICE void add(const Result& value, Operation& operation) {
        if constexpr (kIdentity) {
            value_ = operation(value_, value);
        } else {
            value_ = has_value_ ? operation(value_, value) : value;
            has_value_ = true;
        }
    }
    WIDELOAD_DEVICE void add(const Accumulator& other, Operation& operation) {
        if (kIdentity || other.has_value_) add(other.value_, operation);
    }
    WIDELOAD_DEVICE const Result& value() const { return value_; }

private:
    static constexpr bool kIdentity = has_identity<Operation, Result>::value;
    Result value_;
    bool has_value_ = false;
};

/// The block's threads' accumulators, combined; thread 0 holds the result, and all of its warp
/// where that costs nothing. Threads up to the last one with a value come first, without gaps,
/// since elements are dealt to threads in order; with an identity all have one.
template <int Threads, class Result, class Operation, class Shared>
WIDELOAD_DEVICE Result reduce_block(const Accumulator<Result, Operation>& own, Operation& operation,
                                    Shared& shared, int valid_threads) {
    if constexpr (kReducedToWarp<Result, Operation>) {
        return block::reduce_to_warp<Threads>(own.value(), operation, shared, threadIdx.x);
    } else {
        return block::reduce<Threads>(own.value(), operation, shared, threadIdx.x, valid_threads);
    }
}

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

/// A thread's share of the whole words. Tiles of `Words` words a thread are dealt to blocks in
/// turn; what is left goes to the last blocks, one word a thread. Returns how many of the block's
/// threads, from the first on, had any.
template <class T, int Words, int Threads, class LoadPolicy, int Accumulators, class Result,
          class Operation>
WIDELOAD_DEVICE int accumulate_share(const T* body, std::size_t words,
                                     Accumulator<Result, Operation> (&accumulators)[Accumulators],
                                     Operation& operation) {
    constexpr std::size_t kTile = Words * Threads;
    const char* bytes = reinterpret_cast<const char*>(body) + threadIdx.x * kWideBytes;
    const std::size_t whole = words - words % kTile;
    const int rest = static_cast<int>(words - whole);
    const int begin = static_cast<int>((gridDim.x - 1 - blockIdx.x) * Threads);
    const bool has_rest = begin < rest;
    for (std::size_t tile = blockIdx.x * kTile; tile < whole; tile += gridDim.x * kTile) {
        accumulate_words<T, Words, Threads, LoadPolicy>(bytes + tile * kWideBytes, accumulators,
                                                        operation);
    }
    if (!has_rest) return blockIdx.x * kTile < whole ? Threads : 0;
#pragma unroll 1
    for (int word = begin; word + static_cast<int>(threadIdx.x) < rest;
         word += static_cast<int>(gridDim.x) * Threads) {
        accumulate_words<T, 1, Threads, LoadPolicy>(bytes + (whole + word) * kWideBytes,
                                                    accumulators, operation);
    }
    return blockIdx.x * kTile < whole || rest - begin >= Threads ? Threads : rest - begin;
}

/// What one block combines of the input, and how many of its threads have a value of it: block 0
/// also takes head and tail, fewer elements than it has threads.
///
/// @tparam Words  16-byte words that a thread has in flight; 0: element by element, for types and
/// addresses that no word fits
template <int Words, int Threads, class LoadPolicy, class T, class Result, class Operation,
          class Shared>
WIDELOAD_DEVICE Result reduce_share(const ReduceInput<T>& input, Operation& operation,
                                    Shared& shared) {
    const int thread = threadIdx.x;
    constexpr int kPerWord =
        Words == 0
            ? 1
            : kWideBytes / static_cast<int>(sizeof(T) <= kWideBytes ? sizeof(T) : kWideBytes);
    constexpr int kAccumulators = kPerWord < 4 ? kPerWord : 4;  // chains hide latency
    Accumulator<Result, Operation> accumulators[kAccumulators];
    const std::size_t edges = blockIdx.x == 0 ? input.head_elements + input.tail_elements : 0;
    int valid_threads = Threads;
    if constexpr (Words == 0) {
        const std::size_t share_begin = static_cast<std::size_t>(blockIdx.x) * Threads;
        if (input.words - share_begin < Threads)
            valid_threads = static_cast<int>(input.words - share_begin);
        for (std::size_t i = share_begin + thread; i < input.words;
             i += static_cast<std::size_t>(gridDim.x) * Threads) {
            accumulators[0].add(static_cast<Result>(load_element(input.elements + i)), operation);
        }
    } else {
        valid_threads = accumulate_share<T, Words, Threads, LoadPolicy>(
            input.elements + input.head_elements, input.words, accumulators, operation);
        if (valid_threads < static_cast<int>(edges)) valid_threads = static_cast<int>(edges);
        if (thread < edges) {
            const std::size_t element =
                thread < input.head_elements ? thread : thread + input.words * kPerWord;
            accumulators[0].add(static_cast<Result>(load_element(input.elements + element)),
                                operation);
        }
    }
#pragma unroll
    for (int k = 1; k < kAccumulators; ++k) accumulators[0].add(accumulators[k], operation);

    return reduce_block<Threads>(accumulators[0], operation, shared, valid_threads);
}

/// How many blocks started before this one; the last leaves the count at 0. One thread asks at the
/// start of its block and looks at the answer at the end, so that it comes while the block reads.
/// (Of an addition ptxas makes a vote of the warp, and the warp's loads then wait for its outcome.)
WIDELOAD_DEVICE unsigned count_start(unsigned* started) {
    return atomicInc(started, gridDim.x - 1);
}

/// What is left to do when thread 0 of every block has its block's result.
///
/// @tparam InOrder      a thread of the last block combines neighbouring results, not every
/// `Threads`th
/// @param started_last  shared; known to thread 0
template <bool InOrder, int Threads, class T, class Result, class Operation, class Shared>
WIDELOAD_DEVICE void combine_blocks(const ReducePlan<T, Result>& plan, const Result& partial,
                                    const bool& started_last, Operation& operation,
                                    Shared& shared) {
    const int thread = threadIdx.x;
    if (gridDim.x == 1) {
        if (thread == 0) *plan.output = operation(plan.initial, partial);
        return;
    }

    if (thread == 0)
        Mailbox<Result>::send(plan.partials + blockIdx.x * Mailbox<Result>::kWords, partial);
    __syncthreads();
    if (!started_last) return;
    const unsigned group = InOrder ? divide_up<unsigned>(gridDim.x, Threads) : 1;
    const unsigned first = thread * group, step = InOrder ? 1 : Threads;
    const unsigned end = InOrder && first + group < gridDim.x ? first + group : gridDim.x;
    Accumulator<Result, Operation> total;
    for (unsigned i = first; i < end; i += step) {
        Mailbox<Result>::template receive<1>(
            plan.partials, i, step, end,
            [&](const Result& result) { total.add(result, operation); });
    }
    const unsigned busy = divide_up(gridDim.x, group);
    const int combined = busy < Threads ? static_cast<int>(busy) : Threads;
    const Result sum = reduce_block<Threads>(total, operation, shared, combined);
    if (thread == 0) *plan.output = operation(plan.initial, sum);
}

/// Mailboxes of 4-byte results that one warp collects: five for a lane hold those of a block for
/// each of 160 multiprocessors.
inline constexpr int kMailboxesOfLane = 5;

/// As `combine_blocks`, for at most so many blocks, each of whose first warps has its result.
template <class T, class Result, class Operation>
WIDELOAD_DEVICE void combine_few_blocks(const ReducePlan<T, Result>& plan, const Result& partial,
                                        bool started_last, Operation& operation) {
    const unsigned lane = threadIdx.x;
    if (lane >= kWarpLanes) return;
    if (lane == 0) Mailbox<Result>::send(plan.partials + blockIdx.x, partial);
    if (!__shfl_sync(kFullWarp, started_last, 0)) return;
    Accumulator<Result, Operation> total;
    Mailbox<Result>::template receive<kMailboxesOfLane>(
        plan.partials, lane, kWarpLanes, gridDim.x,
        [&](const Result& result) { total.add(result, operation); });
    const Result all = warp::all_reduce(total.value(), operation);
    if (lane == 0) *plan.output = operation(plan.initial, all);
}

/// As `combine_blocks` for sums that are the same in any order: no block waits for another.
template <class T, class Result, class Operation>
WIDELOAD_DEVICE void combine_counted(const ReducePlan<T, Result>& plan, Result partial,
                                     Operation& operation) {
    static_assert(kReducedToWarp<Result, Operation>);
    if (threadIdx.x >= kWarpLanes) return;
    auto* const words = reinterpret_cast<unsigned long long*>(plan.started);
    if (gridDim.x != 1 && !add_counted(words, &partial)) return;
    if (threadIdx.x == 0) *plan.output = operation(plan.initial, partial);
}

/// The threads that a multiprocessor holds.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900 || \
    __CUDA_ARCH__ / 100 == 10
inline constexpr int kResidentThreads = 2048;
#elif __CUDA_ARCH__ < 800
inline constexpr int kResidentThreads = 1024;
#else
inline constexpr int kResidentThreads = 1536;
#endif

/// For how many blocks a multiprocessor ptxas is to leave registers: as many as fit, but where the
/// kernel is for small inputs. Not told, it aims at as many as fit everywhere, and waits for some
/// words before it asks for others. Told, it might spill what an operation not known here needs.
template <class T, class Result, class Operation, int Words, int Threads>
inline constexpr int kBlocksForRegisters = [] {
    constexpr bool kKnown = std::is_same_v<Operation, plus> || warp::detail::kIsExtremum<Operation>;
    if (!kKnown || !std::is_arithmetic_v<Result>) return 0;
    return kForSmall<T, Words, Threads> ? 2 : kResidentThreads / Threads;
}();

/// All of a reduction; see ReducePlan.
template <class T, class Result, class Operation, int Words, int Threads, class LoadPolicy>
__global__ void __launch_bounds__(Threads,
                                  kBlocksForRegisters<T, Result, Operation, Words, Threads>)
    reduce_kernel(const __grid_constant__ ReducePlan<T, Result> plan, Operation operation) {
    enter_stream_order();
    __shared__ combine_storage<Threads, Result, Operation> shared;
    constexpr bool kCounted = kCountedSum<Result, Operation>;
    const bool counts = !kCounted && gridDim.x > 1 && threadIdx.x == 0;
    unsigned started_before = 0;
    if (counts) started_before = count_start(plan.started);
    const Result partial =
        reduce_share<Words, Threads, LoadPolicy, T, Result>(plan.input, operation, shared);
    if constexpr (kCounted) {
        combine_counted(plan, partial, operation);
    } else {
        const bool last = counts && started_before == gridDim.x - 1;
        if constexpr (kReducedToWarp<Result, Operation> && kForSmall<T, Words, Threads> &&
                      sizeof(Result) <= 4) {
            if (gridDim.x > 1 && gridDim.x <= kMailboxesOfLane * kWarpLanes)
                return combine_few_blocks(plan, partial, last, operation);
        }
        __shared__ bool started_last;
        if (counts) started_last = last;
        combine_blocks<false, Threads>(plan, partial, started_last, operation, shared);
    }
}

}  // namespace wideload::detail
