// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/detail/launch.cuh>
#include <wideload/device/kernel/transpose_rectangle_kernel.cuh>
#include <wideload/tuning/transpose_in_place_tuning.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// What panels are to be like: of about so many bytes, of blocks of at least so many rows and
/// columns.
struct PanelSize {
    std::size_t bytes = tuning::kInPlacePanelBytes;
    std::size_t block_side = tuning::kInPlaceBlockSide;
    std::size_t held_by = SIZE_MAX;  ///< at most so many thread blocks that hold a panel together
};

/// `blocks` blocks of rows × columns elements, transposed from one matrix into another.
template <class Unit, int Units>
cudaError_t launch_transpose_blocks(const TransposeBlocksPlan<Unit>& plan, std::size_t blocks,
                                    cudaStream_t stream) {
    using Tuned = tuning::RectangleTile<static_cast<int>(sizeof(Unit)), Units>;
    using Tile = block::padded_transpose<Unit, Units, Tuned::kWidth, Tuned::kHeight,
                                         Tuned::kBoundary, Tuned::kThreads>;
    // Streaming bytes would take more registers than there are.
    using Load = std::conditional_t<sizeof(Unit) >= 4, streaming, typename Tuned::LoadPolicy>;
    if (blocks == 0 || plan.rows == 0 || plan.columns == 0) return cudaSuccess;
    const std::size_t down = Tile::tiles_along_output(plan.rows);
    if (down > kMaxGridBlocks) return cudaErrorInvalidConfiguration;
    TransposeBlocksPlan<Unit> part = plan;
    for (std::size_t first = 0; first < plan.columns; first += kMaxGridSide * Tuned::kHeight) {
        part.input = plan.input + first * Units;
        part.output = plan.output + first * plan.output_pitch * Units;
        part.columns = plan.columns - first;
        const std::size_t across = divide_up<std::size_t>(part.columns, Tuned::kHeight);
        const dim3 grid(static_cast<unsigned>(down),
                        static_cast<unsigned>(across < kMaxGridSide ? across : kMaxGridSide),
                        static_cast<unsigned>(blocks));
        if (cudaError_t error = launch_grid(
                transpose_blocks_kernel<Unit, Units, Tuned::kWidth, Tuned::kHeight,
                                        Tuned::kBoundary, Tuned::kThreads, Tuned::kAsync, Load,
                                        tuning::TransposeStorePolicy>,
                grid, Tuned::kThreads, 0, stream, part))
            return error;
    }
    return cudaSuccess;
}

/// `blocks` blocks of `rows` rows of `row_bytes` bytes, all distances in bytes and multiples of a
/// unit, like the addresses.
template <class Unit>
cudaError_t launch_move_blocks(const char* from, char* to, std::size_t rows, std::size_t row_bytes,
                               std::size_t pitch, std::size_t from_step, std::size_t to_step,
                               std::size_t blocks, cudaStream_t stream) {
    constexpr int kThreads = 256, kRows = 8;
    constexpr std::size_t kUnit = sizeof(Unit);
    MoveBlocksPlan<Unit> plan{reinterpret_cast<const Unit*>(from),
                              reinterpret_cast<Unit*>(to),
                              rows,
                              row_bytes / kUnit,
                              pitch / kUnit,
                              from_step / kUnit,
                              to_step / kUnit,
                              0};
    while ((1 << plan.along_log2) < kThreads && std::size_t{1} << plan.along_log2 < plan.units)
        ++plan.along_log2;
    const std::size_t rows_of_group = (kThreads >> plan.along_log2) * kRows;
    const std::size_t across =
        divide_up<std::size_t>(plan.units, std::size_t{1} << plan.along_log2);
    const std::size_t groups = divide_up(rows, rows_of_group);
    if (groups > kMaxGridBlocks) return cudaErrorInvalidConfiguration;
    const auto kernel = move_blocks_kernel<Unit, kRows, kThreads>;
    for (std::size_t first = 0; first < across; first += kMaxGridSide) {
        const std::size_t pieces = across - first < kMaxGridSide ? across - first : kMaxGridSide;
        const dim3 grid(static_cast<unsigned>(groups), static_cast<unsigned>(pieces),
                        static_cast<unsigned>(blocks));
        MoveBlocksPlan<Unit> part = plan;
        part.from += first << plan.along_log2;
        part.to += first << plan.along_log2;
        part.units -= first << plan.along_log2;
        if (cudaError_t error = launch_grid(kernel, grid, kThreads, 0, stream, part)) return error;
    }
    return cudaSuccess;
}

}  // namespace wideload::WIDELOAD_DETAIL
