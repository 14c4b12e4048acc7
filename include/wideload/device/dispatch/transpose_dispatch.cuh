// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/detail/launch.cuh>
#include <wideload/device/detail/range.cuh>
#include <wideload/device/dispatch/copy_dispatch.cuh>
#include <wideload/device/dispatch/interleave_dispatch.cuh>
#include <wideload/device/kernel/transpose_kernel.cuh>
#include <wideload/device/kernel/transpose_small_kernel.cuh>
#include <wideload/tuning/transpose_tuning.cuh>

namespace wideload::detail {

/// The bytes of `batch` matrices of rows × columns elements, or an error where they do not fit an address space.
inline cudaError_t checked_matrices(const void* pointer, std::size_t rows, std::size_t columns, std::size_t batch,
                                    std::size_t size, std::size_t* bytes) {
    if (rows == 0 || columns == 0 || batch == 0) {
        *bytes = 0;
        return cudaSuccess;
    }
    if (columns > SIZE_MAX / rows || batch > SIZE_MAX / (rows * columns)) return cudaErrorInvalidValue;
    return checked_bytes(pointer, rows * columns * batch, size, bytes);
}

template <class T>
TransposePlan<T> plan_tiles(const T* input, T* output, std::size_t rows, std::size_t columns, std::size_t tiles_down,
                            std::size_t tiles_across) {
    return {input, output, rows, columns, fast_divide(static_cast<unsigned>(tiles_down)),
            fast_divide(static_cast<unsigned>(tiles_down * tiles_across))};
}

/// Whether a grid of this many tiles can be launched, and its blocks numbered in 31 bits.
inline bool fits_grid(std::size_t down, std::size_t across, std::size_t batch) {
    return down <= kMaxGridBlocks && across <= kMaxGridBlocks / down && batch <= kMaxGridBlocks / (down * across);
}

template <class T>
cudaError_t launch_transpose_swizzled(const T* input, T* output, std::size_t rows, std::size_t columns,
                                      std::size_t batch, cudaStream_t stream) {
    using Tile = tuning::SwizzledTile<sizeof(T)>;
    const std::size_t down = divide_up<std::size_t>(rows, Tile::kRows);
    const std::size_t across = divide_up<std::size_t>(columns, Tile::kColumns);
    if (!fits_grid(down, across, batch)) return cudaErrorInvalidConfiguration;
    return launch(transpose_swizzled_kernel<T, Tile::kRows, Tile::kColumns, Tile::kThreads, tuning::TransposeLoadPolicy,
                                            tuning::TransposeStorePolicy>,
                  down * across * batch, Tile::kThreads, 0, stream,
                  plan_tiles(input, output, rows, columns, down, across));
}

template <class Unit, int Units>
cudaError_t launch_transpose_sheared(const void* input, void* output, std::size_t rows, std::size_t columns,
                                     std::size_t batch, cudaStream_t stream) {
    using Tuned = tuning::ShearedTile<sizeof(Unit), Units>;
    using Tile = block::sheared_transpose<Unit, Units, Tuned::kWidth, Tuned::kHeight, Tuned::kBoundary, Tuned::kThreads>;
    const std::size_t down = Tile::tiles_along_output(rows);
    const std::size_t across = divide_up<std::size_t>(columns, Tuned::kHeight);
    if (!fits_grid(down, across, batch)) return cudaErrorInvalidConfiguration;
    const auto kernel = transpose_sheared_kernel<Tile, Unit, Units, Tuned::kWidth, Tuned::kHeight, Tuned::kThreads,
                                                 tuning::TransposeLoadPolicy, tuning::TransposeStorePolicy>;
    return launch(kernel, down * across * batch, Tuned::kThreads, 0, stream,
                  plan_tiles(static_cast<const Unit*>(input), static_cast<Unit*>(output), rows, columns, down, across));
}

template <class T>
cudaError_t launch_transpose_small(const T* input, T* output, std::size_t rows, std::size_t columns, std::size_t batch,
                                   cudaStream_t stream) {
    constexpr int kThreads = 256;
    constexpr int kWide = kWideBytes / static_cast<int>(sizeof(T));
    const std::size_t elements = rows * columns;
    std::size_t per_block = kSmallTransposeElements<T> / elements;
    // Every block's range starts at a 16-byte word if its matrices fill whole words.
    const std::size_t whole = kWide / greatest_common_divisor<std::size_t>(elements, kWide);
    if (per_block >= whole) per_block -= per_block % whole;
    const bool wide = per_block % whole == 0 && elements * batch % kWide == 0 && is_aligned(input, kWideBytes) &&
                      is_aligned(output, kWideBytes);
    const SmallTransposePlan<T> plan{input, output, batch, static_cast<unsigned>(per_block),
                                     fast_divide(static_cast<unsigned>(rows)),
                                     fast_divide(static_cast<unsigned>(elements)), static_cast<unsigned>(columns)};
    using Load = tuning::TransposeLoadPolicy;
    using Store = tuning::TransposeStorePolicy;
    const auto kernel = wide ? transpose_small_kernel<T, kWide, kThreads, Load, Store>
                             : transpose_small_kernel<T, 1, kThreads, Load, Store>;
    return launch(kernel, divide_up(batch, per_block), kThreads, 0, stream, plan);
}

/// A single matrix of `Fields` columns (or rows): structs to arrays (or back), which are faster than tiles mostly empty.
template <class T, int Fields>
cudaError_t launch_transpose_narrow(const T* input, T* output, std::size_t rows, std::size_t columns,
                                    cudaStream_t stream) {
    if (columns == Fields) {
        InterleavePlan<Fields, const T, T> plan{input, {}, rows};
        for (int f = 0; f < Fields; ++f) plan.fields[f] = output + f * rows;
        return launch_interleave<T, Fields, true>(plan, stream);
    }
    InterleavePlan<Fields, T, const T> plan{output, {}, columns};
    for (int f = 0; f < Fields; ++f) plan.fields[f] = input + f * columns;
    return launch_interleave<T, Fields, false>(plan, stream);
}

template <class T>
cudaError_t launch_transpose_typed(const T* input, T* output, std::size_t rows, std::size_t columns, std::size_t batch,
                                   cudaStream_t stream) {
    using Tile = tuning::SwizzledTile<sizeof(T)>;
    using Swizzled = block::swizzled_transpose<T, Tile::kRows, Tile::kColumns, Tile::kThreads>;
    if (batch > 1 && rows * columns * sizeof(T) <= tuning::kSmallMatrixBytes) {
        return launch_transpose_small(input, output, rows, columns, batch, stream);
    }
    if constexpr (sizeof(T) >= 4) {
        const std::size_t narrow = rows < columns ? rows : columns;
        if (batch == 1 && narrow == 2) return launch_transpose_narrow<T, 2>(input, output, rows, columns, stream);
        if (batch == 1 && narrow == 3) return launch_transpose_narrow<T, 3>(input, output, rows, columns, stream);
        if (batch == 1 && narrow == 4) return launch_transpose_narrow<T, 4>(input, output, rows, columns, stream);
        if (batch == 1 && narrow == 8) return launch_transpose_narrow<T, 8>(input, output, rows, columns, stream);
    }
    if (rows % Swizzled::kChunk == 0 && columns % Swizzled::kChunk == 0 && is_aligned(input, Swizzled::kAccessBytes) &&
        is_aligned(output, Swizzled::kAccessBytes)) {
        return launch_transpose_swizzled(input, output, rows, columns, batch, stream);
    }
    return launch_transpose_sheared<T, 1>(input, output, rows, columns, batch, stream);
}

template <int Size>
cudaError_t dispatch_transpose(const void* input, void* output, std::size_t rows, std::size_t columns, std::size_t batch,
                               cudaStream_t stream) {
    std::size_t bytes = 0;
    if (cudaError_t error = checked_matrices(input, rows, columns, batch, Size, &bytes)) return error;
    if (cudaError_t error = checked_matrices(output, rows, columns, batch, Size, &bytes)) return error;
    if (bytes == 0) return cudaSuccess;
    if (byte_range(input, bytes).overlaps(byte_range(output, bytes))) return cudaErrorInvalidValue;
    if (rows == 1 || columns == 1) return dispatch_copy(input, output, bytes, 1, stream);

    constexpr int kUnit = access_width(Size, kWideBytes);
    using Unit = access_word_t<kUnit>;
    if (is_aligned(input, kUnit) && is_aligned(output, kUnit)) {
        if constexpr (kUnit == Size) {
            return launch_transpose_typed(static_cast<const Unit*>(input), static_cast<Unit*>(output), rows, columns, batch,
                                          stream);
        } else {
            return launch_transpose_sheared<Unit, Size / kUnit>(input, output, rows, columns, batch, stream);
        }
    }
    return launch_transpose_sheared<std::uint8_t, Size>(input, output, rows, columns, batch, stream);
}

}  // namespace wideload::detail
