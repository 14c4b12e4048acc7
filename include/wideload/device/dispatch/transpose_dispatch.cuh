// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/detail/launch.cuh>
#include <wideload/device/detail/range.cuh>
#include <wideload/device/dispatch/copy_dispatch.cuh>
#include <wideload/device/dispatch/transpose_narrow_dispatch.cuh>
#include <wideload/device/dispatch/transpose_small_dispatch.cuh>
#include <wideload/device/kernel/interleave_kernel.cuh>
#include <wideload/device/kernel/interleave_staged_kernel.cuh>
#include <wideload/device/kernel/transpose_kernel.cuh>
#include <wideload/tuning/interleave_tuning.cuh>
#include <wideload/tuning/transpose_tuning.cuh>

namespace wideload::detail {

/// The bytes of `batch` matrices of rows × columns elements, or an error where they do not fit an
/// address space.
inline cudaError_t checked_matrices(const void* pointer, std::size_t rows, std::size_t columns,
                                    std::size_t batch, std::size_t size, std::size_t* bytes) {
    if (rows == 0 || columns == 0 || batch == 0) {
        *bytes = 0;
        return cudaSuccess;
    }
    if (columns > SIZE_MAX / rows || batch > SIZE_MAX / (rows * columns))
        return cudaErrorInvalidValue;
    return checked_bytes(pointer, rows * columns * batch, size, bytes);
}

/// How a matrix is cut into tiles.
struct TileGrid {
    std::size_t down, across;
    bool across_first = false;  ///< see TransposePlan
};

/// Launches a kernel of transpose_kernel.cuh over the tiles of `batch` matrices, in several grids
/// where there are more tiles or matrices than one grid has.
template <class T>
cudaError_t launch_tiles(void (*kernel)(const TransposePlan<T>), const void* input, void* output,
                         std::size_t rows, std::size_t columns, std::size_t batch,
                         const TileGrid& tiles, int threads, cudaStream_t stream) {
    const std::size_t along = tiles.across_first ? tiles.across : tiles.down;
    const std::size_t strips = tiles.across_first ? tiles.down : tiles.across;
    if (along > kMaxGridBlocks || strips > kMaxGridBlocks) return cudaErrorInvalidConfiguration;
    const auto at_most = [](std::size_t rest) {
        return static_cast<unsigned>(rest < kMaxGridSide ? rest : kMaxGridSide);
    };
    TransposePlan<T> plan{static_cast<const T*>(input),
                          static_cast<T*>(output),
                          rows,
                          columns,
                          batch,
                          tiles.across_first,
                          0,
                          0};
    for (; plan.first_matrix < batch; plan.first_matrix += kMaxGridSide) {
        for (plan.first_strip = 0; plan.first_strip < strips; plan.first_strip += kMaxGridSide) {
            const dim3 grid(static_cast<unsigned>(along), at_most(strips - plan.first_strip),
                            at_most(batch - plan.first_matrix));
            if (cudaError_t error = launch_grid(kernel, grid, threads, 0, stream, plan))
                return error;
        }
    }
    return cudaSuccess;
}

/// Whether L2 forgets the lines of a strip of tiles, of `width` bytes of each row, before it comes
/// to the next.
inline bool strip_outlives_l2(std::size_t rows, std::size_t width) {
    return rows > tuning::kTransposeStripBytes / (width + kLineBytes);
}

template <class Tile, class LoadPolicy, class T>
cudaError_t launch_transpose_swizzled_with(const T* input, T* output, std::size_t rows,
                                           std::size_t columns, std::size_t batch,
                                           bool across_first, cudaStream_t stream) {
    return launch_tiles<T>(transpose_swizzled_kernel<T, Tile::kRows, Tile::kColumns, Tile::kThreads,
                                                     LoadPolicy, tuning::TransposeStorePolicy>,
                           input, output, rows, columns, batch,
                           {divide_up<std::size_t>(rows, Tile::kRows),
                            divide_up<std::size_t>(columns, Tile::kColumns), across_first},
                           Tile::kThreads, stream);
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
            return launch_transpose_swizzled_with<SmallTile, Load>(input, output, rows, columns,
                                                                   batch, false, stream);
    }
    constexpr std::size_t kPerLine = kLineBytes / sizeof(T);
    const bool at_lines =
        rows % kPerLine == 0 && columns % kPerLine == 0 && is_aligned(input, kLineBytes);
    const bool outlives = strip_outlives_l2(rows, Tile::kColumns * sizeof(T));
    if (at_lines || outlives || bytes <= tuning::ragged_load_bytes(sizeof(T)))
        return launch_transpose_swizzled_with<Tile, Load>(
            input, output, rows, columns, batch, kSwizzledTilesTurn<T> && !at_lines && outlives,
            stream);
    return launch_transpose_swizzled_with<Tile, tuning::RaggedLoadPolicy<sizeof(T)>>(
        input, output, rows, columns, batch, false, stream);
}

template <class T>
using ShiftedTranspose = block::shifted_transpose<
    T, tuning::ShiftedTile<sizeof(T)>::kRows, tuning::ShiftedTile<sizeof(T)>::kColumns,
    tuning::ShiftedTile<sizeof(T)>::kBoundary, tuning::ShiftedTile<sizeof(T)>::kThreads>;

template <class T>
cudaError_t launch_transpose_shifted(const void* input, void* output, std::size_t rows,
                                     std::size_t columns, std::size_t batch, cudaStream_t stream) {
    using Tile = tuning::ShiftedTile<sizeof(T)>;
    return launch_tiles<char>(
        transpose_shifted_kernel<T, Tile::kRows, Tile::kColumns, Tile::kBoundary, Tile::kThreads,
                                 Tile::kBlocks, typename Tile::LoadPolicy,
                                 tuning::TransposeStorePolicy>,
        input, output, rows, columns, batch,
        {ShiftedTranspose<T>::tiles_along_output(rows),
         divide_up<std::size_t>(columns, Tile::kColumns),
         sizeof(T) <= 2 && strip_outlives_l2(rows, Tile::kColumns * sizeof(T))},
        Tile::kThreads, stream);
}

/// Whether a matrix fills its tiles enough for them.
template <class T>
bool fills_shifted_tiles(std::size_t rows, std::size_t columns) {
    using Tile = tuning::ShiftedTile<sizeof(T)>;
    const std::size_t height = ShiftedTranspose<T>::tiles_along_output(rows) *
                               (ShiftedTranspose<T>::kWidthBytes / sizeof(T));
    const std::size_t width = divide_up<std::size_t>(columns, Tile::kColumns) * Tile::kColumns;
    return static_cast<double>(rows) * static_cast<double>(columns) * 100 >=
           static_cast<double>(height) * static_cast<double>(width) * Tile::kLeastFilled;
}

template <class Unit, int Units, class Tile>
cudaError_t launch_transpose_padded_with(const void* input, void* output, std::size_t rows,
                                         std::size_t columns, std::size_t batch,
                                         cudaStream_t stream) {
    return launch_tiles<Unit>(
        transpose_padded_kernel<Unit, Units, Tile::kWidth, Tile::kHeight, 1, Tile::kThreads,
                                Tile::kAsync, typename Tile::LoadPolicy,
                                tuning::TransposeStorePolicy>,
        input, output, rows, columns, batch,
        {divide_up<std::size_t>(rows, Tile::kWidth), divide_up<std::size_t>(columns, Tile::kHeight),
         sizeof(Unit) <= 4 && strip_outlives_l2(rows, Tile::kHeight * Units * sizeof(Unit))},
        Tile::kThreads, stream);
}

/// Structs, and elements that are one unit.
template <class Unit, int Units>
cudaError_t launch_transpose_padded(const void* input, void* output, std::size_t rows,
                                    std::size_t columns, std::size_t batch, cudaStream_t stream) {
    return launch_transpose_padded_with<Unit, Units,
                                        tuning::PaddedTile<static_cast<int>(sizeof(Unit)), Units>>(
        input, output, rows, columns, batch, stream);
}

/// Whether a matrix of elements of 4 or 8 bytes has enough rotated tiles that are no edges.
template <class T>
bool fills_rotated_tiles(std::size_t rows, std::size_t columns) {
    using Tuned = tuning::RotatedTile<static_cast<int>(sizeof(T))>;
    using Tile = block::rotated_transpose<T, Tuned::kWidth, Tuned::kWords, Tuned::kLanes,
                                          Tuned::kBoundary, Tuned::kThreads>;
    return rows >= tuning::kRotatedLeastTiles * Tuned::kWidth &&
           columns >= tuning::kRotatedLeastTiles * Tile::kHeight;
}

/// Of 4 or 8 bytes, at multiples of their size.
template <class T>
cudaError_t launch_transpose_rotated(const T* input, T* output, std::size_t rows,
                                     std::size_t columns, std::size_t batch, cudaStream_t stream) {
    using Tuned = tuning::RotatedTile<static_cast<int>(sizeof(T))>;
    using Tile = block::rotated_transpose<T, Tuned::kWidth, Tuned::kWords, Tuned::kLanes,
                                          Tuned::kBoundary, Tuned::kThreads>;
    using Edge = block::padded_transpose<T, 1, Tuned::kWidth, Tile::kHeight, Tuned::kBoundary,
                                         Tuned::kThreads>;
    if (!fills_rotated_tiles<T>(rows, columns))
        return launch_transpose_padded<T, 1>(input, output, rows, columns, batch, stream);
    return launch_tiles<T>(
        transpose_rotated_kernel<T, Tuned::kWidth, Tuned::kWords, Tuned::kLanes, Tuned::kBoundary,
                                 Tuned::kThreads, Tuned::kBlocks, typename Tuned::LoadPolicy,
                                 tuning::TransposeStorePolicy>,
        input, output, rows, columns, batch,
        {Edge::tiles_along_output(rows), divide_up<std::size_t>(columns, Tile::kHeight),
         strip_outlives_l2(rows, Tile::kHeight * sizeof(T))},
        Tuned::kThreads, stream);
}

/// Of 1 to 8 bytes, at multiples of their size, in rows that start at any element.
template <class T>
cudaError_t launch_transpose_ragged(const T* input, T* output, std::size_t rows,
                                    std::size_t columns, std::size_t batch, cudaStream_t stream) {
    using SmallTile = tuning::SmallPaddedTile<sizeof(T)>;
    if (rows * columns * batch * sizeof(T) <= SmallTile::kMostBytes)
        return launch_transpose_padded_with<T, 1, SmallTile>(input, output, rows, columns, batch,
                                                             stream);
    if constexpr (sizeof(T) >= 4) {
        return launch_transpose_rotated(input, output, rows, columns, batch, stream);
    } else if (fills_shifted_tiles<T>(rows, columns)) {
        return launch_transpose_shifted<T>(input, output, rows, columns, batch, stream);
    } else {
        return launch_transpose_padded<T, 1>(input, output, rows, columns, batch, stream);
    }
}

/// Launches a kernel that transposes matrices of few rows or columns, `count` the other way, as
/// structs: by so many tiles each.
template <class T>
cudaError_t launch_tiles_of_fields(void (*kernel)(const T*, T*, std::size_t, std::size_t),
                                   const T* input, T* output, std::size_t count, std::size_t batch,
                                   std::size_t tiles, int threads, SharedMemory shared,
                                   cudaStream_t stream) {
    if (tiles > kMaxGridBlocks) return cudaErrorInvalidConfiguration;
    for (std::size_t first = 0; first < batch; first += kMaxGridSide) {
        const std::size_t rest = batch - first;
        const dim3 grid(static_cast<unsigned>(tiles),
                        static_cast<unsigned>(rest < kMaxGridSide ? rest : kMaxGridSide));
        if (cudaError_t error =
                launch_grid(kernel, grid, threads, shared, stream, input, output, count, first))
            return error;
    }
    return cudaSuccess;
}

/// Matrices of `Fields` columns (or rows) that are whole units of InterleaveShape: structs to
/// arrays (or back), at the speed of those.
template <class T, int Fields, bool ToFields>
cudaError_t launch_transpose_fields(const T* input, T* output, std::size_t count, std::size_t batch,
                                    cudaStream_t stream) {
    using Shape = InterleaveShape<sizeof(T), Fields, ToFields>;
    constexpr bool kMayGoByWarps = ToFields ? Shape::kSplitsThroughWarp : Shape::kThroughWarp;
    using Store = tuning::InterleaveStorePolicy;
    using Load =
        std::conditional_t<ToFields, tuning::DeinterleaveLoadPolicy,
                           tuning::InterleaveLoadPolicy<static_cast<int>(sizeof(T)), Fields>>;
    auto kernel = transpose_fields_kernel<T, Fields, ToFields, false, Load, Store>;
    if constexpr (kMayGoByWarps) {
        const void* structs = ToFields ? static_cast<const void*>(input) : output;
        if (is_aligned(structs, Shape::kWordBytes) &&
            count * Fields * sizeof(T) % Shape::kWordBytes == 0)
            kernel = transpose_fields_kernel<T, Fields, ToFields, true, Load, Store>;
    }
    const std::size_t rows = count / Shape::kStructsPerRow;
    return launch_tiles_of_fields<T>(kernel, input, output, count, batch,
                                     divide_up<std::size_t>(rows, Shape::kTileRows),
                                     Shape::kThreads, 0, stream);
}

/// Any others, by ranges of bytes.
template <class T, int Fields, bool ToFields, bool Small>
cudaError_t launch_transpose_staged_fields(const T* input, T* output, std::size_t count,
                                           std::size_t batch, cudaStream_t stream) {
    using Shape = StagedInterleave<sizeof(T), Fields, ToFields, false, Small>;
    return launch_tiles_of_fields<T>(
        transpose_staged_fields_kernel<T, Shape, tuning::StagedStructLoadPolicy,
                                       tuning::InterleaveStorePolicy>,
        input, output, count, batch, divide_up<std::size_t>(count, Shape::kTileStructs),
        Shape::kThreads, {0, tuning::kStagedSharedPercent}, stream);
}

/// Matrices of 2, 3, 4 or 8 rows or columns of elements of 1 to 16 bytes, where each begins at a
/// unit or elements have 1 or 2 bytes. Returns whether they are such.
template <class T>
bool launch_transpose_few(const void* input, void* output, std::size_t rows, std::size_t columns,
                          std::size_t batch, cudaStream_t stream, cudaError_t* status) {
    const bool tall = rows >= columns;
    const std::size_t count = tall ? rows : columns;
    constexpr std::size_t kUnit = sizeof(T) < 4 ? 4 : sizeof(T);
    const bool at_units =
        is_aligned(input, kUnit) && is_aligned(output, kUnit) && count * sizeof(T) % kUnit == 0;
    const T* from = static_cast<const T*>(input);
    T* to = static_cast<T*>(output);
    const auto launch_by = [&](auto fields, auto to_fields) {
        constexpr int kFields = decltype(fields)::value;
        constexpr bool kToFields = decltype(to_fields)::value;
        if (at_units) {
            *status =
                launch_transpose_fields<T, kFields, kToFields>(from, to, count, batch, stream);
            return true;
        }
        if constexpr (sizeof(T) <= 2) {
            using Tile = tuning::SmallPaddedTile<sizeof(T)>;
            if (divide_up<std::size_t>(count, Tile::kWidth) * batch <= tuning::kFewPaddedTiles ||
                (batch > 1 && count < tuning::kStagedFieldsLength))
                return false;
            const bool small = count * batch <= tuning::kSmallStagedBytes / (kFields * sizeof(T));
            *status = small ? launch_transpose_staged_fields<T, kFields, kToFields, true>(
                                  from, to, count, batch, stream)
                            : launch_transpose_staged_fields<T, kFields, kToFields, false>(
                                  from, to, count, batch, stream);
            return true;
        }
        return false;
    };
    const auto launch_fields = [&](auto fields) {
        return tall ? launch_by(fields, std::true_type{}) : launch_by(fields, std::false_type{});
    };
    switch (tall ? columns : rows) {
        case 2:
            return launch_fields(std::integral_constant<int, 2>{});
        case 3:
            return launch_fields(std::integral_constant<int, 3>{});
        case 4:
            return launch_fields(std::integral_constant<int, 4>{});
        case 8:
            if constexpr (sizeof(T) >= 4) return launch_fields(std::integral_constant<int, 8>{});
            return false;
        default:
            return false;
    }
}

/// Whether matrices whose rows are whole 16-byte words go by sheared tiles all the same: large ones
/// whose output rows do not begin at sectors, which other tiles would write in parts.
template <class T>
bool prefers_sheared_tiles(const void* output, std::size_t rows, std::size_t columns,
                           std::size_t batch) {
    const bool at_sectors =
        rows * sizeof(T) % kSectorBytes == 0 && is_aligned(output, kSectorBytes);
    if (at_sectors || rows * columns * batch * sizeof(T) <= tuning::sheared_bytes(sizeof(T)))
        return false;
    if constexpr (sizeof(T) <= 2) {
        return fills_shifted_tiles<T>(rows, columns);
    } else {
        return fills_rotated_tiles<T>(rows, columns);
    }
}

template <class T>
cudaError_t launch_transpose_typed(const void* input, void* output, std::size_t rows,
                                   std::size_t columns, std::size_t batch, cudaStream_t stream) {
    constexpr std::size_t kPerWord = kWideBytes / sizeof(T);
    const T* typed_input = static_cast<const T*>(input);
    T* typed_output = static_cast<T*>(output);
    if (rows % kPerWord == 0 && columns % kPerWord == 0 && is_aligned(input, kWideBytes) &&
        is_aligned(output, kWideBytes)) {
        if constexpr (sizeof(T) <= 8) {
            if (prefers_sheared_tiles<T>(output, rows, columns, batch))
                return launch_transpose_ragged(typed_input, typed_output, rows, columns, batch,
                                               stream);
        }
        return launch_transpose_swizzled(typed_input, typed_output, rows, columns, batch, stream);
    }
    if constexpr (sizeof(T) <= 8) {
        if (is_aligned(input, sizeof(T)) && is_aligned(output, sizeof(T)))
            return launch_transpose_ragged(typed_input, typed_output, rows, columns, batch, stream);
    }
    return launch_transpose_shifted<T>(input, output, rows, columns, batch, stream);
}

/// Whether matrices are small enough, and enough, to go by as many as fit a block.
template <int Size>
bool fit_blocks(const NarrowMatrices& matrices) {
    if (matrices.batch == 1) return false;
    const std::size_t bytes = matrices.bytes(), all = bytes * matrices.batch;
    const bool tiny = bytes <= tuning::kSmallMatrixBytes;
    if constexpr (is_power_of_two(Size) && Size <= 8) {
        const bool ragged = !matrices.are_whole_words() && is_aligned(matrices.input, Size) &&
                            is_aligned(matrices.output, Size);
        if (!ragged) return tiny;
        if (matrices.are_narrow()) {
            if (matrices.all_at(kWideBytes)) return tiny;
            const bool pieced = Size <= 2 && (matrices.batch <= tuning::kRaggedPiecedMatrices ||
                                              matrices.length() >= tuning::kRaggedPiecedLength);
            return !pieced && bytes <= tuning::ragged_narrow_matrix_bytes(Size, matrices.line());
        }
        if (tiny)
            return all > tuning::kRaggedTiledBatchBytes ||
                   matrices.batch > tuning::kRaggedTiledMatrices;
        return bytes <= tuning::ragged_small_matrix_bytes(Size) &&
               all > tuning::SmallPaddedTile<Size>::kMostBytes;
    }
    return tiny;
}

template <int Size>
cudaError_t dispatch_transpose(const void* input, void* output, std::size_t rows,
                               std::size_t columns, std::size_t batch, cudaStream_t stream) {
    std::size_t bytes = 0;
    if (cudaError_t error = checked_matrices(input, rows, columns, batch, Size, &bytes))
        return error;
    if (cudaError_t error = checked_matrices(output, rows, columns, batch, Size, &bytes))
        return error;
    if (bytes == 0) return cudaSuccess;
    if (byte_range(input, bytes).overlaps(byte_range(output, bytes))) return cudaErrorInvalidValue;
    if (rows == 1 || columns == 1) return dispatch_copy(input, output, bytes, 1, stream);
    const NarrowMatrices matrices{input, output, rows, columns, batch, Size};
    const bool by_blocks = fit_blocks<Size>(matrices);
    if constexpr (is_power_of_two(Size) && Size <= kWideBytes) {
        cudaError_t status = cudaSuccess;
        if (!(by_blocks && matrices.bytes() <= tuning::kSmallMatrixBytes) &&
            launch_transpose_few<access_word_t<Size>>(input, output, rows, columns, batch, stream,
                                                      &status))
            return status;
    }
    if (by_blocks)
        return dispatch_transpose_small<Size>(input, output, rows, columns, batch, stream);
    if (matrices.are_narrow()) return dispatch_transpose_narrow<Size>(matrices, stream);

    if constexpr (is_power_of_two(Size) && Size <= kWideBytes) {
        return launch_transpose_typed<access_word_t<Size>>(input, output, rows, columns, batch,
                                                           stream);
    } else {
        constexpr int kUnit = access_width(Size, kWideBytes);
        if (is_aligned(input, kUnit) && is_aligned(output, kUnit)) {
            return launch_transpose_padded<access_word_t<kUnit>, Size / kUnit>(
                input, output, rows, columns, batch, stream);
        }
        return launch_transpose_padded<std::uint8_t, Size>(input, output, rows, columns, batch,
                                                           stream);
    }
}

}  // namespace wideload::detail
