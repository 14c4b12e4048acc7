// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix_product.cuh"

namespace gemm {

inline constexpr int kTileWidth = 32;

/// Rung 2: a block of T × T threads shares T × T tiles of A and B, with T = 32.
///
/// Each tile is read once by the block and used T times by it. Along k a block reads T·k elements
/// of A and as many of B, and there are (m/T)·(n/T) blocks: 2·m·n·k/T loads, T times fewer than the
/// naive kernel's. In shared memory a warp reads one word of A (a broadcast) and 32 neighbours of
/// B, neither with a conflict; now two shared loads for each multiplication are the bound.
__global__ void __launch_bounds__(kTileWidth* kTileWidth) tiled(MatrixProduct product) {
    __shared__ float tile_a[kTileWidth][kTileWidth];
    __shared__ float tile_b[kTileWidth][kTileWidth];
    const auto [first_row, first_column] = tile_of_block<kTileWidth, kTileWidth>(product.n);
    const int x = static_cast<int>(threadIdx.x);
    const int y = static_cast<int>(threadIdx.y);
    const int row = first_row + y;
    const int column = first_column + x;

    float sum = 0.0f;
    for (int depth = 0; depth < product.k; depth += kTileWidth) {
        tile_a[y][x] = element_or_zero(product.a, product.m, product.k, row, depth + x);
        tile_b[y][x] = element_or_zero(product.b, product.k, product.n, depth + y, column);
        __syncthreads();
#pragma unroll
        for (int i = 0; i < kTileWidth; ++i) sum = fmaf(tile_a[y][i], tile_b[i][x], sum);
        __syncthreads();
    }
    if (row < product.m && column < product.n) {
        product.c[static_cast<size_t>(row) * product.n + column] = sum;
    }
}

inline void launch_tiled(const MatrixProduct& product, cudaStream_t stream) {
    tiled<<<grid_of(product, kTileWidth, kTileWidth), dim3(kTileWidth, kTileWidth), 0, stream>>>(
        product);
}

}  // namespace gemm
