// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/dispatch/transpose_tiles_dispatch.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// Elements that are no whole words go by words all the same, unless they are large.
template <int Size>
inline constexpr bool kMayBeGrouped = Size % 4 != 0 && Size > 2 && Size < tuning::kGroupedBytes;

template <int Size>
using GroupedTranspose = block::grouped_transpose<Size, tuning::GroupedTile<Size>::kRowWords,
                                                  tuning::GroupedTile<Size>::kThreads>;

/// @param pitch  elements from row to row of the input, and `to_pitch` of the output
template <int Size>
bool prefers_grouped_tiles(std::size_t rows, std::size_t columns, std::size_t batch,
                           std::size_t pitch, std::size_t to_pitch) {
    const bool at_sectors = pitch * Size % kSectorBytes == 0 && to_pitch * Size % kSectorBytes == 0;
    if (Size % 2 == 0 && at_sectors) return false;
    using Tile = GroupedTranspose<Size>;
    using Padded =
        tuning::PaddedTile<access_width(Size, kWideBytes), Size / access_width(Size, kWideBytes)>;
    const TileUse grouped = sheared_use<Tile>(rows, columns, batch);
    const TileUse padded = padded_use<Padded>(rows, columns, batch);
    const std::size_t least = tuning::least_grouped_percent(Size, rows * columns * batch * Size);
    return Tile::counts(pitch) && grouped.tiles >= tuning::least_grouped_tiles(Size) &&
           grouped.percent * 100 >= padded.percent * least;
}
template <int Size>
bool prefers_grouped_tiles(std::size_t rows, std::size_t columns, std::size_t batch) {
    return prefers_grouped_tiles<Size>(rows, columns, batch, columns, rows);
}

template <int Size, class Plan>
cudaError_t launch_transpose_grouped(const Plan& plan, cudaStream_t stream) {
    using Tuned = tuning::GroupedTile<Size>;
    using Tile = GroupedTranspose<Size>;
    return launch_tiles(
        transpose_grouped_kernel<Size, Tuned::kRowWords, Tuned::kThreads, Tuned::kBlocks,
                                 tuning::TransposeStorePolicy, Plan>,
        plan,
        {Tile::tiles_along_output(plan.rows), divide_up<std::size_t>(plan.columns, Tile::kHeight),
         strip_outlives_l2(plan.rows, Tile::kHeight * Size)},
        Tuned::kThreads, stream);
}
template <int Size>
cudaError_t launch_transpose_grouped(const void* input, void* output, std::size_t rows,
                                     std::size_t columns, std::size_t batch, cudaStream_t stream) {
    return launch_transpose_grouped<Size>(plan_transpose<char>(input, output, rows, columns, batch),
                                          stream);
}

/// Structs, and elements of 3, 5, 6 bytes and the like, by tiles.
template <int Size>
cudaError_t launch_transpose_structs(const void* input, void* output, std::size_t rows,
                                     std::size_t columns, std::size_t batch, cudaStream_t stream) {
    constexpr int kUnit = access_width(Size, kWideBytes);
    const bool at_units = is_aligned(input, kUnit) && is_aligned(output, kUnit);
    if constexpr (kMayBeGrouped<Size>) {
        if (at_units && prefers_grouped_tiles<Size>(rows, columns, batch))
            return launch_transpose_grouped<Size>(input, output, rows, columns, batch, stream);
    }
    if (at_units) {
        return launch_transpose_padded<access_word_t<kUnit>, Size / kUnit>(input, output, rows,
                                                                           columns, batch, stream);
    }
    return launch_transpose_padded<std::uint8_t, Size>(input, output, rows, columns, batch, stream);
}

}  // namespace wideload::WIDELOAD_DETAIL
