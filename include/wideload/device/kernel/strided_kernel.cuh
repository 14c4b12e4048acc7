// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/detail/stream_order.cuh>
#include <wideload/thread/element.cuh>

namespace wideload::detail {

/// Elements at fixed distances, or named by an index array, on either side. `Source(i)` and
/// `Destination(i)` give the addresses of element i. A thread handles `Elements` of them a block's
/// width apart: neighbouring lanes take neighbouring elements, and all of a thread's loads are in
/// flight together.
///
/// @tparam Aligned  whether both sides' elements, and indices, are at multiples of their alignment
template <class T, int Elements, int Threads, bool Aligned, class Source, class Destination>
__global__ void __launch_bounds__(Threads)
    move_elements_kernel(const __grid_constant__ Source source,
                         const __grid_constant__ Destination destination, std::size_t count) {
    enter_stream_order();
    const std::size_t first =
        static_cast<std::size_t>(blockIdx.x) * (Threads * Elements) + threadIdx.x;
    const T* from[Elements];
    T* to[Elements];
#pragma unroll
    for (int k = 0; k < Elements; ++k) {
        const std::size_t i = first + static_cast<std::size_t>(k) * Threads;
        if (i < count) {
            from[k] = source.template at<Aligned>(i);
            to[k] = destination.template at<Aligned>(i);
        }
    }
    T values[Elements];
#pragma unroll
    for (int k = 0; k < Elements; ++k) {
        if (first + static_cast<std::size_t>(k) * Threads < count)
            values[k] = load_element<Aligned>(from[k]);
    }
#pragma unroll
    for (int k = 0; k < Elements; ++k) {
        if (first + static_cast<std::size_t>(k) * Threads < count)
            store_element<Aligned>(to[k], values[k]);
    }
}

/// Element i lies `stride` elements behind element i - 1.
template <class T>
struct Strided {
    T* base;
    std::size_t stride;
    bool is_aligned() const { return wideload::is_aligned(base, alignof(T)); }
    template <bool Aligned>
    WIDELOAD_DEVICE T* at(std::size_t i) const {
        return base + i * stride;
    }
};

/// Element i is number `index[i]`.
template <class T, class Index>
struct Indexed {
    T* base;
    const Index* index;
    bool is_aligned() const {
        return wideload::is_aligned(base, alignof(T)) &&
               wideload::is_aligned(index, alignof(Index));
    }
    template <bool Aligned>
    WIDELOAD_DEVICE T* at(std::size_t i) const {
        return base + load_element<Aligned>(index + i);
    }
};

}  // namespace wideload::detail
