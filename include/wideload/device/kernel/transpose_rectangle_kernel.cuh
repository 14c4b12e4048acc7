// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/block/padded_transpose.cuh>
#include <wideload/device/detail/stream_order.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// Blocks of rows × columns elements out of one matrix, transposed into another.
template <class Unit>
struct TransposeBlocksPlan {
    const Unit* input;
    Unit* output;
    std::size_t rows, columns;              ///< of a block of the input, in elements
    std::size_t input_pitch, output_pitch;  ///< from row to row of the matrices, in elements
    std::size_t input_step, output_step;    ///< from block to block, in elements
};

/// Element by element, a tile a block: blockIdx.x counts tiles down a block of the input, .y across
/// it, .z the blocks.
template <class Unit, int Units, int Width, int Height, int Boundary, int Threads, bool Async,
          class LoadPolicy, class StorePolicy>
__global__ void __launch_bounds__(Threads)
    transpose_blocks_kernel(const __grid_constant__ TransposeBlocksPlan<Unit> plan) {
    enter_stream_order();
    using Tile = block::padded_transpose<Unit, Units, Width, Height, Boundary, Threads, Async>;
    __shared__ typename Tile::storage shared;
    const std::size_t row = static_cast<std::size_t>(blockIdx.x) * Width;
    const std::size_t column = static_cast<std::size_t>(blockIdx.y) * Height;
    Tile::template stage<LoadPolicy>(shared, plan.input + blockIdx.z * plan.input_step * Units,
                                     plan.rows, plan.columns, row, column, threadIdx.x,
                                     plan.input_pitch);
    Tile::staged();
    __syncthreads();
    Tile::template drain<StorePolicy>(shared, plan.output + blockIdx.z * plan.output_step * Units,
                                      plan.rows, plan.columns, row, column, threadIdx.x,
                                      plan.output_pitch);
}

/// Blocks of `rows` rows of `units` units that change places within one matrix.
template <class Unit>
struct MoveBlocksPlan {
    const Unit* from;
    Unit* to;
    std::size_t rows, units;
    std::size_t pitch;               ///< from row to row, in units
    std::size_t from_step, to_step;  ///< from block to block, in units
    int along_log2;                  ///< threads side by side along a row
};

/// `Rows` rows a thread: blockIdx.x counts groups of rows, .y pieces of them, .z the blocks. L2
/// has a panel to keep meanwhile.
template <class Unit, int Rows, int Threads>
__global__ void __launch_bounds__(Threads)
    move_blocks_kernel(const __grid_constant__ MoveBlocksPlan<Unit> plan) {
    enter_stream_order();
    const unsigned along = 1u << plan.along_log2;
    const std::size_t unit = static_cast<std::size_t>(blockIdx.y) * along + threadIdx.x % along;
    const std::size_t step = static_cast<std::size_t>(Threads) >> plan.along_log2;
    const std::size_t row = blockIdx.x * step * Rows + (threadIdx.x >> plan.along_log2);
    if (unit >= plan.units) return;
    const std::size_t place = row * plan.pitch + unit, next = step * plan.pitch;
    const Unit* from = plan.from + blockIdx.z * plan.from_step + place;
    Unit* to = plan.to + blockIdx.z * plan.to_step + place;
    Unit held[Rows];
#pragma unroll
    for (int i = 0; i < Rows; ++i) {
        if (row + i * step < plan.rows)
            load_bytes<sizeof(Unit), sizeof(Unit), streaming>(from + i * next, &held[i]);
    }
#pragma unroll
    for (int i = 0; i < Rows; ++i) {
        if (row + i * step < plan.rows)
            store_bytes<sizeof(Unit), sizeof(Unit), streaming>(to + i * next, &held[i]);
    }
}

}  // namespace wideload::WIDELOAD_DETAIL
