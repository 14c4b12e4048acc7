// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

namespace gemm {

/// C = A·B of packed row-major matrices in device memory: `a` is m × k, `b` is k × n, `c` is m × n
/// floats. Sizes are 0 to 2^30 each, none need be a multiple of anything; k = 0 gives zeros. A rung
/// that gains from more than a float's alignment tests for it.
struct MatrixProduct {
    const float* a;
    const float* b;
    float* c;
    int m;
    int n;
    int k;
};

__host__ __device__ inline int ceil_divide(int dividend, int divisor) {
    return dividend / divisor + (dividend % divisor != 0);
}

/// Blocks of a grid of one dimension in which each block computes `rows` × `columns` of C. One
/// dimension, since the others end at 65,535 blocks.
inline unsigned grid_of(const MatrixProduct& product, int rows, int columns) {
    return static_cast<unsigned>(ceil_divide(product.m, rows)) *
           static_cast<unsigned>(ceil_divide(product.n, columns));
}

/// The first row and column of C that a block computes.
struct TileOrigin {
    int row;
    int column;
};

/// Tiles of `Rows` × `Columns` handed out along the rows of C.
template <int Rows, int Columns>
__device__ TileOrigin tile_of_block(int n) {
    const int tiles_across = ceil_divide(n, Columns);
    const int tile_row = static_cast<int>(blockIdx.x) / tiles_across;
    const int tile_column = static_cast<int>(blockIdx.x) % tiles_across;
    return {tile_row * Rows, tile_column * Columns};
}

/// Element (row, column) of a packed row-major matrix, zero outside of it.
__device__ inline float element_or_zero(const float* matrix, int rows, int columns, int row,
                                        int column) {
    const bool inside = row < rows && column < columns;
    return inside ? matrix[static_cast<size_t>(row) * columns + column] : 0.0f;
}

/// Whether every row of a packed matrix with rows of `columns` floats begins at a multiple of 16
/// bytes, so that four neighbours whose first column is a multiple of 4 move in one access and lie
/// inside or outside of the matrix together.
inline bool has_wide_rows(const float* matrix, int columns) {
    return columns % 4 == 0 && reinterpret_cast<size_t>(matrix) % sizeof(float4) == 0;
}

}  // namespace gemm
