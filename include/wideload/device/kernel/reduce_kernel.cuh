// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/block/reduce.cuh>
#include <wideload/device/operations.cuh>
#include <wideload/thread/element.cuh>

namespace wideload::detail {

/// A reduction in one launch: every block reduces a share of the words, and the block that finishes last combines the
/// blocks' results in their order, so the result does not depend on which one that was.
template <class T, class Result>
struct ReducePlan {
    const T* input;
    std::size_t head_elements;  ///< before the first 16-byte word
    std::size_t words;
    std::size_t tail_elements;
    Result* output;
    Result initial;
    Result* partials;    ///< one per block; unused by a single block
    unsigned* finished;  ///< 0 before and after every launch
};

/// A running combination that may still be empty. Operations with an identity start from that instead.
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

/// The block's threads' accumulators, combined. Threads up to the last one with a value come first, without gaps, since
/// elements are dealt to threads in order.
template <int Threads, class Result, class Operation, class Shared>
WIDELOAD_DEVICE Result reduce_block(const Accumulator<Result, Operation>& own, Operation& operation, Shared& shared,
                                    int valid_threads) {
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
        if (word < words) loaded[i] = load<kPerWord, LoadPolicy>(aligned_ptr<const T, kWideBytes>::unchecked(body), word);
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

/// @tparam Words  16-byte words that a thread has in flight; 0: element by element, for types and addresses that no word
///                fits
template <class T, class Result, class Operation, int Words, int Threads, class LoadPolicy>
__global__ void __launch_bounds__(Threads)
    reduce_kernel(const __grid_constant__ ReducePlan<T, Result> plan, Operation operation) {
    __shared__ block::reduce_storage<Result, Threads> shared;
    __shared__ bool is_last;
    const int thread = threadIdx.x;
    constexpr int kPerWord = Words == 0 ? 1 : kWideBytes / static_cast<int>(sizeof(T) <= kWideBytes ? sizeof(T) : kWideBytes);
    constexpr int kAccumulators = kPerWord < 4 ? kPerWord : 4;
    Accumulator<Result, Operation> accumulators[kAccumulators];

    // How many threads of this block have a value: block 0 also takes head and tail, fewer elements than it has threads.
    const std::size_t edges = blockIdx.x == 0 ? plan.head_elements + plan.tail_elements : 0;
    std::size_t share_begin = 0;
    if constexpr (Words == 0) {
        share_begin = static_cast<std::size_t>(blockIdx.x) * Threads;
        for (std::size_t i = share_begin + thread; i < plan.words; i += static_cast<std::size_t>(gridDim.x) * Threads) {
            accumulators[0].add(static_cast<Result>(load_element(plan.input + i)), operation);
        }
    } else {
        const T* body = plan.input + plan.head_elements;
        share_begin = static_cast<std::size_t>(blockIdx.x) * (Threads * Words);
        const std::size_t stride = static_cast<std::size_t>(gridDim.x) * (Threads * Words);
        for (std::size_t tile = share_begin; tile < plan.words; tile += stride) {
            accumulate_words<T, Words, LoadPolicy>(body, tile + thread, plan.words, Threads, accumulators, operation);
        }
        if (thread < edges) {
            const std::size_t element = thread < plan.head_elements ? thread : thread + plan.words * kPerWord;
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

    if (thread == 0) {
        plan.partials[blockIdx.x] = partial;
        __threadfence();
        is_last = atomicAdd(plan.finished, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last) return;
    __threadfence();
    Accumulator<Result, Operation> total;
    for (unsigned i = thread; i < gridDim.x; i += Threads) {
        Result other;
        load_bytes<sizeof(Result), access_width(sizeof(Result), alignof(Result)), cache_global>(plan.partials + i, &other);
        total.add(other, operation);
    }
    __syncthreads();
    const int combined = gridDim.x < Threads ? static_cast<int>(gridDim.x) : Threads;
    const Result sum = reduce_block<Threads>(total, operation, shared, combined);
    if (thread == 0) {
        *plan.output = operation(plan.initial, sum);
        *plan.finished = 0;
    }
}

}  // namespace wideload::detail
