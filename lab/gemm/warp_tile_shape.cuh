// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix_product.cuh"

namespace gemm::warp_tile {

/// C that a block computes, and the steps of k that it holds in shared memory as one stage.
inline constexpr int kRows = 128;
inline constexpr int kColumns = 128;
inline constexpr int kDepth = 16;
inline constexpr int kStages = 3;

/// C that a warp and a thread of it compute. A thread's rows and columns come in groups of 4, side
/// by side for a 16-byte access; the groups of a warp's lanes alternate.
inline constexpr int kWarpRows = 64;
inline constexpr int kWarpColumns = 64;
inline constexpr int kGroup = 4;
inline constexpr int kThreadRows = 8;
inline constexpr int kThreadColumns = 16;
inline constexpr int kLaneRows = kWarpRows / kThreadRows;
inline constexpr int kLaneColumns = kWarpColumns / kThreadColumns;
static_assert(kLaneRows == 8 && kLaneColumns == 4, "what lane_position() lays out");

inline constexpr int kWarpsAcross = kColumns / kWarpColumns;
inline constexpr int kThreads = 32 * (kRows / kWarpRows) * kWarpsAcross;
/// 65,536 registers hold two blocks of 128 threads at the most a thread can have, 255. One block
/// computes while the other waits at a barrier or writes its results.
inline constexpr int kBlocksPerMultiprocessor = 2;

/// A stage: A transposed, then B. The rows of A's tile begin 4 banks apart: a warp writes 8 steps
/// of k × 4 rows at once, which then fall into 32 banks.
inline constexpr int kPitchA = kRows + 4;
inline constexpr int kPitchB = kColumns;
inline constexpr int kFloatsA = kDepth * kPitchA;
inline constexpr int kStageFloats = kFloatsA + kDepth * kPitchB;
inline constexpr int kSharedBytes = kStages * kStageFloats * static_cast<int>(sizeof(float));

/// Which of the groups of rows and of columns a lane begins with. Lanes that differ in bit 0 share
/// their rows and those that differ in bit 1 their columns, since shared memory serves two quarters
/// of a warp's 16-byte loads in one pass only if each address is also that of lane ^ 1 or of
/// lane ^ 2: 2 passes for each load instead of 4.
__device__ inline TileOrigin lane_position(int lane) {
    const int row = (lane >> 1 & 1) | (lane >> 2 & 3) << 1;
    const int column = (lane & 1) | (lane >> 4) << 1;
    return {row * kGroup, column * kGroup};
}

/// The tile of a block. Tiles are handed out in bands of 8 rows of tiles, down each column of the
/// band: the blocks that run together then share rows of A and columns of B in L2.
__device__ inline TileOrigin banded_tile_of_block(int m, int n) {
    constexpr int kBand = 8;
    const int tiles_down = ceil_divide(m, kRows);
    const int tiles_across = ceil_divide(n, kColumns);
    const int block = static_cast<int>(blockIdx.x);
    const int first = block / (kBand * tiles_across) * kBand;
    const int height = min(kBand, tiles_down - first);
    const int in_band = block - first * tiles_across;
    return {(first + in_band % height) * kRows, in_band / height * kColumns};
}

}  // namespace gemm::warp_tile
