// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix_product.cuh"

namespace gemm {

namespace vector_tile {
inline constexpr int kRows = 128;
inline constexpr int kColumns = 128;
inline constexpr int kDepth = 8;
/// A thread computes 8 × 8 elements as 2 × 2 squares of 4 × 4, half a tile apart.
inline constexpr int kSquare = 4;
inline constexpr int kThreadsAcross = kColumns / 2 / kSquare;
inline constexpr int kThreads = (kRows / 2 / kSquare) * kThreadsAcross;
/// The rows of the transposed tile of A begin 4 banks apart, so that the 16 rows × 2 groups of
/// columns that a warp writes at once fall into 32 banks.
inline constexpr int kPitchA = kRows + 4;
static_assert(kThreads * 4 == kRows * kDepth && kThreads * 4 == kDepth * kColumns,
              "a thread fetches one vector of each tile");

/// Four neighbours of a row, zeros outside of the matrix. `Wide`: the rows are (has_wide_rows).
template <bool Wide>
__device__ float4 vector_or_zero(const float* matrix, int rows, int columns, int row, int column) {
    if constexpr (Wide) {
        if (row >= rows || column >= columns) return make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        return *reinterpret_cast<const float4*>(matrix + static_cast<size_t>(row) * columns +
                                                column);
    } else {
        return make_float4(element_or_zero(matrix, rows, columns, row, column),
                           element_or_zero(matrix, rows, columns, row, column + 1),
                           element_or_zero(matrix, rows, columns, row, column + 2),
                           element_or_zero(matrix, rows, columns, row, column + 3));
    }
}

/// Writes four neighbours of a row of C, those of them that lie inside.
template <bool Wide>
__device__ void store_inside(const MatrixProduct& product, int row, int column,
                             const float (&values)[4]) {
    if (row >= product.m) return;
    float* const out = product.c + static_cast<size_t>(row) * product.n + column;
    if constexpr (Wide) {
        if (column < product.n) {
            *reinterpret_cast<float4*>(out) =
                make_float4(values[0], values[1], values[2], values[3]);
        }
    } else {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            if (column + i < product.n) out[i] = values[i];
        }
    }
}

__device__ inline void read_vector(float* registers, const float* shared) {
    const float4 vector = *reinterpret_cast<const float4*>(shared);
    registers[0] = vector.x;
    registers[1] = vector.y;
    registers[2] = vector.z;
    registers[3] = vector.w;
}
}  // namespace vector_tile

/// Rung 5: the outer products of rung 4 with accesses of 16 bytes, and no bank conflict.
///
/// As many bytes as rung 4, 2·m·n·k/128 loads of 4 bytes, in a quarter of the requests: global,
/// shared and C. A is transposed on its way into shared memory, so that a thread's 4 rows lie side
/// by side; its 8 rows and columns are two groups of 4, half a tile apart, so that the lanes of a
/// warp read 16-byte neighbours. `Wide`: the rows of all three matrices are (has_wide_rows);
/// otherwise global memory is accessed by the element.
template <bool Wide>
__global__ void __launch_bounds__(vector_tile::kThreads) vectorized(MatrixProduct product) {
    using namespace vector_tile;
    __shared__ alignas(16) float tile_a[kDepth][kPitchA];
    __shared__ alignas(16) float tile_b[kDepth][kColumns];
    const auto [first_row, first_column] = tile_of_block<kRows, kColumns>(product.n);
    const int thread = static_cast<int>(threadIdx.x);
    const int row = thread / kThreadsAcross * kSquare;
    const int column = thread % kThreadsAcross * kSquare;
    const int fetch_row_a = thread * 4 / kDepth;
    const int fetch_column_a = thread * 4 % kDepth;
    const int fetch_row_b = thread * 4 / kColumns;
    const int fetch_column_b = thread * 4 % kColumns;

    float sums[2 * kSquare][2 * kSquare] = {};
    for (int depth = 0; depth < product.k; depth += kDepth) {
        const float4 a = vector_or_zero<Wide>(product.a, product.m, product.k,
                                              first_row + fetch_row_a, depth + fetch_column_a);
        tile_a[fetch_column_a + 0][fetch_row_a] = a.x;
        tile_a[fetch_column_a + 1][fetch_row_a] = a.y;
        tile_a[fetch_column_a + 2][fetch_row_a] = a.z;
        tile_a[fetch_column_a + 3][fetch_row_a] = a.w;
        *reinterpret_cast<float4*>(&tile_b[fetch_row_b][fetch_column_b]) = vector_or_zero<Wide>(
            product.b, product.k, product.n, depth + fetch_row_b, first_column + fetch_column_b);
        __syncthreads();
#pragma unroll
        for (int i = 0; i < kDepth; ++i) {
            float fragment_a[2 * kSquare];
            float fragment_b[2 * kSquare];
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                read_vector(fragment_a + half * kSquare, &tile_a[i][row + half * kRows / 2]);
                read_vector(fragment_b + half * kSquare, &tile_b[i][column + half * kColumns / 2]);
            }
#pragma unroll
            for (int r = 0; r < 2 * kSquare; ++r) {
#pragma unroll
                for (int c = 0; c < 2 * kSquare; ++c) {
                    sums[r][c] = fmaf(fragment_a[r], fragment_b[c], sums[r][c]);
                }
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < 2 * kSquare; ++r) {
        const int out_row = first_row + row + r / kSquare * (kRows / 2) + r % kSquare;
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const float values[4] = {sums[r][4 * half], sums[r][4 * half + 1],
                                     sums[r][4 * half + 2], sums[r][4 * half + 3]};
            store_inside<Wide>(product, out_row, first_column + column + half * kColumns / 2,
                               values);
        }
    }
}

inline void launch_vectorized(const MatrixProduct& product, cudaStream_t stream) {
    using namespace vector_tile;
    const unsigned blocks = grid_of(product, kRows, kColumns);
    const bool wide = has_wide_rows(product.a, product.k) && has_wide_rows(product.b, product.n) &&
                      has_wide_rows(product.c, product.n);
    if (wide) {
        vectorized<true><<<blocks, kThreads, 0, stream>>>(product);
    } else {
        vectorized<false><<<blocks, kThreads, 0, stream>>>(product);
    }
}

}  // namespace gemm
