// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/detail/launch.cuh>
#include <wideload/device/detail/range.cuh>
#include <wideload/device/dispatch/copy_dispatch.cuh>
#include <wideload/device/dispatch/interleave_dispatch.cuh>
#include <wideload/device/dispatch/transpose_small_dispatch.cuh>
#include <wideload/device/kernel/transpose_kernel.cuh>
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

/// Launches a kernel of transpose_kernel.cuh over `down` × `across` tiles of each of `batch`
/// matrices, in several grids where there are more tiles or matrices than one grid has.
template <class T>
cudaError_t launch_tiles(void (*kernel)(const TransposePlan<T>), const void* input, void* output,
                         std::size_t rows, std::size_t columns, std::size_t batch, std::size_t down,
                         std::size_t across, int threads, cudaStream_t stream) {
    if (down > kMaxGridBlocks) return cudaErrorInvalidConfiguration;
    const auto at_most = [](std::size_t rest) {
        return static_cast<unsigned>(rest < kMaxGridSide ? rest : kMaxGridSide);
    };
    TransposePlan<T> plan{
        static_cast<const T*>(input), static_cast<T*>(output), rows, columns, batch, 0, 0};
    for (; plan.first_matrix < batch; plan.first_matrix += kMaxGridSide) {
        for (plan.first_across = 0; plan.first_across < across; plan.first_across += kMaxGridSide) {
            const dim3 grid(static_cast<unsigned>(down), at_most(across - plan.first_across),
                            at_most(batch - plan.first_matrix));
            if (cudaError_t error = launch_grid(kernel, grid, threads, 0, stream, plan))
                return error;
        }
    }
    return cudaSuccess;
}

template <class LoadPolicy, class T>
cudaError_t launch_transpose_swizzled_with(const T* input, T* output, std::size_t rows,
                                           std::size_t columns, std::size_t batch,
                                           cudaStream_t stream) {
    using Tile = tuning::SwizzledTile<sizeof(T)>;
    return launch_tiles<T>(transpose_swizzled_kernel<T, Tile::kRows, Tile::kColumns, Tile::kThreads,
                                                     LoadPolicy, tuning::TransposeStorePolicy>,
                           input, output, rows, columns, batch,
                           divide_up<std::size_t>(rows, Tile::kRows),
                           divide_up<std::size_t>(columns, Tile::kColumns), Tile::kThreads, stream);
}

/// Rows that are whole 16-byte words.
template <class T>
cudaError_t launch_transpose_swizzled(const T* input, T* output, std::size_t rows,
                                      std::size_t columns, std::size_t batch, cudaStream_t stream) {
    constexpr std::size_t kPerLine = kLineBytes / sizeof(T);
    const bool at_lines =
        rows % kPerLine == 0 && columns % kPerLine == 0 && is_aligned(input, kLineBytes);
    return at_lines ? launch_transpose_swizzled_with<tuning::TransposeLoadPolicy>(
                          input, output, rows, columns, batch, stream)
                    : launch_transpose_swizzled_with<tuning::RaggedLoadPolicy<sizeof(T)>>(
                          input, output, rows, columns, batch, stream);
}

template <class T>
cudaError_t launch_transpose_shifted(const void* input, void* output, std::size_t rows,
                                     std::size_t columns, std::size_t batch, cudaStream_t stream) {
    using Tile = tuning::ShiftedTile<sizeof(T)>;
    using Block =
        block::shifted_transpose<T, Tile::kRows, Tile::kColumns, Tile::kBoundary, Tile::kThreads>;
    return launch_tiles<char>(
        transpose_shifted_kernel<T, Tile::kRows, Tile::kColumns, Tile::kBoundary, Tile::kThreads,
                                 typename Tile::LoadPolicy, tuning::TransposeStorePolicy>,
        input, output, rows, columns, batch, Block::tiles_along_output(rows),
        divide_up<std::size_t>(columns, Tile::kColumns), Tile::kThreads, stream);
}

template <class Unit, int Units>
cudaError_t launch_transpose_padded(const void* input, void* output, std::size_t rows,
                                    std::size_t columns, std::size_t batch, cudaStream_t stream) {
    using Tuned = tuning::PaddedTile<static_cast<int>(sizeof(Unit)), Units>;
    using Tile = block::padded_transpose<Unit, Units, Tuned::kWidth, Tuned::kHeight,
                                         Tuned::kBoundary, Tuned::kThreads>;
    return launch_tiles<Unit>(
        transpose_padded_kernel<Unit, Units, Tuned::kWidth, Tuned::kHeight, Tuned::kBoundary,
                                Tuned::kThreads, Tuned::kAsync, typename Tuned::LoadPolicy,
                                tuning::TransposeStorePolicy>,
        input, output, rows, columns, batch, Tile::tiles_along_output(rows),
        divide_up<std::size_t>(columns, Tuned::kHeight), Tuned::kThreads, stream);
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
    if (rows < tuning::kRotatedLeastTiles * Tuned::kWidth ||
        columns < tuning::kRotatedLeastTiles * Tile::kHeight)
        return launch_transpose_padded<T, 1>(input, output, rows, columns, batch, stream);
    return launch_tiles<T>(
        transpose_rotated_kernel<T, Tuned::kWidth, Tuned::kWords, Tuned::kLanes, Tuned::kBoundary,
                                 Tuned::kThreads, Tuned::kBlocks, typename Tuned::LoadPolicy,
                                 tuning::TransposeStorePolicy>,
        input, output, rows, columns, batch, Edge::tiles_along_output(rows),
        divide_up<std::size_t>(columns, Tile::kHeight), Tuned::kThreads, stream);
}

/// A single matrix of `Fields` columns (or rows): structs to arrays (or back), which are faster
/// than tiles mostly empty.
template <class T, int Fields>
cudaError_t launch_transpose_narrow(const T* input, T* output, std::size_t rows,
                                    std::size_t columns, cudaStream_t stream) {
    if (columns == Fields) {
        InterleavePlan<Fields, const T, T> plan{input, {}, rows};
        for (int f = 0; f < Fields; ++f) plan.fields[f] = output + f * rows;
        return launch_interleave<T, Fields, true>(plan, stream);
    }
    InterleavePlan<Fields, T, const T> plan{output, {}, columns};
    for (int f = 0; f < Fields; ++f) plan.fields[f] = input + f * columns;
    return launch_interleave<T, Fields, false>(plan, stream);
}

/// A single matrix of elements of 1, 2, 4, 8 or 16 bytes at multiples of their size, in a shape for
/// which there is a faster way than tiles.
template <class T>
bool launch_transpose_special(const T* input, T* output, std::size_t rows, std::size_t columns,
                              cudaStream_t stream, cudaError_t* status) {
    if constexpr (sizeof(T) >= 4) {
        const std::size_t narrow = rows < columns ? rows : columns;
        switch (narrow) {
            case 2:
                *status = launch_transpose_narrow<T, 2>(input, output, rows, columns, stream);
                return true;
            case 3:
                *status = launch_transpose_narrow<T, 3>(input, output, rows, columns, stream);
                return true;
            case 4:
                *status = launch_transpose_narrow<T, 4>(input, output, rows, columns, stream);
                return true;
            case 8:
                *status = launch_transpose_narrow<T, 8>(input, output, rows, columns, stream);
                return true;
            default:
                break;
        }
    }
    return false;
}

template <class T>
cudaError_t launch_transpose_typed(const void* input, void* output, std::size_t rows,
                                   std::size_t columns, std::size_t batch, cudaStream_t stream) {
    constexpr std::size_t kPerWord = kWideBytes / sizeof(T);
    const T* typed_input = static_cast<const T*>(input);
    T* typed_output = static_cast<T*>(output);
    if (batch == 1 && is_aligned(input, sizeof(T)) && is_aligned(output, sizeof(T))) {
        cudaError_t status = cudaSuccess;
        if (launch_transpose_special(typed_input, typed_output, rows, columns, stream, &status))
            return status;
    }
    if (rows % kPerWord == 0 && columns % kPerWord == 0 && is_aligned(input, kWideBytes) &&
        is_aligned(output, kWideBytes)) {
        return launch_transpose_swizzled(typed_input, typed_output, rows, columns, batch, stream);
    }
    if constexpr (sizeof(T) == 4 || sizeof(T) == 8) {
        if (is_aligned(input, sizeof(T)) && is_aligned(output, sizeof(T)))
            return launch_transpose_rotated(typed_input, typed_output, rows, columns, batch,
                                            stream);
    }
    return launch_transpose_shifted<T>(input, output, rows, columns, batch, stream);
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
    if (is_small_batch(rows, columns, batch, Size))
        return dispatch_transpose_small<Size>(input, output, rows, columns, batch, stream);

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
