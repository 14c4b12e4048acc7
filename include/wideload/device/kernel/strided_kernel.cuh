// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/detail/stream_order.cuh>
#include <wideload/thread/element.cuh>

namespace wideload::detail {

/// Elements `first`, `first + Threads`, ...: all of a thread's loads are in flight together.
///
/// @tparam Whole  all of them exist: a test between two loads makes the second wait
template <class T, int Elements, int Threads, bool Aligned, bool Whole, class Source,
          class Destination>
WIDELOAD_DEVICE void move_elements(const Source& source, const Destination& destination,
                                   std::size_t first, std::size_t count) {
    const auto element = [=](int k) { return first + static_cast<std::size_t>(k) * Threads; };
    const auto exists = [=](int k) { return Whole || element(k) < count; };
    const T* from[Elements];
#pragma unroll
    for (int k = 0; k < Elements; ++k) {
        if (exists(k)) from[k] = source.template at<Aligned>(element(k));
    }
    T values[Elements];
#pragma unroll
    for (int k = 0; k < Elements; ++k) {
        if (exists(k)) values[k] = load_element<Aligned>(from[k]);
    }
    T* to[Elements];
#pragma unroll
    for (int k = 0; k < Elements; ++k) {
        if (exists(k)) to[k] = destination.template at<Aligned>(element(k));
    }
#pragma unroll
    for (int k = 0; k < Elements; ++k) {
        if (exists(k)) store_element<Aligned>(to[k], values[k]);
    }
}

/// Elements at fixed distances, or named by an index array, on either side. `Source(i)` and
/// `Destination(i)` give the addresses of element i. A thread handles `Elements` of them a block's
/// width apart: neighbouring lanes take neighbouring elements.
///
/// @tparam Aligned  whether both sides' elements, and indices, are at multiples of their alignment
template <class T, int Elements, int Threads, bool Aligned, class Source, class Destination>
__global__ void __launch_bounds__(Threads)
    move_elements_kernel(const __grid_constant__ Source source,
                         const __grid_constant__ Destination destination, std::size_t count) {
    enter_stream_order();
    constexpr std::size_t kTile = Threads * Elements;
    const std::size_t tile = blockIdx.x * kTile, first = tile + threadIdx.x;
    if (count - tile >= kTile) {
        move_elements<T, Elements, Threads, Aligned, true>(source, destination, first, count);
    } else {
        move_elements<T, Elements, Threads, Aligned, false>(source, destination, first, count);
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

/// Element i is number `index[i]`. Indices are read once and leave the cache to the elements.
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
        if (!Aligned) return base + load_element<Aligned>(index + i);
        Index number;
        load_bytes<sizeof(Index), access_width(sizeof(Index), alignof(Index)), streaming>(index + i,
                                                                                          &number);
        return base + number;
    }
};

}  // namespace wideload::detail
