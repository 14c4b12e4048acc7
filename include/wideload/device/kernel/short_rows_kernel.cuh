// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/block/cp_async.cuh>
#include <wideload/device/kernel/matrix_reduce_kernel.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// Rows of a few elements, reduced from shared memory by a thread each, or several by one.
template <class T, class Result>
struct ShortRowsPlan {
    const T* input;  ///< aligned for its type
    std::size_t rows;
    unsigned columns;
    /// So many neighbouring lanes begin with the same element of their rows and meet in no bank ...
    unsigned lanes_per_turn;
    /// ... and those behind them begin so many elements further, whose banks are others'.
    unsigned elements_per_turn;
    unsigned rows_per_block;
    Result* output;
    Result initial;
};

/// Fills in how the lanes of a warp take turns. Elements that are accessed together must differ in
/// their address modulo all banks. With rows of R words, that of row r begins at r R: the rows of
/// one turn differ by multiples of g = gcd(R, banks) words, all of them, and those of another turn
/// by less than g, since rows that end in the middle go on with their first element, a multiple of
/// g words away.
template <class T, class Result>
void set_turns(ShortRowsPlan<T, Result>* plan) {
    constexpr unsigned kSize = sizeof(T), kWordBytes = kSize < 4 ? 4 : kSize;
    constexpr unsigned kLanes = 128 / kWordBytes;
    plan->lanes_per_turn = kWarpLanes;
    plan->elements_per_turn = 0;
    const unsigned row_bytes = plan->columns * kSize;
    // Rows of bytes that are no whole words spread over the banks by themselves, more or less.
    if (row_bytes % kWordBytes != 0) return;
    plan->lanes_per_turn = kLanes / greatest_common_divisor(row_bytes / kWordBytes, kLanes);
    plan->elements_per_turn = kWordBytes / kSize;
}

/// Brings the elements from `first` to `end` to `tile + first % 16`, by whole words: those that
/// reach over the ends of the block's share too, unless they reach over the input's.
template <int Threads, class T>
WIDELOAD_DEVICE void stage_elements(unsigned char* tile, const T* first, unsigned bytes,
                                    bool begins_input, bool ends_input) {
    const unsigned head = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(first)) & 15;
    const char* words = reinterpret_cast<const char*>(first) - head;
    const unsigned end = head + bytes;
    const unsigned begin_whole = begins_input && head != 0 ? 16 : 0;
    const unsigned end_whole = ends_input ? end & ~15u : end;
    for (unsigned at = begin_whole + threadIdx.x * 16; at < end_whole; at += Threads * 16)
        async_copy<16>(tile + at, words + at);
    async_commit();
    const auto copy_element = [&](unsigned at) {
        if (at >= head && at < end)
            *reinterpret_cast<T*>(tile + at) = *reinterpret_cast<const T*>(words + at);
    };
    const unsigned own = threadIdx.x * static_cast<unsigned>(sizeof(T));
    if (own < 16 && begin_whole != 0) copy_element(own);
    if (own < 16 && ends_input)
        copy_element((end_whole < begin_whole ? begin_whole : end_whole) + own);
    async_wait<0>();
}

/// The row, of `columns` elements, that lies at `elements`.
template <class T, class Result, class Operation>
WIDELOAD_DEVICE Result reduce_short_row(const ShortRowsPlan<T, Result>& plan, const T* elements,
                                        Operation& operation) {
    constexpr unsigned kLanes = sizeof(T) <= 4 ? kWarpLanes : 128 / sizeof(T);
    unsigned at = threadIdx.x % kLanes / plan.lanes_per_turn * plan.elements_per_turn;
    constexpr bool kInOrder = !is_commutative<Operation, Result>::value;
    Accumulator<Result, Operation> accumulator, behind;
#pragma unroll 4
    for (unsigned k = 0; k < plan.columns; ++k) {
        accumulator.add(static_cast<Result>(elements[at]), operation);
        at = at + 1 == plan.columns ? 0 : at + 1;
        // What was combined before the row's first element belongs behind the rest.
        if (kInOrder && at == 0) {
            behind = accumulator;
            accumulator = Accumulator<Result, Operation>();
        }
    }
    if constexpr (kInOrder) accumulator.add(behind, operation);
    return operation(plan.initial, accumulator.value());
}

/// A row per thread and turn: the block's rows lie one behind the other, so that it moves whole
/// words whatever the rows' length. Dynamic shared memory: the block's rows and 32 bytes.
template <class T, class Result, class Operation, int Threads>
__global__ void __launch_bounds__(Threads)
    reduce_short_rows_kernel(const __grid_constant__ ShortRowsPlan<T, Result> plan,
                             Operation operation) {
    enter_stream_order();
    extern __shared__ uint4 short_rows_tile[];
    unsigned char* tile = reinterpret_cast<unsigned char*>(short_rows_tile);
    const std::size_t first_row = static_cast<std::size_t>(blockIdx.x) * plan.rows_per_block;
    const std::size_t rest = plan.rows - first_row;
    const unsigned rows =
        rest < plan.rows_per_block ? static_cast<unsigned>(rest) : plan.rows_per_block;
    const T* first = plan.input + first_row * plan.columns;
    // A last block of a few bytes may lie in the word that the block before it ends in.
    const bool ends_input = (rest - rows) * plan.columns * sizeof(T) < kWideBytes;
    stage_elements<Threads>(tile, first, rows * plan.columns * static_cast<unsigned>(sizeof(T)),
                            blockIdx.x == 0, ends_input);
    __syncthreads();
    const T* elements =
        reinterpret_cast<const T*>(tile + (reinterpret_cast<std::uintptr_t>(first) & 15));
    for (unsigned row = threadIdx.x; row < rows; row += Threads)
        plan.output[first_row + row] =
            reduce_short_row(plan, elements + row * plan.columns, operation);
}

}  // namespace wideload::WIDELOAD_DETAIL
