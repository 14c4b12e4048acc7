// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/dispatch/transpose_dispatch.cuh>
#include <wideload/device/kernel/transpose_in_place_kernel.cuh>

namespace wideload::detail {

template <int Side, class T>
InPlaceTransposePlan<T> plan_in_place(T* data, std::size_t size) {
    const std::size_t tiles = divide_up<std::size_t>(size, Side);
    return {data, size, static_cast<unsigned>(tiles), tiles * (tiles + 1) / 2};
}

template <class T>
cudaError_t launch_in_place_swizzled(T* data, std::size_t size, std::size_t batch, cudaStream_t stream) {
    constexpr int kSide = sizeof(T) == 1 ? 128 : sizeof(T) == 2 ? 64 : sizeof(T) <= 8 ? 32 : 16;
    constexpr int kThreads = 256;
    const auto plan = plan_in_place<kSide>(data, size);
    return launch(transpose_in_place_swizzled_kernel<T, kSide, kThreads>, plan.pairs * batch, kThreads, 0, stream, plan);
}

template <class Unit, int Units>
cudaError_t launch_in_place_any(void* data, std::size_t size, std::size_t batch, cudaStream_t stream) {
    constexpr int kElementBytes = static_cast<int>(sizeof(Unit)) * Units;
    constexpr int kSide = tuning::kPaddedSide<kElementBytes>;
    constexpr int kThreads = 256;
    const auto plan = plan_in_place<kSide>(static_cast<Unit*>(data), size);
    return launch(transpose_in_place_any_kernel<Unit, Units, kSide, kThreads>, plan.pairs * batch, kThreads, 0, stream,
                  plan);
}

/// Square matrices, `batch` of them.
template <int Size>
cudaError_t dispatch_transpose_square(void* data, std::size_t size, std::size_t batch, cudaStream_t stream) {
    constexpr int kUnit = access_width(Size, kWideBytes);
    using Unit = access_word_t<kUnit>;
    if (!is_aligned(data, kUnit)) return launch_in_place_any<std::uint8_t, Size>(data, size, batch, stream);
    if constexpr (kUnit == Size) {
        if (size * Size % kWideBytes == 0 && is_aligned(data, kWideBytes)) {
            return launch_in_place_swizzled(static_cast<Unit*>(data), size, batch, stream);
        }
    }
    return launch_in_place_any<Unit, Size / kUnit>(data, size, batch, stream);
}

}  // namespace wideload::detail
