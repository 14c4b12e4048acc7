// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix_product.cuh"

namespace gemm {

namespace column_tile {
inline constexpr int kRows = 64;
inline constexpr int kColumns = 64;
inline constexpr int kDepth = 8;
inline constexpr int kThreadRows = 8;
inline constexpr int kThreads = kRows / kThreadRows * kColumns;
static_assert(kThreads == kRows * kDepth && kThreads == kDepth * kColumns,
              "a thread fetches one element of each tile");
}  // namespace column_tile

/// Rung 3: a thread computes 8 elements of a column of C and keeps them in registers.
///
/// A word of B, once in a register, serves 8 multiplications: 9 shared loads for 8 of them, where
/// the tiled kernel needs 16. The registers also pay for wider tiles: 64 × 64 of C from tiles of
/// 64 × 8 and 8 × 64, so m·n·k/64 loads of A and as many of B: 2·m·n·k/64, half of the tiled
/// kernel's.
__global__ void __launch_bounds__(column_tile::kThreads) block_tile_1d(MatrixProduct product) {
    using namespace column_tile;
    __shared__ float tile_a[kRows][kDepth];
    __shared__ float tile_b[kDepth][kColumns];
    const auto [first_row, first_column] = tile_of_block<kRows, kColumns>(product.n);
    const int thread = static_cast<int>(threadIdx.x);
    const int column = thread % kColumns;
    const int row = thread / kColumns * kThreadRows;
    const int fetch_row_a = thread / kDepth;
    const int fetch_column_a = thread % kDepth;
    const int fetch_row_b = thread / kColumns;

    float sums[kThreadRows] = {};
    for (int depth = 0; depth < product.k; depth += kDepth) {
        tile_a[fetch_row_a][fetch_column_a] = element_or_zero(
            product.a, product.m, product.k, first_row + fetch_row_a, depth + fetch_column_a);
        tile_b[fetch_row_b][column] = element_or_zero(product.b, product.k, product.n,
                                                      depth + fetch_row_b, first_column + column);
        __syncthreads();
#pragma unroll
        for (int i = 0; i < kDepth; ++i) {
            const float b = tile_b[i][column];
#pragma unroll
            for (int r = 0; r < kThreadRows; ++r) {
                sums[r] = fmaf(tile_a[row + r][i], b, sums[r]);
            }
        }
        __syncthreads();
    }
    if (first_column + column >= product.n) return;
#pragma unroll
    for (int r = 0; r < kThreadRows; ++r) {
        const int out = first_row + row + r;
        if (out < product.m) {
            product.c[static_cast<size_t>(out) * product.n + first_column + column] = sums[r];
        }
    }
}

inline void launch_block_tile_1d(const MatrixProduct& product, cudaStream_t stream) {
    using namespace column_tile;
    block_tile_1d<<<grid_of(product, kRows, kColumns), kThreads, 0, stream>>>(product);
}

}  // namespace gemm
