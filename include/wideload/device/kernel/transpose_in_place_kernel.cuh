// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/block/padded_transpose.cuh>
#include <wideload/block/swizzled_transpose.cuh>

namespace wideload::detail {

/// Square matrices in place: block number t takes the pair of tiles that lie across the diagonal from each other.
template <class T>
struct InPlaceTransposePlan {
    T* data;
    std::size_t size;   ///< rows and columns
    unsigned tiles;     ///< along one side
    std::size_t pairs;  ///< tiles on or below the diagonal, per matrix
};

/// The pair (row, column), column <= row, that comes as number `index` when the lower triangle is counted row by row.
WIDELOAD_DEVICE void triangle_position(std::size_t index, unsigned* row, unsigned* column) {
    unsigned r = static_cast<unsigned>((sqrt(8.0 * static_cast<double>(index) + 1.0) - 1.0) * 0.5);
    // The root is rounded: step to the exact row.
    while (static_cast<std::size_t>(r) * (r + 1) / 2 > index) --r;
    while (static_cast<std::size_t>(r + 1) * (r + 2) / 2 <= index) ++r;
    *row = r;
    *column = static_cast<unsigned>(index - static_cast<std::size_t>(r) * (r + 1) / 2);
}

/// Rows aligned for wide accesses.
template <class T, int Side, int Threads>
__global__ void __launch_bounds__(Threads)
    transpose_in_place_swizzled_kernel(const __grid_constant__ InPlaceTransposePlan<T> plan) {
    using Tile = block::swizzled_transpose<T, Side, Side, Threads>;
    __shared__ typename Tile::storage lower, upper;
    unsigned tile_row, tile_column;
    const std::size_t matrix = blockIdx.x / plan.pairs;
    triangle_position(blockIdx.x % plan.pairs, &tile_row, &tile_column);
    T* data = plan.data + matrix * plan.size * plan.size;
    const std::size_t row = static_cast<std::size_t>(tile_row) * Side, column = static_cast<std::size_t>(tile_column) * Side;
    T* lower_tile = data + row * plan.size + column;
    T* upper_tile = data + column * plan.size + row;
    const std::size_t rows = plan.size - row, columns = plan.size - column;
    Tile::stage(lower, lower_tile, plan.size, rows, columns, threadIdx.x);
    if (row != column) Tile::stage(upper, upper_tile, plan.size, columns, rows, threadIdx.x);
    __syncthreads();
    Tile::drain(lower, upper_tile, plan.size, rows, columns, threadIdx.x);
    if (row != column) Tile::drain(upper, lower_tile, plan.size, columns, rows, threadIdx.x);
}

/// Any rows and element sizes, in units of `Unit`.
template <class Unit, int Units, int Side, int Threads>
__global__ void __launch_bounds__(Threads)
    transpose_in_place_any_kernel(const __grid_constant__ InPlaceTransposePlan<Unit> plan) {
    using Tile = block::padded_transpose<Unit, Units, Side, Side, 1, Threads>;
    __shared__ typename Tile::storage lower, upper;
    unsigned tile_row, tile_column;
    const std::size_t matrix = blockIdx.x / plan.pairs;
    triangle_position(blockIdx.x % plan.pairs, &tile_row, &tile_column);
    Unit* data = plan.data + matrix * plan.size * plan.size * Units;
    const std::size_t row = static_cast<std::size_t>(tile_row) * Side, column = static_cast<std::size_t>(tile_column) * Side;
    Tile::stage(lower, data, plan.size, plan.size, row, column, threadIdx.x);
    if (row != column) Tile::stage(upper, data, plan.size, plan.size, column, row, threadIdx.x);
    __syncthreads();
    Tile::drain(lower, data, plan.size, plan.size, row, column, threadIdx.x);
    if (row != column) Tile::drain(upper, data, plan.size, plan.size, column, row, threadIdx.x);
}

}  // namespace wideload::detail
