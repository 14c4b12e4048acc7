// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix_product.cuh"

namespace gemm {

inline constexpr int kNaiveRows = 8;
inline constexpr int kNaiveColumns = 32;

/// Rung 1: a thread computes one element of C from global memory.
///
/// Each of the m·n threads reads a row of A and a column of B: 2·m·n·k loads of 4 bytes. A warp
/// holds 32 columns of one row, so its loads of B are coalesced and its loads of A are one
/// broadcast; mapped the other way round, with 32 rows to a warp, each would touch 32 sectors.
__global__ void __launch_bounds__(kNaiveRows* kNaiveColumns) naive(MatrixProduct product) {
    const auto [first_row, first_column] = tile_of_block<kNaiveRows, kNaiveColumns>(product.n);
    const int row = first_row + static_cast<int>(threadIdx.y);
    const int column = first_column + static_cast<int>(threadIdx.x);
    if (row >= product.m || column >= product.n) return;
    const float* const a = product.a + static_cast<size_t>(row) * product.k;
    float sum = 0.0f;
    for (int i = 0; i < product.k; ++i) {
        sum = fmaf(a[i], product.b[static_cast<size_t>(i) * product.n + column], sum);
    }
    product.c[static_cast<size_t>(row) * product.n + column] = sum;
}

inline void launch_naive(const MatrixProduct& product, cudaStream_t stream) {
    naive<<<grid_of(product, kNaiveRows, kNaiveColumns), dim3(kNaiveColumns, kNaiveRows), 0,
            stream>>>(product);
}

}  // namespace gemm
