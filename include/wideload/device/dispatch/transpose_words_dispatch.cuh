// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/detail/launch.cuh>
#include <wideload/device/kernel/transpose_kernel.cuh>
#include <wideload/thread/aligned_ptr.cuh>
#include <wideload/tuning/transpose_tuning.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// How a matrix is cut into tiles.
struct TileGrid {
    std::size_t down, across;
    bool across_first = false;  ///< see TransposePlan
};

/// Launches a kernel of transpose_kernel.cuh over the tiles of `batch` matrices, in several grids
/// where there are more tiles or matrices than one grid has.
template <class Plan>
cudaError_t launch_tiles(void (*kernel)(const Plan), Plan plan, const TileGrid& tiles, int threads,
                         cudaStream_t stream) {
    const std::size_t along = tiles.across_first ? tiles.across : tiles.down;
    const std::size_t strips = tiles.across_first ? tiles.down : tiles.across;
    if (along > kMaxGridBlocks || strips > kMaxGridBlocks) return cudaErrorInvalidConfiguration;
    const auto at_most = [](std::size_t rest) {
        return static_cast<unsigned>(rest < kMaxGridSide ? rest : kMaxGridSide);
    };
    plan.across_first = tiles.across_first;
    for (plan.first_matrix = 0; plan.first_matrix < plan.batch; plan.first_matrix += kMaxGridSide) {
        for (plan.first_strip = 0; plan.first_strip < strips; plan.first_strip += kMaxGridSide) {
            const dim3 grid(static_cast<unsigned>(along), at_most(strips - plan.first_strip),
                            at_most(plan.batch - plan.first_matrix));
            if (cudaError_t error = launch_grid(kernel, grid, threads, evenly(0), stream, plan))
                return error;
        }
    }
    return cudaSuccess;
}

/// Calls `launch(plan)`, with an `Early` plan for so few bytes.
template <int Size, bool May, class Plan, class Launch>
cudaError_t launch_tiles_early(const Plan& plan, const Launch& launch) {
    return launch_early<May>(plan, plan.rows * plan.columns * plan.batch * Size, kSmallTilesBytes,
                             launch);
}

/// Of matrices one behind the other.
template <class T>
TransposePlan<T> plan_transpose(const void* input, void* output, std::size_t rows,
                                std::size_t columns, std::size_t batch) {
    return {
        static_cast<const T*>(input), static_cast<T*>(output), rows, columns, batch, false, 0, 0};
}
template <class T>
cudaError_t launch_tiles(void (*kernel)(const TransposePlan<T>), const void* input, void* output,
                         std::size_t rows, std::size_t columns, std::size_t batch,
                         const TileGrid& tiles, int threads, cudaStream_t stream) {
    return launch_tiles(kernel, plan_transpose<T>(input, output, rows, columns, batch), tiles,
                        threads, stream);
}

/// Whether L2 forgets the lines of a strip of tiles, of `width` bytes of each row, before it comes
/// to the next.
inline bool strip_outlives_l2(std::size_t rows, std::size_t width) {
    return rows > tuning::kTransposeStripBytes / (width + kLineBytes);
}

/// Whether 32 bits count the elements of a batch, and of any tile's rows behind it, on both sides.
inline bool counts_in_32_bits(std::size_t rows, std::size_t columns, std::size_t batch) {
    constexpr std::size_t kMostTileRows = 128;
    return rows * batch + kMostTileRows <= UINT32_MAX / columns &&
           columns * batch + kMostTileRows <= UINT32_MAX / rows;
}

template <class T, class Tile, class LoadPolicy, class Plan>
cudaError_t launch_transpose_swizzled_with(const Plan& plan, bool across_first,
                                           cudaStream_t stream) {
    return launch_tiles(transpose_swizzled_kernel<T, Tile::kRows, Tile::kColumns, Tile::kThreads,
                                                  LoadPolicy, tuning::TransposeStorePolicy, Plan>,
                        plan,
                        {divide_up<std::size_t>(plan.rows, Tile::kRows),
                         divide_up<std::size_t>(plan.columns, Tile::kColumns), across_first},
                        Tile::kThreads, stream);
}

/// Few enough for 32 bits.
///
/// @tparam MayBeEarly  of `launch_early`
template <class Tile, class LoadPolicy, bool MayBeEarly = true, class T>
cudaError_t launch_transpose_small_swizzled(const T* input, T* output, std::size_t rows,
                                            std::size_t columns, std::size_t batch,
                                            cudaStream_t stream) {
    const TileGrid tiles{divide_up<std::size_t>(rows, Tile::kRows),
                         divide_up<std::size_t>(columns, Tile::kColumns)};
    return launch_tiles_early<sizeof(T), MayBeEarly>(
        plan_transpose<T>(input, output, rows, columns, batch), [&](const auto& plan) {
            using Plan = std::decay_t<decltype(plan)>;
            return launch_tiles(
                transpose_small_swizzled_kernel<T, Tile::kRows, Tile::kColumns, Tile::kThreads,
                                                LoadPolicy, tuning::TransposeStorePolicy, Plan>,
                plan, tiles, Tile::kThreads, stream);
        });
}

/// How tiles of rows that are whole 16-byte words go: counted across first, or read as rows are
/// that do not all begin at lines.
struct SwizzledWay {
    bool across_first, ragged;
};
template <class T>
SwizzledWay swizzled_way(const TransposePlan<T>& plan, bool at_lines) {
    const std::size_t bytes = plan.rows * plan.columns * plan.batch * sizeof(T);
    const bool outlives =
        strip_outlives_l2(plan.rows, tuning::SwizzledTile<sizeof(T)>::kColumns * sizeof(T));
    if (at_lines || outlives || bytes <= tuning::ragged_load_bytes(sizeof(T)))
        return {kSwizzledTilesTurn<T> && !at_lines && outlives, false};
    return {false, true};
}
template <class T, class Plan>
cudaError_t launch_swizzled_way(const Plan& plan, SwizzledWay way, cudaStream_t stream) {
    using Tile = tuning::SwizzledTile<sizeof(T)>;
    if (way.ragged)
        return launch_transpose_swizzled_with<T, Tile, tuning::RaggedLoadPolicy<sizeof(T)>>(
            plan, false, stream);
    return launch_transpose_swizzled_with<T, Tile, tuning::TransposeLoadPolicy>(
        plan, way.across_first, stream);
}

/// Rows that are whole 16-byte words.
template <class T>
cudaError_t launch_transpose_swizzled(const T* input, T* output, std::size_t rows,
                                      std::size_t columns, std::size_t batch, cudaStream_t stream) {
    using Tile = tuning::SwizzledTile<sizeof(T)>;
    using SmallTile = tuning::SmallSwizzledTile<sizeof(T)>;
    using Load = tuning::TransposeLoadPolicy;
    const std::size_t bytes = rows * columns * batch * sizeof(T);
    if constexpr (SmallTile::kMostBytes != 0) {
        if (bytes <= SmallTile::kMostBytes)
            return launch_transpose_small_swizzled<SmallTile, Load>(input, output, rows, columns,
                                                                    batch, stream);
    }
    const TransposePlan<T> plan = plan_transpose<T>(input, output, rows, columns, batch);
    constexpr std::size_t kPerLine = kLineBytes / sizeof(T);
    const SwizzledWay way = swizzled_way(
        plan, rows % kPerLine == 0 && columns % kPerLine == 0 && is_aligned(input, kLineBytes));
    if constexpr (sizeof(T) == 4 || sizeof(T) == 8) {
        constexpr bool kMayBeEarly = SmallTile::kMostBytes == 0;  // or small work has left
        if (!way.across_first && !way.ragged && counts_in_32_bits(rows, columns, batch))
            return launch_transpose_small_swizzled<Tile, Load, kMayBeEarly>(input, output, rows,
                                                                            columns, batch, stream);
    }
    return launch_swizzled_way<T>(plan, way, stream);
}

/// Whether a matrix fills so many percent of tiles that are together of height × width elements.
inline bool fills(std::size_t rows, std::size_t columns, std::size_t height, std::size_t width,
                  int percent) {
    return static_cast<double>(rows) * static_cast<double>(columns) * 100 >=
           static_cast<double>(height) * static_cast<double>(width) * percent;
}

/// Elements of up to 4 bytes have tiles for rows of whole words of `kShearedWordBytes`.
template <class T>
inline constexpr bool kHasShearedTiles = sizeof(T) <= 4;
template <class T>
using ShearedTranspose =
    block::sheared_transpose<T, tuning::ShearedTile<sizeof(T)>::kRows,
                             tuning::ShearedTile<sizeof(T)>::kColumns,
                             tuning::ShearedTile<sizeof(T)>::kThreads, tuning::kShearedWordBytes>;

template <class T, class Plan>
cudaError_t launch_transpose_sheared(const Plan& plan, cudaStream_t stream) {
    using Tile = tuning::ShearedTile<sizeof(T)>;
    return launch_tiles(
        transpose_sheared_kernel<T, Tile::kRows, Tile::kColumns, Tile::kThreads,
                                 tuning::kShearedWordBytes, Tile::kBlocks,
                                 typename Tile::LoadPolicy, tuning::TransposeStorePolicy, Plan>,
        plan,
        {ShearedTranspose<T>::tiles_along_output(plan.rows),
         divide_up<std::size_t>(plan.columns, Tile::kColumns),
         strip_outlives_l2(plan.rows, Tile::kColumns * sizeof(T))},
        Tile::kThreads, stream);
}

/// Whether matrices that are whole words of `kShearedWordBytes` go by sheared tiles of them: those
/// whose rows are whole words of 16 bytes, and begin at sectors in the output, have better ones.
///
/// @param span               elements from a matrix' first to its last, on either side at most
/// @param whole, at_sectors  whether they do
template <class T>
bool sheared_words_suit(std::size_t rows, std::size_t columns, std::size_t batch, std::size_t span,
                        bool whole, bool at_sectors) {
    using Tile = tuning::ShearedTile<sizeof(T)>;
    if ((whole && at_sectors) || span > UINT32_MAX) return false;
    if (rows * columns * batch * sizeof(T) <= tuning::sheared_words_bytes(sizeof(T), whole))
        return false;
    const std::size_t height =
        ShearedTranspose<T>::tiles_along_output(rows) * ShearedTranspose<T>::kWidth;
    const std::size_t width = divide_up<std::size_t>(columns, Tile::kColumns) * Tile::kColumns;
    return fills(rows, columns, height, width, tuning::sheared_words_percent(sizeof(T), whole));
}

}  // namespace wideload::WIDELOAD_DETAIL
