// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/block/padded_transpose.cuh>
#include <wideload/block/shifted_transpose.cuh>
#include <wideload/block/swizzled_transpose.cuh>
#include <wideload/support/fast_divide.cuh>

namespace wideload::detail {

/// A batch of matrices, one behind the other, cut into tiles. Tiles of a matrix are numbered in strips of `Group` tiles
/// across the input: along the strip's width first, then down. So blocks that run together read neighbouring addresses of
/// the same rows and write neighbouring addresses of the same output rows.
template <class T>
struct TransposePlan {
    const T* input;
    T* output;
    std::size_t rows;        ///< of the input
    std::size_t columns;     ///< of the input
    std::size_t batch;
    unsigned tiles_across;
    fast_divide tiles_per_matrix;
    fast_divide tiles_per_strip;  ///< of full width
};

struct TilePosition {
    std::size_t batch;
    unsigned down;
    unsigned across;
};

template <int Group, class T>
WIDELOAD_DEVICE TilePosition tile_position(const TransposePlan<T>& plan) {
    unsigned batch, strip;
    const unsigned tile = plan.tiles_per_matrix.remainder(blockIdx.x, &batch);
    const unsigned within = plan.tiles_per_strip.remainder(tile, &strip);
    const unsigned first = strip * Group;
    const unsigned width = plan.tiles_across - first;
    if (width >= Group) return {batch, within / Group, first + within % Group};
    return {batch, within / width, first + within % width};
}

/// Matrices whose rows are aligned to 16 bytes.
template <class T, int Rows, int Columns, int Threads, int Group, class LoadPolicy, class StorePolicy>
__global__ void __launch_bounds__(Threads) transpose_swizzled_kernel(const __grid_constant__ TransposePlan<T> plan) {
    using Tile = block::swizzled_transpose<T, Rows, Columns, Threads>;
    __shared__ typename Tile::storage shared;
    const TilePosition position = tile_position<Group>(plan);
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

/// Matrices of elements of 1 to 16 bytes at any addresses.
template <class T, int Rows, int Columns, int Boundary, int Threads, int Group, class LoadPolicy, class StorePolicy>
__global__ void __launch_bounds__(Threads) transpose_shifted_kernel(const __grid_constant__ TransposePlan<char> plan) {
    using Tile = block::shifted_transpose<T, Rows, Columns, Boundary, Threads>;
    __shared__ typename Tile::storage shared;
    const TilePosition position = tile_position<Group>(plan);
    const std::size_t column = static_cast<std::size_t>(position.across) * Columns;
    const std::size_t matrix_bytes = plan.rows * plan.columns * sizeof(T);
    const std::size_t offset = position.batch * matrix_bytes;
    Tile::template stage<LoadPolicy>(shared, plan.input + offset, plan.rows, plan.columns, position.down, column,
                                     plan.input, plan.input + plan.batch * matrix_bytes, threadIdx.x);
    __syncthreads();
    Tile::template drain<StorePolicy>(shared, plan.output + offset, plan.rows, plan.columns, position.down, column,
                                      threadIdx.x);
}

/// Element by element: `Units` units each, tiles of `Width` rows × `Height` columns of the input.
template <class Unit, int Units, int Width, int Height, int Boundary, int Threads, int Group, class LoadPolicy,
          class StorePolicy>
__global__ void __launch_bounds__(Threads) transpose_padded_kernel(const __grid_constant__ TransposePlan<Unit> plan) {
    using Tile = block::padded_transpose<Unit, Units, Width, Height, Boundary, Threads>;
    __shared__ typename Tile::storage shared;
    const TilePosition position = tile_position<Group>(plan);
    const std::size_t row = static_cast<std::size_t>(position.down) * Width;
    const std::size_t column = static_cast<std::size_t>(position.across) * Height;
    const std::size_t matrix = position.batch * plan.rows * plan.columns * Units;
    Tile::template stage<LoadPolicy>(shared, plan.input + matrix, plan.rows, plan.columns, row, column, threadIdx.x);
    __syncthreads();
    Tile::template drain<StorePolicy>(shared, plan.output + matrix, plan.rows, plan.columns, row, column, threadIdx.x);
}

}  // namespace wideload::detail
