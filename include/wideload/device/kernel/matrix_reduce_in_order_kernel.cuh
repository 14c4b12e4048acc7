// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/kernel/matrix_reduce_kernel.cuh>
#include <wideload/device/kernel/reduce_in_order_kernel.cuh>
#include <wideload/device/kernel/slipped_columns.cuh>
#include <wideload/tuning/reduce_tuning.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// `reduce_rows_kernel` for operations that need not commute: a warp, or the whole block, per piece
/// of a row, which it reads as `reduce_in_order_kernel` does a range.
template <class T, class Result, class Operation, bool Wide, int Group, int Threads,
          class Plan = MatrixReducePlan<T, Result>>
__global__ void __launch_bounds__(Threads, sizeof(Result) <= 2 * kWideBytes ? 2 : 1)
    reduce_rows_in_order_kernel(const __grid_constant__ Plan plan, Operation operation) {
    enter_reduction(plan);
    constexpr int kPerWord = kElementsInOrder<Wide, T>, kSize = static_cast<int>(sizeof(T));
    constexpr bool kExchanged = kExchangedInOrder<Wide, T>;
    // Rows of large results take the registers of several of their elements.
    constexpr int kHeld = kSize < static_cast<int>(sizeof(Result)) ? sizeof(Result) : kSize;
    constexpr int kFit = tuning::kReduceInOrderElements<kHeld>;
    constexpr int kRows = kExchanged ? 1 : Wide && kFit > 1 ? 4 : kFit;
    __shared__ block::reduce_storage<Result, Threads> shared;
    const std::size_t row =
        static_cast<std::size_t>(blockIdx.x) * (Threads / Group) + threadIdx.x / Group;
    if (Group == kWarpLanes && row >= plan.rows) return;
    const std::size_t begin = blockIdx.y * plan.piece;
    const std::size_t end = begin + plan.piece < plan.columns ? begin + plan.piece : plan.columns;
    const T* first = plan.input + row * plan.pitch() + begin;
    constexpr int kFirst = kExchanged ? kSectorBytes : Wide ? kPerWord * kSize : 1;
    const std::size_t head = elements_before_word<kFirst>(first, end - begin);
    // Lanes that exchange words do so by whole rows of them.
    constexpr std::size_t kWhole = kExchanged ? kWarpLanes : 1;
    const std::size_t words = (end - begin - head) / (kPerWord * kWhole) * kWhole;
    const ReduceInput<T> input{first, head, words, end - begin - head - words * kPerWord};
    const TileRuns runs(tiles_in_order<kRows>(words), Group / kWarpLanes);
    Accumulator<Result, Operation> total;
    accumulate_in_order<kRows, Wide, cached>(input, runs, threadIdx.x % Group / kWarpLanes, total,
                                             operation);
    Result result = total.value();
    if constexpr (Group > kWarpLanes) {
        result = block::reduce_warps<Threads>(result, operation, shared, threadIdx.x,
                                              static_cast<int>(runs.busy()));
    }
    if (threadIdx.x % Group == 0) {
        if (plan.combine_initial) result = operation(plan.initial, result);
        plan.output[row * gridDim.y + blockIdx.y] = result;
    }
}

/// Rows of a word at least by `Group` neighbouring lanes each, in the order of their elements:
/// `Group` words at a time, of which so many are in flight as make 64 bytes a lane. Rows begin at
/// elements.
template <class T, class Result, class Operation, int Group, int Threads,
          class Plan = MatrixReducePlan<T, Result>>
__global__ void __launch_bounds__(Threads, 2)
    reduce_rows_by_lanes_in_order_kernel(const __grid_constant__ Plan plan, Operation operation) {
    enter_reduction(plan);
    constexpr int kPerWord = kElementsInOrder<true, T>, kTogether = kLoadsTogether<kPerWord, T>;
    static_assert(kPerWord - 1 <= Group, "an element outside of words for each lane");
    const std::size_t row =
        static_cast<std::size_t>(blockIdx.x) * (Threads / Group) + threadIdx.x / Group;
    const bool exists = row < plan.rows;
    const int thread = threadIdx.x % Group;
    const int columns = exists ? static_cast<int>(plan.columns) : 0;
    const T* const first = plan.input + row * plan.pitch();
    const int head = static_cast<int>(elements_before_word<kWideBytes>(first, columns));
    const int words = (columns - head) / kPerWord, tail = (columns - head) % kPerWord;
    const T* const body = first + head;
    LoadedElement<T> before, behind;
    if (thread < head) before.load(first + thread);
    if (thread < tail) behind.load(body + words * kPerWord + thread);
    Accumulator<Result, Operation> total;
    const auto add_element = [&](const LoadedElement<T>& element, int count) {
        Result own{};
        if (thread < count) own = static_cast<Result>(element.get()[0]);
        add_lanes_in_order<Group>(own, count, total, operation);
    };
    // The same for all rows of a warp, whose heads are not.
    const int rounds = divide_up(static_cast<int>(plan.columns) / kPerWord, Group);
#pragma unroll 1
    for (int round = 0; round < rounds; round += kTogether) {
        LoadedElements<kPerWord, kWideBytes, T> loaded[kTogether];
#pragma unroll
        for (int i = 0; i < kTogether; ++i) {
            const int word = (round + i) * Group + thread;
            if (word < words) loaded[i].load(body + word * kPerWord);
        }
        if (round == 0) add_element(before, head);
#pragma unroll
        for (int i = 0; i < kTogether; ++i) {
            const int left = words - (round + i) * Group, valid = left < Group ? left : Group;
            Result own{};
            if (thread < valid) own = combine_word<Result>(loaded[i].get(), operation);
            add_lanes_in_order<Group>(own, valid, total, operation);
        }
    }
    add_element(behind, tail);
    if (exists && thread == 0) {
        Result result = total.value();
        if (plan.combine_initial) result = operation(plan.initial, result);
        plan.output[row] = result;
    }
}

/// How a block's threads share a piece of few columns: `readers` of them side by side have a run of
/// `rows` rows, and there are so many runs, fewer in the last piece.
struct FewColumnsRuns {
    std::size_t rows;
    unsigned readers, runs, last_runs;

    FewColumnsRuns(std::size_t all_rows, std::size_t piece, unsigned readers, unsigned threads)
        : rows(divide_up<std::size_t>(piece, threads / readers)),
          readers(readers),
          runs(static_cast<unsigned>(divide_up(piece, rows))),
          last_runs(static_cast<unsigned>(divide_up((all_rows - 1) % piece + 1, rows))) {}
};

/// Few columns, for operations that need not commute, or of structs, or rows that lie apart, for
/// any: a thread takes `PerAccess` columns down its run of rows, and the runs' results meet in
/// shared memory.
///
/// @tparam Alignment  of all elements, or `kSlipped`
template <class T, class Result, class Operation, int PerAccess, int Alignment, int Threads,
          class Plan = MatrixReducePlan<T, Result>>
__global__ void __launch_bounds__(Threads)
    reduce_few_columns_in_order_kernel(const __grid_constant__ Plan plan,
                                       const __grid_constant__ FewColumnsRuns shares,
                                       Operation operation) {
    enter_reduction(plan);
    __shared__ SharedValue<Result> shared[PerAccess][Threads];
    const unsigned run = threadIdx.x / shares.readers;
    const unsigned runs = blockIdx.y + 1 == gridDim.y ? shares.last_runs : shares.runs;
    const unsigned column = (threadIdx.x - run * shares.readers) * PerAccess;
    const bool reads = run < runs && column < plan.columns;
    const std::size_t begin = blockIdx.y * plan.piece, first = begin + run * shares.rows;
    const std::size_t end = begin + plan.piece < plan.rows ? begin + plan.piece : plan.rows;
    Accumulator<Result, Operation> accumulators[PerAccess];
    if (reads) {
        const std::size_t rows = end - first < shares.rows ? end - first : shares.rows;
        constexpr int kTogether = kLoadsTogether<PerAccess, T>;
        if constexpr (Alignment == kSlipped) {
            accumulate_slipped_rows<kTogether>(plan, first, first + rows, column, accumulators,
                                               operation);
        } else {
            accumulate_loads<PerAccess, Alignment, kTogether>(
                plan.input + first * plan.pitch() + column, plan.pitch(), rows, accumulators,
                operation);
        }
    }
    // Neighbouring runs are combined, then neighbouring pairs, and so on.
    for (unsigned apart = 1; apart < runs; apart *= 2) {
        const unsigned place = run & (2 * apart - 1);
        if (reads && place == apart) {
#pragma unroll
            for (int k = 0; k < PerAccess; ++k) shared[k][threadIdx.x].put(accumulators[k].value());
        }
        __syncthreads();
        if (reads && place == 0 && run + apart < runs) {
            const unsigned other = threadIdx.x + apart * shares.readers;
#pragma unroll
            for (int k = 0; k < PerAccess; ++k) {
                if (PerAccess == 1 || column + k < plan.columns)
                    accumulators[k].add(shared[k][other].get(), operation);
            }
        }
    }
    if (!reads || run != 0) return;
#pragma unroll
    for (int k = 0; k < PerAccess; ++k) {
        if (PerAccess > 1 && column + k >= plan.columns) return;
        Result result = accumulators[k].value();
        if (plan.combine_initial) result = operation(plan.initial, result);
        plan.output[blockIdx.y * plan.columns + column + k] = result;
    }
}

}  // namespace wideload::WIDELOAD_DETAIL
