// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/dispatch/transpose_dispatch.cuh>
#include <wideload/device/kernel/transpose_in_place_kernel.cuh>

namespace wideload::detail {

/// Launches `kernel`, one block per pair of tiles, over all matrices of the batch.
template <int Side, class T>
cudaError_t launch_in_place(void (*kernel)(const InPlaceTransposePlan<T>), T* data,
                            std::size_t size, std::size_t batch, int threads, cudaStream_t stream) {
    constexpr std::size_t kMostTiles = 65535;  // a side; their pairs still count in 31 bits
    const std::size_t tiles = divide_up<std::size_t>(size, Side);
    if (tiles > kMostTiles) return cudaErrorInvalidConfiguration;
    const std::size_t pairs = tiles * (tiles + 1) / 2;
    if (batch > kMaxGridBlocks / pairs) return cudaErrorInvalidConfiguration;
    const InPlaceTransposePlan<T> plan{data, size, fast_divide(static_cast<unsigned>(pairs))};
    return launch(kernel, pairs * batch, threads, 0, stream, plan);
}

template <class T>
cudaError_t launch_in_place_swizzled(T* data, std::size_t size, std::size_t batch,
                                     cudaStream_t stream) {
    using Tile = tuning::InPlaceTile<static_cast<int>(sizeof(T))>;
    return launch_in_place<Tile::kSide, T>(
        transpose_in_place_swizzled_kernel<T, Tile::kSide, Tile::kThreads>, data, size, batch,
        Tile::kThreads, stream);
}

template <class Unit, int Units>
cudaError_t launch_in_place_any(void* data, std::size_t size, std::size_t batch,
                                cudaStream_t stream) {
    constexpr int kElementBytes = static_cast<int>(sizeof(Unit)) * Units;
    constexpr int kSide = tuning::kInPlaceSide<kElementBytes>;
    constexpr int kThreads = 256;
    return launch_in_place<kSide, Unit>(
        transpose_in_place_any_kernel<Unit, Units, kSide, kThreads, true>, static_cast<Unit*>(data),
        size, batch, kThreads, stream);
}

/// Square matrices, `batch` of them.
template <int Size>
cudaError_t dispatch_transpose_square(void* data, std::size_t size, std::size_t batch,
                                      cudaStream_t stream) {
    constexpr int kUnit = access_width(Size, kWideBytes);
    using Unit = access_word_t<kUnit>;
    if (!is_aligned(data, kUnit))
        return launch_in_place_any<std::uint8_t, Size>(data, size, batch, stream);
    if constexpr (kUnit == Size) {
        if (size * Size % kWideBytes == 0 && is_aligned(data, kWideBytes)) {
            return launch_in_place_swizzled(static_cast<Unit*>(data), size, batch, stream);
        }
    }
    return launch_in_place_any<Unit, Size / kUnit>(data, size, batch, stream);
}

}  // namespace wideload::detail
