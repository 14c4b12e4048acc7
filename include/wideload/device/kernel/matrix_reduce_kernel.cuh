// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/block/reduce.cuh>
#include <wideload/device/detail/stream_order.cuh>
#include <wideload/device/kernel/reduce_kernel.cuh>
#include <wideload/thread/element.cuh>

namespace wideload::detail {

/// A row-major matrix, reduced along its rows or its columns. Few long rows (or columns) are cut
/// into `pieces`, whose results form a matrix that is reduced in turn.
template <class T, class Result>
struct MatrixReducePlan {
    const T* input;
    std::size_t rows;
    std::size_t columns;
    std::size_t piece;  ///< elements of a row (of a column) that one group of threads combines
    Result* output;     ///< rows × pieces, or pieces × columns
    Result initial;
    bool combine_initial;  ///< false for the pieces
    bool ragged;           ///< rows (or their pieces) are no whole words
};

/// Loads `PerAccess` elements at once, any alignment for 1.
template <int PerAccess, class T>
WIDELOAD_DEVICE vec<T, PerAccess> load_some(const T* pointer) {
    vec<T, PerAccess> loaded;
    if constexpr (PerAccess == 1) {
        loaded[0] = load_element(pointer);
    } else {
        load_bytes<PerAccess* static_cast<int>(sizeof(T)), PerAccess* static_cast<int>(sizeof(T)),
                   cached>(pointer, &loaded);
    }
    return loaded;
}

/// The elements before the first address at which `PerAccess` of them are loaded at once, at most
/// `count`.
template <int PerAccess, class T>
WIDELOAD_DEVICE std::size_t elements_before_word(const T* pointer, std::size_t count) {
    if constexpr (PerAccess == 1) return 0;
    constexpr unsigned kBytes = PerAccess * sizeof(T);
    const unsigned bytes =
        (0u - static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(pointer))) & (kBytes - 1);
    const std::size_t elements = bytes / sizeof(T);
    return elements < count ? elements : count;
}

/// One group of `Group` threads (a warp or the whole block) per piece of a row. blockIdx.y is the
/// piece.
template <class T, class Result, class Operation, int PerAccess, int Group, int Threads>
__global__ void __launch_bounds__(Threads)
    reduce_rows_kernel(const __grid_constant__ MatrixReducePlan<T, Result> plan,
                       Operation operation) {
    enter_stream_order();
    __shared__ block::reduce_storage<Result, Threads> shared;
    const std::size_t row =
        static_cast<std::size_t>(blockIdx.x) * (Threads / Group) + threadIdx.x / Group;
    const int thread = threadIdx.x % Group;
    if (Group == kWarpLanes && row >= plan.rows) return;
    const std::size_t begin = blockIdx.y * plan.piece;
    const std::size_t end = begin + plan.piece < plan.columns ? begin + plan.piece : plan.columns;
    const T* elements = plan.input + row * plan.columns;
    Accumulator<Result, Operation> accumulator;
    // Whole words from the first boundary on; the few elements before and behind, one a thread.
    const std::size_t head =
        plan.ragged ? elements_before_word<PerAccess>(elements + begin, end - begin) : 0;
    const std::size_t words = (end - begin - head) / PerAccess;
    const std::size_t edges = end - begin - words * PerAccess;
#pragma unroll 4
    for (std::size_t word = thread; word < words; word += Group) {
        const vec<T, PerAccess> loaded =
            load_some<PerAccess>(elements + begin + head + word * PerAccess);
#pragma unroll
        for (int k = 0; k < PerAccess; ++k)
            accumulator.add(static_cast<Result>(loaded[k]), operation);
    }
    if (plan.ragged && static_cast<std::size_t>(thread) < edges) {
        const std::size_t edge = thread;
        accumulator.add(
            static_cast<Result>(elements[begin + edge + (edge < head ? 0 : words * PerAccess)]),
            operation);
    }
    const std::size_t busy = words > edges ? words : edges;
    const int valid = busy < Group ? static_cast<int>(busy) : Group;
    Result result;
    if constexpr (Group == kWarpLanes) {
        result = warp::reduce(accumulator.value(), operation, thread, valid);
    } else {
        result = block::reduce<Threads>(accumulator.value(), operation, shared, thread, valid);
    }
    if (thread == 0) {
        if (plan.combine_initial) result = operation(plan.initial, result);
        plan.output[row * gridDim.y + blockIdx.y] = result;
    }
}

/// A lane per `PerAccess` columns, the block's warps on different rows of a piece; their results
/// meet in shared memory.
template <class T, class Result, class Operation, int PerAccess, int Warps>
__global__ void __launch_bounds__(Warps* kWarpLanes)
    reduce_columns_kernel(const __grid_constant__ MatrixReducePlan<T, Result> plan,
                          Operation operation) {
    enter_stream_order();
    constexpr int kResultBytes = static_cast<int>(sizeof(Result));
    __shared__ alignas(Result) unsigned char bytes[Warps * kWarpLanes * PerAccess * kResultBytes];
    Result* shared = reinterpret_cast<Result*>(bytes);
    const int lane = threadIdx.x % kWarpLanes, warp = threadIdx.x / kWarpLanes;
    const std::size_t column =
        (static_cast<std::size_t>(blockIdx.x) * kWarpLanes + lane) * PerAccess;
    const std::size_t begin = blockIdx.y * plan.piece;
    const std::size_t end = begin + plan.piece < plan.rows ? begin + plan.piece : plan.rows;
    Accumulator<Result, Operation> accumulators[PerAccess];
    if (column < plan.columns) {
#pragma unroll 4
        for (std::size_t row = begin + warp; row < end; row += Warps) {
            const vec<T, PerAccess> loaded =
                load_some<PerAccess>(plan.input + row * plan.columns + column);
#pragma unroll
            for (int k = 0; k < PerAccess; ++k)
                accumulators[k].add(static_cast<Result>(loaded[k]), operation);
        }
    }
    // Column l * PerAccess + k of the block's lies where neither the lanes of one k nor
    // neighbouring columns meet in a bank.
    constexpr int kTurn = (kResultBytes <= 4 ? kWarpLanes : 128 / kResultBytes) / PerAccess;
    const auto place = [](int of_warp, int l, int k) {
        return (of_warp * PerAccess + k) * kWarpLanes + (l + k * kTurn) % kWarpLanes;
    };
#pragma unroll
    for (int k = 0; k < PerAccess; ++k) shared[place(warp, lane, k)] = accumulators[k].value();
    __syncthreads();
    const int own = static_cast<int>(threadIdx.x);
    const std::size_t own_column =
        static_cast<std::size_t>(blockIdx.x) * (kWarpLanes * PerAccess) + own;
    if (own >= kWarpLanes * PerAccess || own_column >= plan.columns) return;
    const int valid = end - begin < Warps ? static_cast<int>(end - begin) : Warps;
    Result result = shared[place(0, own / PerAccess, own % PerAccess)];
    for (int other = 1; other < valid; ++other) {
        result = operation(result, shared[place(other, own / PerAccess, own % PerAccess)]);
    }
    if (plan.combine_initial) result = operation(plan.initial, result);
    plan.output[blockIdx.y * plan.columns + own_column] = result;
}

}  // namespace wideload::detail
