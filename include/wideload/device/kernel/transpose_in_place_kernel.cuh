// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/detail/stream_order.cuh>
#include <wideload/device/kernel/transpose_kernel.cuh>
#include <wideload/support/fast_divide.cuh>

namespace wideload::detail {

/// Square matrices in place: block number t takes the pair of tiles that lie across the diagonal
/// from each other.
template <class T>
struct InPlaceTransposePlan {
    T* data;
    std::size_t size;              ///< rows and columns
    fast_divide pairs_per_matrix;  ///< tiles on or below the diagonal
};

/// The pair (row, column), column <= row, that comes as number `index` when the lower triangle is
/// counted row by row.
WIDELOAD_DEVICE void triangle_position(unsigned index, unsigned* row, unsigned* column) {
    unsigned r =
        static_cast<unsigned>((sqrtf(8.0f * static_cast<float>(index) + 1.0f) - 1.0f) * 0.5f);
    // The root is rounded: step to the exact row.
    while (r * (r + 1) / 2 > index) --r;
    while ((r + 1) * (r + 2) / 2 <= index) ++r;
    *row = r;
    *column = index - r * (r + 1) / 2;
}

/// Rows aligned for wide accesses.
template <class T, int Side, int Threads>
__global__ void __launch_bounds__(Threads)
    transpose_in_place_swizzled_kernel(const __grid_constant__ InPlaceTransposePlan<T> plan) {
    enter_stream_order();
    using Tile = block::swizzled_transpose<T, Side, Side, Threads>;
    __shared__ typename Tile::storage lower, upper;
    unsigned tile_row, tile_column;
    const std::size_t matrix = plan.pairs_per_matrix.quotient(blockIdx.x);
    triangle_position(blockIdx.x - static_cast<unsigned>(matrix) * plan.pairs_per_matrix.divisor(),
                      &tile_row, &tile_column);
    T* data = plan.data + matrix * plan.size * plan.size;
    const std::size_t row = static_cast<std::size_t>(tile_row) * Side,
                      column = static_cast<std::size_t>(tile_column) * Side;
    T* lower_tile = data + row * plan.size + column;
    T* upper_tile = data + column * plan.size + row;
    const int rows = left(plan.size, row, Side), columns = left(plan.size, column, Side);
    typename Tile::words lower_words, upper_words;
    Tile::fetch(lower_words, lower_tile, plan.size, rows, columns, threadIdx.x);
    if (row != column) Tile::fetch(upper_words, upper_tile, plan.size, columns, rows, threadIdx.x);
    Tile::put(lower, lower_words, threadIdx.x);
    if (row != column) Tile::put(upper, upper_words, threadIdx.x);
    __syncthreads();
    Tile::drain(lower, upper_tile, plan.size, rows, columns, threadIdx.x);
    if (row != column) Tile::drain(upper, lower_tile, plan.size, columns, rows, threadIdx.x);
}

/// Any rows and element sizes, in units of `Unit`.
template <class Unit, int Units, int Side, int Threads, bool Async>
__global__ void __launch_bounds__(Threads)
    transpose_in_place_any_kernel(const __grid_constant__ InPlaceTransposePlan<Unit> plan) {
    enter_stream_order();
    using Tile = block::padded_transpose<Unit, Units, Side, Side, 1, Threads, Async>;
    __shared__ typename Tile::storage lower, upper;
    unsigned tile_row, tile_column;
    const std::size_t matrix = plan.pairs_per_matrix.quotient(blockIdx.x);
    triangle_position(blockIdx.x - static_cast<unsigned>(matrix) * plan.pairs_per_matrix.divisor(),
                      &tile_row, &tile_column);
    Unit* data = plan.data + matrix * plan.size * plan.size * Units;
    const std::size_t row = static_cast<std::size_t>(tile_row) * Side,
                      column = static_cast<std::size_t>(tile_column) * Side;
    Tile::stage(lower, data, plan.size, plan.size, row, column, threadIdx.x);
    if (row != column) Tile::stage(upper, data, plan.size, plan.size, column, row, threadIdx.x);
    Tile::staged();
    __syncthreads();
    Tile::drain(lower, data, plan.size, plan.size, row, column, threadIdx.x);
    if (row != column) Tile::drain(upper, data, plan.size, plan.size, column, row, threadIdx.x);
}

}  // namespace wideload::detail
