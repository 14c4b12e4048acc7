// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/kernel/matrix_reduce_kernel.cuh>
#include <wideload/device/kernel/staged_columns.cuh>
#include <wideload/support/turn.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// A matrix of few columns, read as the range that it is.
template <class T, class Result>
struct ThinColumnsPlan {
    ReduceInput<T> input;  ///< its words are of `PerAccess` elements
    unsigned columns;
    /// Threads of a block that read. So many words are whole rows, so that all words of a thread
    /// hold the same columns.
    unsigned readers;
    Result* output;  ///< columns values a block
    Result initial;
    bool combine_initial;
};

/// Words that a thread has in flight: four where its accumulators take more than 16 bytes, since
/// ptxas then spills some of more, so that four blocks fit.
template <int PerAccess, class T, class Result>
inline constexpr int kThinLoads =
    PerAccess * sizeof(Result) > 16 && kLoadsTogether<PerAccess, T> > 4
        ? 4
        : kLoadsTogether<PerAccess, T>;

/// A block's accumulators in shared memory, element t * PerAccess + k being thread t's number k:
/// readers of neighbours meet in no bank, wherever they begin. Nor do writers: those whose elements
/// lie 128 bytes apart write different numbers at a time.
template <class Result, int PerAccess, int Threads>
struct ThinColumnsShared {
    SharedValue<Result> elements[PerAccess * Threads];

    template <class Operation>
    WIDELOAD_DEVICE void put(unsigned thread,
                             const Accumulator<Result, Operation> (&accumulators)[PerAccess]) {
        constexpr int kUnit = SharedValue<Result>::kUnit;
        constexpr unsigned kThreadsAround =
            PerAccess * kUnit < kLineBytes ? kLineBytes / (PerAccess * kUnit) : 1;
        constexpr unsigned kInBank = kUnit < 4 ? 4 / kUnit : 1;
        const unsigned turns = thread / kThreadsAround * kInBank % PerAccess;
        Result values[PerAccess];
#pragma unroll
        for (int k = 0; k < PerAccess; ++k) values[k] = accumulators[k].value();
        rotate(values, turns);
#pragma unroll
        for (int k = 0; k < PerAccess; ++k)
            elements[thread * PerAccess + (k + turns) % PerAccess].put(values[k]);
    }
};

/// A thread's share of the words, dealt to blocks in tiles; the last, partial one by rows of
/// `readers` words to the last blocks.
template <int PerAccess, int Together, class T, class Result, class Operation>
WIDELOAD_DEVICE void accumulate_thin_share(
    const ThinColumnsPlan<T, Result>& plan,
    Accumulator<Result, Operation> (&accumulators)[PerAccess], Operation& operation) {
    const std::size_t row = plan.readers, tile = Together * row;
    const std::size_t whole = plan.input.words - plan.input.words % tile;
    const T* first = plan.input.elements + plan.input.head_elements + threadIdx.x * PerAccess;
    for (std::size_t word = blockIdx.x * tile; word < whole; word += gridDim.x * tile) {
        accumulate_loads<PerAccess, kWideBytes, Together>(first + word * PerAccess, row * PerAccess,
                                                          Together, accumulators, operation);
    }
#pragma unroll 1
    for (std::size_t word = whole + (gridDim.x - 1 - blockIdx.x) * row;
         word + threadIdx.x < plan.input.words; word += gridDim.x * row) {
        accumulate_loads<PerAccess, kWideBytes, 1>(first + word * PerAccess, 0, 1, accumulators,
                                                   operation);
    }
}

/// The same through shared memory: rows of `readers` words are dealt to blocks in turn, each warp
/// has a part of each.
template <int PerAccess, class T, class Result, class Operation>
WIDELOAD_DEVICE void accumulate_thin_staged(
    const ThinColumnsPlan<T, Result>& plan, char* staged,
    Accumulator<Result, Operation> (&accumulators)[PerAccess], Operation& operation) {
    const unsigned thread = threadIdx.x, lane = thread % kWarpLanes, first_thread = thread - lane;
    if (first_thread >= plan.readers) return;
    const unsigned readers = plan.readers - first_thread;
    const unsigned length = readers < kWarpLanes ? readers : kWarpLanes;
    const std::size_t first_word = blockIdx.x * std::size_t{plan.readers} + first_thread;
    const std::size_t step = gridDim.x * std::size_t{plan.readers};
    if (first_word >= plan.input.words) return;
    const std::size_t words = plan.input.words - first_word;
    const StagedParts<T> parts(
        ReachedWordsInside::of(plan.input.elements,
                               plan.input.words * PerAccess + plan.input.tail_elements),
        plan.input.elements + first_word * PerAccess, step * PerAccess, (words - 1) / step + 1,
        length * PerAccess, staged);
    const std::size_t own_parts = lane < length && lane < words ? (words - lane - 1) / step + 1 : 0;
    parts.for_each([&](std::size_t part, const vec<T, PerAccess>& run) {
        if (part < own_parts) add_run(run, PerAccess, accumulators, operation);
    });
}

/// Combines the `slices` totals of each column, thread slice * columns + c holding that of column
/// c, into the first one's. The first `valid` elements of `shared` had a value; all threads call.
template <class Shared, class Result, class Operation>
WIDELOAD_DEVICE void combine_slices(Shared& shared, unsigned columns, unsigned slices,
                                    unsigned valid, Accumulator<Result, Operation>& total,
                                    Operation& operation) {
    const unsigned thread = threadIdx.x, slice = thread / columns;
    const unsigned own = thread - slice * columns;
    // Slices with a value come first.
    const unsigned filled = valid > own ? (valid - own - 1) / columns + 1 : 0;
    __syncthreads();
    shared.elements[thread].put(total.value());
    for (unsigned left = slices; left > 1; left = (left + 1) / 2) {
        const unsigned half = (left + 1) / 2;
        __syncthreads();
        if (slice < left - half && slice + half < filled) {
            total.add(shared.elements[thread + half * columns].get(), operation);
            shared.elements[thread].put(total.value());
        }
    }
}

/// The few elements of a column before the first word and behind the last one.
template <int PerAccess, bool Aligned, class T, class Result, class Operation>
WIDELOAD_DEVICE void add_edges(const ReduceInput<T>& input, unsigned columns, unsigned column,
                               Accumulator<Result, Operation>& total, Operation& operation) {
    for (std::size_t e = column; e < input.head_elements; e += columns)
        total.add(static_cast<Result>(load_element<Aligned>(input.elements + e)), operation);
    const std::size_t tail = input.head_elements + input.words * PerAccess;
    const unsigned begins = static_cast<unsigned>(tail % columns);
    const unsigned first = column >= begins ? column - begins : column + columns - begins;
    for (std::size_t e = first; e < input.tail_elements; e += columns)
        total.add(static_cast<Result>(load_element<Aligned>(input.elements + tail + e)), operation);
}

/// Columns of a matrix that has few: threads read 16-byte words of the whole range, whatever rows
/// they belong to, each always the same columns. Every block has a whole tile, or is the only one.
///
/// @tparam Staged  elements of any size from any address on, through shared memory
template <class T, class Result, class Operation, int PerAccess, int Threads, bool Staged,
          class Plan = ThinColumnsPlan<T, Result>>
__global__ void __launch_bounds__(Threads)
    reduce_thin_columns_kernel(const __grid_constant__ Plan plan, Operation operation) {
    enter_with(plan, plan.input.elements, plan.input.words * (PerAccess * sizeof(T)));
    using Shared = ThinColumnsShared<Result, PerAccess, Threads>;
    constexpr int kWarpBytes = Staged ? ColumnRuns<T>::kWarpBytes : 0;
    constexpr std::size_t kStagedBytes = std::size_t{Threads} / kWarpLanes * kWarpBytes;
    constexpr std::size_t kBytes = sizeof(Shared) > kStagedBytes ? sizeof(Shared) : kStagedBytes;
    __shared__ uint4 memory[divide_up<std::size_t>(kBytes, kWideBytes)];
    Shared& shared = *reinterpret_cast<Shared*>(memory);
    const unsigned thread = threadIdx.x;
    const ReduceInput<T>& input = plan.input;
    Accumulator<Result, Operation> accumulators[PerAccess];
    if constexpr (Staged) {
        accumulate_thin_staged(plan,
                               reinterpret_cast<char*>(memory) + thread / kWarpLanes * kWarpBytes,
                               accumulators, operation);
        __syncthreads();
    } else if (thread < plan.readers) {
        accumulate_thin_share<PerAccess, kThinLoads<PerAccess, T, Result>>(plan, accumulators,
                                                                           operation);
    }
    // Lanes have read different numbers of words. An operation with an atomic access has ptxas let
    // those that wait go on before the others (YIELD), and ptxas 13.0 then forgets to bring them
    // together: a warp that arrives in two parts counts as two at the block's barrier.
    __syncwarp();
    shared.put(thread, accumulators);
    __syncthreads();

    // Elements with a value, and in how many slices the threads combine those of a column.
    const unsigned valid =
        PerAccess *
        (input.words < plan.readers ? static_cast<unsigned>(input.words) : plan.readers);
    const unsigned slices = plan.columns < Threads ? Threads / plan.columns : 1;
    const unsigned slice = thread / plan.columns;
    Accumulator<Result, Operation> total;
    for (unsigned base = 0; base < plan.columns; base += Threads) {
        const unsigned own = slices == 1 ? base + thread : thread - slice * plan.columns;
        total = Accumulator<Result, Operation>();
        if (slices == 1 ? own < plan.columns : slice < slices) {
            const unsigned first = own + (slices == 1 ? 0 : slice * plan.columns);
            for (unsigned e = first; e < valid; e += slices * plan.columns)
                total.add(shared.elements[e].get(), operation);
        }
        if (slices > 1) {
            combine_slices(shared, plan.columns, slices, valid, total, operation);
            if (slice != 0) return;
        }
        if (own >= plan.columns) return;
        const unsigned column = static_cast<unsigned>((own + input.head_elements) % plan.columns);
        if (blockIdx.x == 0)
            add_edges<PerAccess, !Staged>(input, plan.columns, column, total, operation);
        Result result = total.value();
        if (plan.combine_initial) result = operation(plan.initial, result);
        plan.output[static_cast<std::size_t>(blockIdx.x) * plan.columns + column] = result;
    }
}

}  // namespace wideload::WIDELOAD_DETAIL
