// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/block/reduce.cuh>
#include <wideload/device/operations.cuh>
#include <wideload/thread/element.cuh>

namespace wideload::detail {

/// A reduction in one launch: every block reduces a share of the words, and the block that started
/// last combines the blocks' results in their order, so the result does not depend on which one
/// that was. It may wait for the others, since all have started.
template <class T, class Result>
struct ReducePlan {
    const T* input;
    std::size_t head_elements;  ///< before the first 16-byte word
    std::size_t words;
    std::size_t tail_elements;
    Result* output;
    Result initial;
    unsigned long long* partials;  ///< a mailbox per block; unused by a single block
    unsigned*
        started;  ///< blocks so far. This and all mailboxes are 0 before and after every launch
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

    /// Waits for the result, takes it and leaves the mailbox empty.
    static WIDELOAD_DEVICE Result receive(unsigned long long* mailbox) {
        std::uint32_t words[kWords];
#pragma unroll
        for (int i = 0; i < kWords; ++i) {
            unsigned long long word;
            do {
                word = static_cast<volatile unsigned long long*>(mailbox)[i];
            } while ((word & kFull) == 0);
            words[i] = static_cast<std::uint32_t>(word);
            mailbox[i] = 0;
        }
        Result result;
        std::memcpy(&result, words, sizeof(Result));
        return result;
    }
};

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

/// The block's threads' accumulators, combined. Threads up to the last one with a value come first,
/// without gaps, since elements are dealt to threads in order.
template <int Threads, class Result, class Operation, class Shared>
WIDELOAD_DEVICE Result reduce_block(const Accumulator<Result, Operation>& own, Operation& operation,
                                    Shared& shared, int valid_threads) {
    return block::reduce<Threads>(own.value(), operation, shared, threadIdx.x, valid_threads);
}

template <class T, int Words, class LoadPolicy, int Accumulators, class Result, class Operation>
WIDELOAD_DEVICE void accumulate_words(const T* body, std::size_t first, std::size_t words, int step,
                                      Accumulator<Result, Operation> (&accumulators)[Accumulators],
                                      Operation& operation) {
    constexpr int kPerWord = kWideBytes / static_cast<int>(sizeof(T));
    vec<T, kPerWord> loaded[Words];
#pragma unroll
    for (int i = 0; i < Words; ++i) {
        const std::size_t word = first + static_cast<std::size_t>(i) * step;
        if (word < words)
            loaded[i] =
                load<kPerWord, LoadPolicy>(aligned_ptr<const T, kWideBytes>::unchecked(body), word);
    }
#pragma unroll
    for (int i = 0; i < Words; ++i) {
        const std::size_t word = first + static_cast<std::size_t>(i) * step;
        if (word < words) {
#pragma unroll
            for (int k = 0; k < kPerWord; ++k) {
                accumulators[k % Accumulators].add(static_cast<Result>(loaded[i][k]), operation);
            }
        }
    }
}

/// @tparam Words  16-byte words that a thread has in flight; 0: element by element, for types and
/// addresses that no word
///                fits
template <class T, class Result, class Operation, int Words, int Threads, class LoadPolicy>
__global__ void __launch_bounds__(Threads)
    reduce_kernel(const __grid_constant__ ReducePlan<T, Result> plan, Operation operation) {
    __shared__ block::reduce_storage<Result, Threads> shared;
    __shared__ bool started_last;
    const int thread = threadIdx.x;
    // Asked now, so that the answer is there when the block has read its share.
    if (gridDim.x > 1 && thread == 0) started_last = atomicAdd(plan.started, 1u) == gridDim.x - 1;
    constexpr int kPerWord =
        Words == 0
            ? 1
            : kWideBytes / static_cast<int>(sizeof(T) <= kWideBytes ? sizeof(T) : kWideBytes);
    constexpr int kAccumulators = kPerWord < 4 ? kPerWord : 4;
    Accumulator<Result, Operation> accumulators[kAccumulators];

    // How many threads of this block have a value: block 0 also takes head and tail, fewer elements
    // than it has threads.
    const std::size_t edges = blockIdx.x == 0 ? plan.head_elements + plan.tail_elements : 0;
    std::size_t share_begin = 0;
    if constexpr (Words == 0) {
        share_begin = static_cast<std::size_t>(blockIdx.x) * Threads;
        for (std::size_t i = share_begin + thread; i < plan.words;
             i += static_cast<std::size_t>(gridDim.x) * Threads) {
            accumulators[0].add(static_cast<Result>(load_element(plan.input + i)), operation);
        }
    } else {
        const T* body = plan.input + plan.head_elements;
        share_begin = static_cast<std::size_t>(blockIdx.x) * (Threads * Words);
        const std::size_t stride = static_cast<std::size_t>(gridDim.x) * (Threads * Words);
        for (std::size_t tile = share_begin; tile < plan.words; tile += stride) {
            accumulate_words<T, Words, LoadPolicy>(body, tile + thread, plan.words, Threads,
                                                   accumulators, operation);
        }
        if (thread < edges) {
            const std::size_t element =
                thread < plan.head_elements ? thread : thread + plan.words * kPerWord;
            accumulators[0].add(static_cast<Result>(load_element(plan.input + element)), operation);
        }
    }
#pragma unroll
    for (int k = 1; k < kAccumulators; ++k) accumulators[0].add(accumulators[k], operation);

    std::size_t valid = share_begin < plan.words ? plan.words - share_begin : 0;
    if (valid < edges) valid = edges;
    const int valid_threads = valid < Threads ? static_cast<int>(valid) : Threads;
    const Result partial = reduce_block<Threads>(accumulators[0], operation, shared, valid_threads);
    if (gridDim.x == 1) {
        if (thread == 0) *plan.output = operation(plan.initial, partial);
        return;
    }

    if (thread == 0)
        Mailbox<Result>::send(plan.partials + blockIdx.x * Mailbox<Result>::kWords, partial);
    __syncthreads();
    if (!started_last) return;
    Accumulator<Result, Operation> total;
    for (unsigned i = thread; i < gridDim.x; i += Threads) {
        total.add(Mailbox<Result>::receive(plan.partials + i * Mailbox<Result>::kWords), operation);
    }
    const int combined = gridDim.x < Threads ? static_cast<int>(gridDim.x) : Threads;
    const Result sum = reduce_block<Threads>(total, operation, shared, combined);
    if (thread == 0) {
        *plan.output = operation(plan.initial, sum);
        *plan.started = 0;
    }
}

}  // namespace wideload::detail
