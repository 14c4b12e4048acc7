// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "warp_tile_copies.cuh"
#include "warp_tile_shape.cuh"

namespace gemm {

namespace warp_tile {

/// A thread's rows of A and columns of B at one step of k.
struct Fragments {
    float4 a[kThreadRows / kGroup];
    float4 b[kThreadColumns / kGroup];

    __device__ void read(const float* tile_a, const float* tile_b, int step) {
#pragma unroll
        for (int group = 0; group < kThreadRows / kGroup; ++group) {
            a[group] = *reinterpret_cast<const float4*>(tile_a + step * kPitchA +
                                                        group * kLaneRows * kGroup);
        }
#pragma unroll
        for (int group = 0; group < kThreadColumns / kGroup; ++group) {
            b[group] = *reinterpret_cast<const float4*>(tile_b + step * kPitchB +
                                                        group * kLaneColumns * kGroup);
        }
    }
};

/// Adds the outer product of a step. Column by column and back and forth, so that neighbouring
/// instructions share two of their three operands: the register file cannot deliver three new ones
/// to each of them, and of the orders tried this left ptxas the fewest conflicts.
__device__ __forceinline__ void add_outer_product(float (&sums)[kThreadRows][kThreadColumns],
                                                  const Fragments& fragments) {
    const float* const a = &fragments.a[0].x;
    const float* const b = &fragments.b[0].x;
#pragma unroll
    for (int column = 0; column < kThreadColumns; ++column) {
#pragma unroll
        for (int i = 0; i < kThreadRows; ++i) {
            const int row = column % 2 == 0 ? i : kThreadRows - 1 - i;
            sums[row][column] = fmaf(a[row], b[column], sums[row][column]);
        }
    }
}

/// Writes a thread's sums, those of them that lie inside of C, by `Width` floats.
template <int Width>
__device__ void write_sums(const MatrixProduct& product, int first_row, int first_column,
                           const float (&sums)[kThreadRows][kThreadColumns]) {
#pragma unroll
    for (int r = 0; r < kThreadRows; ++r) {
        const int row = first_row + r / kGroup * kGroup * kLaneRows + r % kGroup;
        if (row >= product.m) continue;
#pragma unroll
        for (int c = 0; c < kThreadColumns; c += Width) {
            const int column = first_column + c / kGroup * kGroup * kLaneColumns + c % kGroup;
            if (column >= product.n) continue;
            float* const out = product.c + static_cast<size_t>(row) * product.n + column;
            if constexpr (Width == 4) {
                *reinterpret_cast<float4*>(out) =
                    make_float4(sums[r][c], sums[r][c + 1], sums[r][c + 2], sums[r][c + 3]);
            } else {
                *out = sums[r][c];
            }
        }
    }
}

/// The step of a tile at which a part of the copies of a later one starts: spread over the steps
/// before the last, since copies that start together hold up the shared loads behind them.
__device__ constexpr int step_of_copy(int part, int parts) { return part * (kDepth - 1) / parts; }

/// Stages are named by the byte that they begin at.
inline constexpr unsigned kStageBytes = kStageFloats * sizeof(float);
__device__ inline unsigned next_stage(unsigned stage) {
    return stage == (kStages - 1) * kStageBytes ? 0 : stage + kStageBytes;
}

}  // namespace warp_tile

/// Rung 6: tiles of warps, and copies that run while others compute.
///
/// A block's 128 × 128 of C are 64 × 64 a warp and 8 × 16 a thread: 6 shared loads of 16 bytes for
/// 128 multiplications, each in 2 passes, so that shared memory is busy under half of the time and
/// nine of ten instructions multiply. Global loads as in rungs 4 and 5, 2·m·n·k/128 by as many
/// bytes, but straight into shared memory and two tiles ahead: the copies of a later tile are
/// spread over the steps of this one, and so is the read of the next step's operands. One barrier a
/// tile: at its last step, when the operands of that step are already in registers, a warp waits
/// until the next tile has come and everyone has finished with this one, whose stage is then filled
/// anew.
template <int Width>
__global__ void __launch_bounds__(warp_tile::kThreads, warp_tile::kBlocksPerMultiprocessor)
    warp_tiled(MatrixProduct product) {
    using namespace warp_tile;
    extern __shared__ float4 arena[];
    float* const stages = reinterpret_cast<float*>(arena);
    const TileOrigin origin = banded_tile_of_block(product.m, product.n);
    const int warp = static_cast<int>(threadIdx.x) / 32;
    const TileOrigin lane = lane_position(static_cast<int>(threadIdx.x) % 32);
    const int row = warp / kWarpsAcross * kWarpRows + lane.row;
    const int column = warp % kWarpsAcross * kWarpColumns + lane.column;

    const int tiles = ceil_divide(product.k, kDepth);
    constexpr int kParts = TileCopies<Width>::kParts;
    TileCopies<Width> copies(product, origin, stages);
    copies.copy_first(product.k - max(tiles - 1, 0) * kDepth);
    commit_copies();
#pragma unroll
    for (int tile = 1; tile < kStages - 1; ++tile) {
        if (tile < tiles) {
#pragma unroll
            for (int part = 0; part < kParts; ++part) copies.copy_part(part, tile * kStageBytes);
            copies.advance(kDepth);
        }
        commit_copies();
    }
    wait_for_copies<kStages - 2>();
    __syncthreads();

    float sums[kThreadRows][kThreadColumns] = {};
    Fragments fragments[2];
    const float* tile_a = stages + row;
    const float* tile_b = stages + kFloatsA + column;
    fragments[0].read(tile_a, tile_b, 0);
    unsigned reading = 0;
    unsigned filling = (kStages - 1) * kStageBytes;
#pragma unroll 1
    for (int tile = 0; tile < tiles; ++tile) {
        const bool more = tile + kStages - 1 < tiles;
#pragma unroll
        for (int step = 0; step < kDepth; ++step) {
            if (step == kDepth - 1) {
                wait_for_copies<kStages - 2>();
                __syncthreads();
                reading = next_stage(reading);
                tile_a = stages + reading / sizeof(float) + row;
                tile_b = stages + reading / sizeof(float) + kFloatsA + column;
            }
            fragments[(step + 1) % 2].read(tile_a, tile_b, (step + 1) % kDepth);
#pragma unroll
            for (int part = 0; part < kParts; ++part) {
                if (step_of_copy(part, kParts) == step && more) copies.copy_part(part, filling);
            }
            if (step == kDepth - 2) {
                if (more) copies.advance(kDepth);
                commit_copies();
                filling = next_stage(filling);
            }
            add_outer_product(sums, fragments[step % 2]);
        }
    }
    write_sums<Width>(product, origin.row + row, origin.column + column, sums);
}

template <int Width>
void launch_warp_tiled_by(const MatrixProduct& product, cudaStream_t stream) {
    using namespace warp_tile;
    // More than 48 KiB has to be asked for; where it is refused the launch fails by name.
    cudaFuncSetAttribute(warp_tiled<Width>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         kSharedBytes);
    warp_tiled<Width>
        <<<grid_of(product, kRows, kColumns), kThreads, kSharedBytes, stream>>>(product);
}

inline void launch_warp_tiled(const MatrixProduct& product, cudaStream_t stream) {
    if (has_wide_rows(product.b, product.n) && has_wide_rows(product.c, product.n)) {
        launch_warp_tiled_by<4>(product, stream);
    } else {
        launch_warp_tiled_by<1>(product, stream);
    }
}

}  // namespace gemm
