// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/detail/launch.cuh>
#include <wideload/device/dispatch/transpose_tiles_dispatch.cuh>
#include <wideload/device/kernel/interleave_kernel.cuh>
#include <wideload/device/kernel/interleave_staged_kernel.cuh>
#include <wideload/thread/aligned_ptr.cuh>
#include <wideload/tuning/interleave_tuning.cuh>
#include <wideload/tuning/transpose_batch_tuning.cuh>
#include <wideload/tuning/transpose_tuning.cuh>

namespace wideload::WIDELOAD_DETAIL {

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
        if (cudaError_t error = launch_grid(kernel, grid, threads, evenly(shared), stream, input,
                                            output, count, first))
            return error;
    }
    return cudaSuccess;
}

/// Matrices of `Fields` columns (or rows) that are whole units of InterleaveShape: structs to
/// arrays (or back), at the speed of those.
template <class T, int Fields, bool ToFields, bool Small>
cudaError_t launch_transpose_fields_of(const T* input, T* output, std::size_t count,
                                       std::size_t batch, cudaStream_t stream) {
    using Shape = InterleaveShape<sizeof(T), Fields, ToFields, Small>;
    constexpr bool kMayGoByWarps = ToFields ? Shape::kSplitsThroughWarp : Shape::kThroughWarp;
    using Store = tuning::InterleaveStorePolicy;
    using Load =
        std::conditional_t<ToFields, tuning::DeinterleaveLoadPolicy,
                           tuning::InterleaveLoadPolicy<static_cast<int>(sizeof(T)), Fields>>;
    auto kernel = transpose_fields_kernel<T, Fields, ToFields, false, Small, Load, Store>;
    if constexpr (kMayGoByWarps) {
        const void* structs = ToFields ? static_cast<const void*>(input) : output;
        if (is_aligned(structs, Shape::kWordBytes) &&
            count * Fields * sizeof(T) % Shape::kWordBytes == 0)
            kernel = transpose_fields_kernel<T, Fields, ToFields, true, Small, Load, Store>;
    }
    const std::size_t rows = count / Shape::kStructsPerRow;
    return launch_tiles_of_fields<T>(kernel, input, output, count, batch,
                                     divide_up<std::size_t>(rows, Shape::kTileRows),
                                     Shape::kThreads, 0, stream);
}

template <class T, int Fields, bool ToFields>
cudaError_t launch_transpose_fields(const T* input, T* output, std::size_t count, std::size_t batch,
                                    cudaStream_t stream) {
    using Shape = InterleaveShape<sizeof(T), Fields, ToFields>;
    if constexpr (Shape::kHasSmall) {
        if (count * batch <= Shape::kSmallBytes / (Fields * sizeof(T)))
            return launch_transpose_fields_of<T, Fields, ToFields, true>(input, output, count,
                                                                         batch, stream);
    }
    return launch_transpose_fields_of<T, Fields, ToFields, false>(input, output, count, batch,
                                                                  stream);
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
            using Tile = PackedTranspose<T, typename tuning::PackedTiles<sizeof(T)>::Small>;
            if (divide_up<std::size_t>(count, Tile::kWidth) * batch <=
                    tuning::kFewNarrowPackedTiles ||
                (batch > 1 && count < tuning::kStagedFieldsLength))
                return false;
            const bool small =
                count * batch <= tuning::small_staged_bytes(kFields) / (kFields * sizeof(T));
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

}  // namespace wideload::WIDELOAD_DETAIL
