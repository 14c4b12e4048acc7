// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/block/sheared_transpose.cuh>
#include <wideload/block/swizzled_transpose.cuh>
#include <wideload/support/fast_divide.cuh>

namespace wideload::detail {

/// A batch of matrices, one behind the other, cut into tiles. Blocks number the tiles of a matrix along its rows' direction
/// first (down the input, along an output row), so that blocks that run together write neighbouring addresses.
template <class T>
struct TransposePlan {
    const T* input;
    T* output;
    std::size_t rows;     ///< of the input
    std::size_t columns;  ///< of the input
    fast_divide tiles_down;
    fast_divide tiles_per_matrix;
};

struct TilePosition {
    std::size_t batch;
    unsigned down;
    unsigned across;
};

template <class T>
WIDELOAD_DEVICE TilePosition tile_position(const TransposePlan<T>& plan) {
    unsigned batch, across;
    const unsigned tile = plan.tiles_per_matrix.remainder(blockIdx.x, &batch);
    const unsigned down = plan.tiles_down.remainder(tile, &across);
    return {batch, down, across};
}

/// Matrices whose rows are aligned: wide accesses on both sides.
template <class T, int Rows, int Columns, int Threads, class LoadPolicy, class StorePolicy>
__global__ void __launch_bounds__(Threads) transpose_swizzled_kernel(const __grid_constant__ TransposePlan<T> plan) {
    using Tile = block::swizzled_transpose<T, Rows, Columns, Threads>;
    __shared__ typename Tile::storage shared;
    const TilePosition position = tile_position(plan);
    const std::size_t row = static_cast<std::size_t>(position.down) * Rows;
    const std::size_t column = static_cast<std::size_t>(position.across) * Columns;
    const std::size_t matrix = position.batch * plan.rows * plan.columns;
    const std::size_t rows_left = plan.rows - row, columns_left = plan.columns - column;
    const T* source = plan.input + matrix + row * plan.columns + column;
    Tile::template stage<LoadPolicy>(shared, source, plan.columns, rows_left, columns_left, threadIdx.x);
    __syncthreads();
    T* destination = plan.output + matrix + column * plan.rows + row;
    Tile::template drain<StorePolicy>(shared, destination, plan.rows, rows_left, columns_left, threadIdx.x);
}

/// Any matrices: tiles sheared to the output's sectors. `plan` counts in units of `Unit`, rows and columns in elements.
template <class Tile, class Unit, int Units, int Width, int Height, int Threads, class LoadPolicy, class StorePolicy>
__global__ void __launch_bounds__(Threads) transpose_sheared_kernel(const __grid_constant__ TransposePlan<Unit> plan) {
    __shared__ typename Tile::storage shared;
    const TilePosition position = tile_position(plan);
    const std::size_t row = static_cast<std::size_t>(position.down) * Width;
    const std::size_t column = static_cast<std::size_t>(position.across) * Height;
    const std::size_t matrix = position.batch * plan.rows * plan.columns * Units;
    Tile::template stage<LoadPolicy>(shared, plan.input + matrix, plan.rows, plan.columns, row, column, threadIdx.x);
    __syncthreads();
    Tile::template drain<StorePolicy>(shared, plan.output + matrix, plan.rows, plan.columns, row, column, threadIdx.x);
}

}  // namespace wideload::detail
