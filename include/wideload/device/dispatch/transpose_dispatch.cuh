// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/detail/range.cuh>
#include <wideload/device/dispatch/copy_dispatch.cuh>
#include <wideload/device/dispatch/transpose_fields_dispatch.cuh>
#include <wideload/device/dispatch/transpose_narrow_dispatch.cuh>
#include <wideload/device/dispatch/transpose_small_dispatch.cuh>
#include <wideload/device/dispatch/transpose_tiles_dispatch.cuh>
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
        constexpr std::size_t kTiled =
            Size == 1 ? tuning::padded_bytes(Size) : tuning::SmallPaddedTile<Size>::kMostBytes;
        return bytes <= tuning::ragged_small_matrix_bytes(Size) && all > kTiled;
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
