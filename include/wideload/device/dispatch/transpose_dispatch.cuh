// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/detail/range.cuh>
#include <wideload/device/dispatch/copy_dispatch.cuh>
#include <wideload/device/dispatch/transpose_fields_dispatch.cuh>
#include <wideload/device/dispatch/transpose_narrow_dispatch.cuh>
#include <wideload/device/dispatch/transpose_small_dispatch.cuh>
#include <wideload/device/dispatch/transpose_structs_dispatch.cuh>
#include <wideload/device/dispatch/transpose_tiles_dispatch.cuh>
#include <wideload/tuning/transpose_batch_tuning.cuh>
#include <wideload/tuning/transpose_tuning.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// Bytes of an element, of a type that can be transposed; one sentence is said of others.
template <class T>
constexpr int transposed_size() {
    static_assert(is_bitwise_copyable_v<T>,
                  "wideload::transpose moves raw bytes: T must be trivially copyable");
    static_assert(sizeof(T) <= 128, "wideload::transpose: elements of at most 128 bytes");
    return static_cast<int>(sizeof(T));
}

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

/// The use of tiles of height × width of the input.
inline TileUse tile_use(const NarrowMatrices& matrices, std::size_t height, std::size_t width) {
    return {divide_up(matrices.rows, height), divide_up(matrices.columns, width), height * width,
            matrices.rows * matrices.columns, matrices.batch};
}

/// What matrices go through: several of them to a block, pieces of them, or tiles.
enum class TransposeWay { blocks, pieces, tiles };

/// Whether small matrices of few rows or columns, at words of 16 bytes, go by pieces.
template <int Size>
bool are_small_pieced(const NarrowMatrices& matrices) {
    return tuning::are_small_pieced(Size, matrices.length(), matrices.narrow(), matrices.tall(),
                                    matrices.bytes() * matrices.batch);
}

/// Several matrices of whole 16-byte words.
template <int Size>
TransposeWay way_of_words(const NarrowMatrices& matrices) {
    using Tile = tuning::SwizzledTile<Size>;
    using SmallTile = tuning::SmallSwizzledTile<Size>;
    const std::size_t bytes = matrices.bytes();
    const bool tuned = matrices.batch * bytes <= SmallTile::kMostBytes;
    const TileUse small = tile_use(matrices, SmallTile::kRows, SmallTile::kColumns);
    const bool few = (tuned || SmallTile::kMostBytes == 0) &&
                     small.tiles <= tuning::few_swizzled_tiles(Size, small.percent) &&
                     matrices.narrow() > tuning::kFewestInTiles;
    if (bytes <= tuning::kSmallMatrixBytes) {
        const bool pieced =
            matrices.are_narrow() && matrices.tall() && are_small_pieced<Size>(matrices);
        return few ? TransposeWay::tiles : pieced ? TransposeWay::pieces : TransposeWay::blocks;
    }
    if (matrices.are_narrow())
        return few && small.percent >= 50 ? TransposeWay::tiles : TransposeWay::pieces;
    const bool sparse = !tuned && tile_use(matrices, Tile::kRows, Tile::kColumns).percent < 50;
    return sparse && bytes <= tuning::sparse_matrix_bytes(matrices.batch) ? TransposeWay::blocks
                                                                          : TransposeWay::tiles;
}

/// What others take of packed or padded tiles, and whether those are large ones.
struct RaggedUse {
    bool large;
    TileUse use;
};
template <int Size>
RaggedUse ragged_tile_use(const NarrowMatrices& matrices) {
    if constexpr (Size <= 2) {
        const PackedUse<access_word_t<Size>> packed(matrices.rows, matrices.columns,
                                                    matrices.batch);
        return {packed.large, packed.use};
    } else {
        using Tile = tuning::SmallPaddedTile<Size>;
        return {false, tile_use(matrices, Tile::kHeight, Tile::kWidth)};
    }
}

/// Several of others, whose elements are at multiples of their size.
template <int Size>
TransposeWay way_of_elements(const NarrowMatrices& matrices) {
    const std::size_t bytes = matrices.bytes();
    const auto [large, use] = ragged_tile_use<Size>(matrices);
    const bool few = use.tiles <= tuning::few_ragged_tiles(Size, large, use.percent, bytes);
    if (matrices.are_narrow()) {
        const bool at_words = matrices.all_at(kWideBytes);
        const bool square = matrices.length() / matrices.narrow() < tuning::kRaggedNarrowTimes;
        if (Size <= 2 && at_words && few && square && matrices.narrow() > tuning::kFewestInTiles)
            return TransposeWay::tiles;
        if (at_words) {
            return bytes > tuning::kSmallMatrixBytes || are_small_pieced<Size>(matrices)
                       ? TransposeWay::pieces
                       : TransposeWay::blocks;
        }
        const std::size_t length = matrices.length();
        const std::size_t few_matrices = tuning::ragged_pieced_matrices(length, matrices.narrow());
        const bool pieced =
            Size <= 2 && (matrices.batch <= few_matrices || length >= tuning::kRaggedPiecedLength);
        const bool small =
            !pieced && bytes <= tuning::ragged_narrow_matrix_bytes(Size, matrices.line(), length);
        return small ? TransposeWay::blocks : TransposeWay::pieces;
    }
    const bool worthwhile = use.percent >= tuning::kWorthwhileRaggedPercent &&
                            matrices.batch * bytes <= tuning::most_ragged_bytes(Size);
    return few || worthwhile || bytes > tuning::kRaggedSmallMatrixBytes ? TransposeWay::tiles
                                                                        : TransposeWay::blocks;
}

template <int Size>
TransposeWay transpose_way(const NarrowMatrices& matrices) {
    if constexpr (!is_power_of_two(Size)) {
        if (matrices.length() <= matrices.narrow() * tuning::kStructTilesTimes &&
            small_struct_tiles(matrices.rows, matrices.columns, matrices.batch) <=
                tuning::kFewestStructTiles)
            return TransposeWay::tiles;
    }
    if (matrices.batch > 1) {
        if constexpr (is_power_of_two(Size) && Size <= 8) {
            const auto at = [&](int bytes) {
                return is_aligned(matrices.input, bytes) && is_aligned(matrices.output, bytes);
            };
            const bool words = matrices.are_whole_words();
            if (words && at(kWideBytes)) return way_of_words<Size>(matrices);
            if (!words && at(Size)) return way_of_elements<Size>(matrices);
        }
        if (matrices.bytes() <= tuning::kSmallMatrixBytes) return TransposeWay::blocks;
        if constexpr (kGathersStructs<Size>) {
            const bool even =
                Size % 2 == 0 && is_aligned(matrices.input, 2) && is_aligned(matrices.output, 2);
            const bool pieced =
                matrices.are_narrow() && tuning::are_pieced(Size, even, matrices.line());
            if (!pieced && matrices.bytes() <= tuning::kRaggedSmallMatrixBytes &&
                tuning::many_small_structs(Size, even, matrices.rows, matrices.columns,
                                           matrices.batch))
                return TransposeWay::blocks;
        }
    }
    return matrices.are_narrow() ? TransposeWay::pieces : TransposeWay::tiles;
}

/// Whether matrices of few rows or columns go by fields where they can.
template <int Size>
bool may_go_by_fields(const NarrowMatrices& matrices, TransposeWay way) {
    const std::size_t bytes = matrices.bytes();
    if (bytes > tuning::kSmallMatrixBytes) return true;
    if (Size <= 2 && (way == TransposeWay::blocks || matrices.all_at(kWideBytes)))
        return tuning::are_small_fields(Size, matrices.length() * Size, bytes,
                                        bytes * matrices.batch);
    return way != TransposeWay::blocks;
}

/// Matrices of elements of `Size` bytes at any address, by tiles.
template <int Size>
cudaError_t launch_transpose_tiles(const void* input, void* output, std::size_t rows,
                                   std::size_t columns, std::size_t batch, cudaStream_t stream) {
    if constexpr (is_power_of_two(Size) && Size <= kWideBytes) {
        return launch_transpose_typed<access_word_t<Size>>(input, output, rows, columns, batch,
                                                           stream);
    } else {
        return launch_transpose_structs<Size>(input, output, rows, columns, batch, stream);
    }
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
    TransposeWay way = transpose_way<Size>(matrices);
    if (way == TransposeWay::blocks) {
        bool held = false;
        if (cudaError_t error = device_holds_two_copies(matrices.bytes(), &held)) return error;
        if (!held) way = TransposeWay::tiles;
    }
    if constexpr (is_power_of_two(Size) && Size <= kWideBytes) {
        cudaError_t status = cudaSuccess;
        const bool fields = may_go_by_fields<Size>(matrices, way);
        if (fields && launch_transpose_few<access_word_t<Size>>(input, output, rows, columns, batch,
                                                                stream, &status))
            return status;
    }
    if (way == TransposeWay::blocks)
        return dispatch_transpose_small<Size>(input, output, rows, columns, batch, stream);
    if (way == TransposeWay::pieces) return dispatch_transpose_narrow<Size>(matrices, stream);
    return launch_transpose_tiles<Size>(input, output, rows, columns, batch, stream);
}

}  // namespace wideload::WIDELOAD_DETAIL
