// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/dispatch/transpose_dispatch.cuh>
#include <wideload/device/kernel/transpose_in_place_kernel.cuh>
#include <wideload/tuning/transpose_batch_tuning.cuh>
#include <wideload/tuning/transpose_in_place_tuning.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// Launches `kernel_for(plan)`, one block per pair of tiles, over all matrices of the batch, whose
/// elements are `units` of T each: as many matrices at a time as a grid holds blocks for.
///
/// @tparam MayBeEarly  of `launch_early`
template <int Side, bool MayBeEarly, class T, class KernelFor>
cudaError_t launch_in_place_kernel(const KernelFor& kernel_for, T* data, int units,
                                   std::size_t size, std::size_t batch, int threads,
                                   cudaStream_t stream, std::size_t shared_bytes) {
    constexpr std::size_t kMostTiles = 65535;  // a side; their pairs still count in 31 bits
    const std::size_t tiles = divide_up<std::size_t>(size, Side);
    if (tiles > kMostTiles) return cudaErrorInvalidConfiguration;
    const std::size_t pairs = tiles * (tiles + 1) / 2, most = kMaxGridBlocks / pairs;
    for (std::size_t first = 0; first < batch; first += most) {
        const InPlaceTransposePlan<T> plan{data + first * size * size * units, size,
                                           fast_divide(static_cast<unsigned>(pairs))};
        const std::size_t matrices = batch - first < most ? batch - first : most;
        const auto start = [&](const auto& part) {
            return launch(kernel_for(part), pairs * matrices, threads, evenly(shared_bytes), stream,
                          part);
        };
        const std::size_t bytes = matrices * size * size * units * sizeof(T);
        if (cudaError_t error = launch_early<MayBeEarly>(plan, bytes, kSmallTilesBytes, start))
            return error;
    }
    return cudaSuccess;
}

/// The same of one kernel for all.
template <int Side, class T>
cudaError_t launch_in_place(void (*kernel)(const InPlaceTransposePlan<T>), T* data, int units,
                            std::size_t size, std::size_t batch, int threads, cudaStream_t stream,
                            std::size_t shared_bytes = 0) {
    return launch_in_place_kernel<Side, false>([&](const auto&) { return kernel; }, data, units,
                                               size, batch, threads, stream, shared_bytes);
}

/// @tparam MayBeEarly  of `launch_early`
template <class Tile, bool MayBeEarly = true, class T>
cudaError_t launch_in_place_swizzled_with(T* data, std::size_t size, std::size_t batch,
                                          cudaStream_t stream) {
    const auto kernel_for = [](const auto& plan) {
        using Plan = std::decay_t<decltype(plan)>;
        return transpose_in_place_swizzled_kernel<T, Tile::kSide, Tile::kThreads, Plan>;
    };
    return launch_in_place_kernel<Tile::kSide, MayBeEarly>(kernel_for, data, 1, size, batch,
                                                           Tile::kThreads, stream, 0);
}

/// Few enough for 32 bits.
template <class Tile, class T>
cudaError_t launch_in_place_small_swizzled_with(T* data, std::size_t size, std::size_t batch,
                                                cudaStream_t stream) {
    const auto kernel_for = [](const auto& plan) {
        using Plan = std::decay_t<decltype(plan)>;
        return transpose_in_place_small_swizzled_kernel<T, Tile::kSide, Tile::kThreads, Plan>;
    };
    return launch_in_place_kernel<Tile::kSide, true>(kernel_for, data, 1, size, batch,
                                                     Tile::kThreads, stream, 0);
}

/// Rows that are whole 16-byte words.
template <class T>
cudaError_t launch_in_place_swizzled(T* data, std::size_t size, std::size_t batch,
                                     cudaStream_t stream) {
    constexpr int kSize = static_cast<int>(sizeof(T));
    using SmallTile = tuning::SmallInPlaceTile<kSize>;
    if constexpr (SmallTile::kMostBytes != 0) {
        if (size * size * batch * kSize <= SmallTile::kMostBytes)
            return launch_in_place_swizzled_with<SmallTile>(data, size, batch, stream);
    }
    using Tile = tuning::InPlaceTile<kSize>;
    if constexpr (kSize <= 2) {
        if (size * size * batch * kSize <= tuning::kSmallWordsInPlaceBytes)
            return launch_in_place_small_swizzled_with<Tile>(data, size, batch, stream);
    }
    return launch_in_place_swizzled_with<Tile, false>(data, size, batch, stream);
}

template <class Unit, int Units, int Side>
cudaError_t launch_in_place_any_with(void* data, std::size_t size, std::size_t batch,
                                     cudaStream_t stream) {
    constexpr int kThreads = 256;
    return launch_in_place<Side, Unit>(
        transpose_in_place_any_kernel<Unit, Units, Side, kThreads, true>, static_cast<Unit*>(data),
        Units, size, batch, kThreads, stream);
}

/// The pairs of tiles that a batch of squares takes.
inline std::size_t pairs_of_tiles(std::size_t size, std::size_t batch, std::size_t side) {
    const std::size_t tiles = divide_up(size, side);
    return tiles * (tiles + 1) / 2 * batch;
}

template <int Threads, class T>
cudaError_t launch_in_place_small_with(T* data, std::size_t size, std::size_t batch,
                                       cudaStream_t stream) {
    const auto kernel_for = [](const auto& plan) {
        return transpose_in_place_small_kernel<T, Threads, std::decay_t<decltype(plan)>>;
    };
    return launch_in_place_kernel<tuning::kSmallInPlaceSide, true>(kernel_for, data, 1, size, batch,
                                                                   Threads, stream, 0);
}

/// Elements of 1, 2, 4 or 8 bytes, few enough for 32 bits.
template <class T>
cudaError_t launch_in_place_small(T* data, std::size_t size, std::size_t batch,
                                  cudaStream_t stream) {
    const std::size_t pairs = pairs_of_tiles(size, batch, tuning::kSmallInPlaceSide);
    return pairs <= tuning::kFewSmallPairs
               ? launch_in_place_small_with<256>(data, size, batch, stream)
               : launch_in_place_small_with<128>(data, size, batch, stream);
}

/// The side of the tiles that squares of structs of `Size` bytes go by.
template <int Size>
int struct_pairs_side(std::size_t size, std::size_t batch) {
    constexpr int kSmall = tuning::SmallStructTile::kWidth, kMiddle = tuning::kSmallInPlaceSide;
    constexpr int kSide = tuning::kInPlaceSide<Size>;
    if (kSide > kSmall && size >= tuning::kFewStructPairsRows &&
        pairs_of_tiles(size, batch, kSmall) <= tuning::kFewStructPairs &&
        !tiles_split_sectors(kSmall, Size, size, size))
        return kSmall;
    const bool few = pairs_of_tiles(size, batch, kMiddle) <= tuning::kMoreStructPairs;
    return kSide > kMiddle && few ? kMiddle : kSide;
}

template <class Unit, int Units>
cudaError_t launch_in_place_any(void* data, std::size_t size, std::size_t batch,
                                cudaStream_t stream) {
    constexpr int kSize = static_cast<int>(sizeof(Unit)) * Units;
    constexpr int kSmall = tuning::SmallStructTile::kWidth, kMiddle = tuning::kSmallInPlaceSide;
    constexpr int kSide = tuning::kInPlaceSide<kSize>;
    if constexpr (Units > 1 && kSide > kSmall) {
        const int side = struct_pairs_side<kSize>(size, batch);
        if (side == kSmall)
            return launch_in_place_any_with<Unit, Units, kSmall>(data, size, batch, stream);
        if (side == kMiddle)
            return launch_in_place_any_with<Unit, Units, kMiddle>(data, size, batch, stream);
    }
    return launch_in_place_any_with<Unit, Units, kSide>(data, size, batch, stream);
}

/// Elements of 1 or 2 bytes at multiples of their size.
template <class Tuned, class T>
cudaError_t launch_in_place_packed_with(T* data, std::size_t size, std::size_t batch,
                                        cudaStream_t stream) {
    using Tile = block::packed_transpose<T, Tuned::kLanes, Tuned::kThreads, false>;
    return launch_in_place<Tile::kWidth, T>(
        transpose_in_place_packed_kernel<T, Tuned::kLanes, Tuned::kThreads, Tuned::kBlocks,
                                         typename Tuned::LoadPolicy>,
        data, 1, size, batch, Tuned::kThreads, stream);
}

template <class Tuned, class T>
using RotatedPairOf = RotatedPair<T, Tuned::kWords, Tuned::kLanes, Tuned::kThreads, Tuned::kBlocks,
                                  typename Tuned::LoadPolicy>;

template <class Tuned, class T>
cudaError_t launch_in_place_rotated_with(T* data, std::size_t size, std::size_t batch,
                                         cudaStream_t stream) {
    using Pair = RotatedPairOf<Tuned, T>;
    const auto kernel =
        transpose_in_place_rotated_kernel<T, Tuned::kWords, Tuned::kLanes, Tuned::kThreads,
                                          Tuned::kBlocks, typename Tuned::LoadPolicy>;
    constexpr std::size_t kShared = sizeof(typename Pair::storage);
    if (cudaError_t error = cudaFuncSetAttribute(
            kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(kShared)))
        return error;
    return launch_in_place<Pair::kSide, T>(kernel, data, 1, size, batch, Tuned::kThreads, stream,
                                           kShared);
}

/// Elements of 4 or 8 bytes at multiples of their size.
template <class T>
cudaError_t launch_in_place_rotated(T* data, std::size_t size, std::size_t batch,
                                    cudaStream_t stream) {
    if constexpr (sizeof(T) == 4) {
        using Large = tuning::LargeRotatedInPlaceTile;
        DeviceProperties device{};
        if (cudaError_t error = current_device_properties(&device)) return error;
        const bool fits = sizeof(typename RotatedPairOf<Large, T>::storage) <=
                          static_cast<std::size_t>(device.shared_bytes);
        if (fits && size * size * batch * sizeof(T) >= Large::kLeastBytes)
            return launch_in_place_rotated_with<Large>(data, size, batch, stream);
    }
    return launch_in_place_rotated_with<tuning::RotatedInPlaceTile<static_cast<int>(sizeof(T))>>(
        data, size, batch, stream);
}

/// Whether a batch of squares takes so few pairs of tiles that all are at work together.
template <int Size>
bool fit_few_pairs(const void* data, std::size_t size, std::size_t batch, bool whole_words) {
    if constexpr (is_power_of_two(Size) && Size <= 8) {
        using SmallTile = tuning::SmallInPlaceTile<Size>;
        if (!is_aligned(data, whole_words ? kWideBytes : Size)) return false;
        const bool small = size * size * batch * Size <= SmallTile::kMostBytes;
        const std::size_t side = !whole_words ? tuning::kSmallInPlaceSide
                                 : small      ? SmallTile::kSide
                                              : tuning::InPlaceTile<Size>::kSide;
        return pairs_of_tiles(size, batch, side) <=
               tuning::few_in_place_pairs(Size, whole_words, small, size * size * Size);
    } else if constexpr (Size < 16) {
        const bool small_square = size * size * Size <= tuning::kSmallMatrixBytes;
        return pairs_of_tiles(size, batch, tuning::kSmallInPlaceSide) <=
               tuning::few_struct_pairs(Size, size * Size, small_square);
    }
    return false;
}

/// The limit for squares that go several to a block.
template <int Size>
std::size_t small_square_bytes(std::size_t size, std::size_t batch, bool whole_words) {
    if (Size >= 16) return tuning::kSmallMatrixBytes;
    if (!whole_words) return tuning::kRaggedSmallMatrixBytes;
    if constexpr (is_power_of_two(Size)) {
        constexpr std::size_t kSide = tuning::InPlaceTile<Size>::kSide;
        const std::size_t padded = divide_up(size, kSide) * kSide;
        if (size * size * 2 < padded * padded) return tuning::sparse_matrix_bytes(batch);
    }
    return Size > 4 ? tuning::kRaggedSmallMatrixBytes : tuning::kSmallMatrixBytes;
}

/// Square matrices, `batch` of them, by pairs of tiles.
template <int Size>
cudaError_t launch_square_tiles(void* data, std::size_t size, std::size_t batch,
                                cudaStream_t stream) {
    constexpr int kUnit = access_width(Size, kWideBytes);
    using Unit = access_word_t<kUnit>;
    if (!is_aligned(data, kUnit))
        return launch_in_place_any<std::uint8_t, Size>(data, size, batch, stream);
    if constexpr (kUnit == Size) {
        const std::size_t bytes = size * size * batch * Size;
        if (size * Size % kWideBytes == 0 && is_aligned(data, kWideBytes)) {
            const bool at_lines = size * Size % kLineBytes == 0 && is_aligned(data, kLineBytes);
            if (at_lines || bytes <= tuning::words_in_place_bytes(Size, batch > 1))
                return launch_in_place_swizzled(static_cast<Unit*>(data), size, batch, stream);
        }
        if constexpr (Size <= 8) {
            const bool fits = counts_in_32_bits(size, size, batch);
            const bool small_squares = batch > 1 && size <= tuning::kSmallPairsRows &&
                                       bytes > tuning::small_squares_bytes(Size);
            if (fits && (bytes <= tuning::small_pairs_bytes(Size) || small_squares))
                return launch_in_place_small(static_cast<Unit*>(data), size, batch, stream);
            if constexpr (Size <= 2) {
                if (fits && bytes >= tuning::packed_in_place_bytes(Size))
                    return launch_in_place_packed_with<tuning::PackedInPlaceTile>(
                        static_cast<Unit*>(data), size, batch, stream);
            }
        }
        if constexpr (tuning::small_in_place_bytes(Size) != 0) {
            if (bytes <= tuning::small_in_place_bytes(Size))
                return launch_in_place_any_with<Unit, 1, tuning::kSmallInPlaceSide>(data, size,
                                                                                    batch, stream);
        }
        if constexpr (Size == 4 || Size == 8)
            return launch_in_place_rotated(static_cast<Unit*>(data), size, batch, stream);
    }
    return launch_in_place_any<Unit, Size / kUnit>(data, size, batch, stream);
}

/// Square matrices, `batch` of them.
template <int Size>
cudaError_t dispatch_transpose_square(void* data, std::size_t size, std::size_t batch,
                                      cudaStream_t stream) {
    if (size == 1) return cudaSuccess;
    const bool whole_words = size * Size % kWideBytes == 0;
    if (batch > 1 && size * size * Size <= small_square_bytes<Size>(size, batch, whole_words) &&
        !fit_few_pairs<Size>(data, size, batch, whole_words)) {
        bool held = false;
        if (cudaError_t error = device_holds_two_copies(size * size * Size, &held)) return error;
        if (held) return dispatch_transpose_small<Size>(data, data, size, size, batch, stream);
    }
    return launch_square_tiles<Size>(data, size, batch, stream);
}

}  // namespace wideload::WIDELOAD_DETAIL
