// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix_product.cuh"

namespace gemm {

namespace square_tile {
inline constexpr int kRows = 128;
inline constexpr int kColumns = 128;
inline constexpr int kDepth = 8;
inline constexpr int kThreadRows = 8;
inline constexpr int kThreadColumns = 8;
inline constexpr int kThreads = (kRows / kThreadRows) * (kColumns / kThreadColumns);
}  // namespace square_tile

/// Rung 4: a thread computes 8 × 8 elements of C, an outer product for each step of k.
///
/// 16 shared loads serve 64 multiplications, 4 for each load where the column of rung 3 gives 8/9.
/// Tiles of 128 × 128 halve the global loads again: 2·m·n·k/128. What it still does badly: a
/// thread's 8 columns lie side by side, so the lanes of a warp read B at a stride of 8 words and 16
/// addresses meet in 4 banks (4 wavefronts), and its two rows of threads read A 64 words apart,
/// in one bank (2 wavefronts).
__global__ void __launch_bounds__(square_tile::kThreads) block_tile_2d(MatrixProduct product) {
    using namespace square_tile;
    __shared__ float tile_a[kRows][kDepth];
    __shared__ float tile_b[kDepth][kColumns];
    const auto [first_row, first_column] = tile_of_block<kRows, kColumns>(product.n);
    const int thread = static_cast<int>(threadIdx.x);
    const int row = thread / (kColumns / kThreadColumns) * kThreadRows;
    const int column = thread % (kColumns / kThreadColumns) * kThreadColumns;

    float sums[kThreadRows][kThreadColumns] = {};
    for (int depth = 0; depth < product.k; depth += kDepth) {
#pragma unroll
        for (int pass = 0; pass < kRows * kDepth / kThreads; ++pass) {
            const int i = pass * kThreads + thread;
            tile_a[i / kDepth][i % kDepth] = element_or_zero(
                product.a, product.m, product.k, first_row + i / kDepth, depth + i % kDepth);
        }
#pragma unroll
        for (int pass = 0; pass < kDepth * kColumns / kThreads; ++pass) {
            const int i = pass * kThreads + thread;
            tile_b[i / kColumns][i % kColumns] = element_or_zero(
                product.b, product.k, product.n, depth + i / kColumns, first_column + i % kColumns);
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < kDepth; ++i) {
            float a[kThreadRows];
            float b[kThreadColumns];
#pragma unroll
            for (int r = 0; r < kThreadRows; ++r) a[r] = tile_a[row + r][i];
#pragma unroll
            for (int c = 0; c < kThreadColumns; ++c) b[c] = tile_b[i][column + c];
#pragma unroll
            for (int r = 0; r < kThreadRows; ++r) {
#pragma unroll
                for (int c = 0; c < kThreadColumns; ++c) sums[r][c] = fmaf(a[r], b[c], sums[r][c]);
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < kThreadRows; ++r) {
#pragma unroll
        for (int c = 0; c < kThreadColumns; ++c) {
            const int out_row = first_row + row + r;
            const int out_column = first_column + column + c;
            if (out_row < product.m && out_column < product.n) {
                product.c[static_cast<size_t>(out_row) * product.n + out_column] = sums[r][c];
            }
        }
    }
}

inline void launch_block_tile_2d(const MatrixProduct& product, cudaStream_t stream) {
    using namespace square_tile;
    block_tile_2d<<<grid_of(product, kRows, kColumns), kThreads, 0, stream>>>(product);
}

}  // namespace gemm
