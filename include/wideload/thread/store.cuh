// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/thread/access.cuh>
#include <wideload/thread/aligned_ptr.cuh>

namespace wideload {
namespace WIDELOAD_DETAIL {

/// Moves `Bytes` bytes of `source` to global memory at `address`, a multiple of `Width`, by
/// accesses of `Width` bytes.
template <int Bytes, int Width, class Policy>
WIDELOAD_DEVICE void store_bytes(void* address, const void* source) {
    static_assert(Bytes % Width == 0);
    static_assert(has_store<Policy>, "wideload::store: this cache policy is for loads only");
    if constexpr (has_store<Policy>) {
#pragma unroll
        for (int offset = 0; offset < Bytes; offset += Width) {
            access_word_t<Width> word;
            std::memcpy(&word, static_cast<const char*>(source) + offset, Width);
            access<Policy>::template store<Width>(static_cast<char*>(address) + offset, word);
        }
    }
}

}  // namespace WIDELOAD_DETAIL

/// Stores `values` as vector number `index` of an array that starts at `pointer`; the pointer's
/// type decides the width, as for `load`.
///
/// @tparam Policy  a cache policy of cache_policy.cuh that has a store
/// @param pointer  `T*` or `aligned_ptr<T, A>`; global memory
/// @param index    in vectors, not elements
/// Cost: Elements * sizeof(T) bytes, in as few accesses as the pointer's alignment allows: one per
/// 16 bytes at best, on sm_100 per 32.
template <class Policy = cached, class Pointer, class T, int Elements>
WIDELOAD_DEVICE void store(Pointer pointer, std::size_t index, const vec<T, Elements>& values) {
    using Traits = detail::pointer_traits<Pointer>;
    using Element = typename Traits::element;
    static_assert(!std::is_const_v<Element>, "wideload::store: the pointer's elements are const");
    static_assert(std::is_same_v<std::remove_const_t<Element>, T>,
                  "wideload::store: the vector's element type is not that of the pointer");
    if constexpr (std::is_same_v<Element, T>) {
        constexpr int kBytes = static_cast<int>(sizeof(T)) * Elements;
        constexpr int kWidth = detail::access_width(kBytes, Traits::alignment);
        detail::store_bytes<kBytes, kWidth, Policy>(Traits::raw(pointer) + index * Elements,
                                                    &values);
    }
}

/// As `store`, for the vector that may cross the end of an array of `count` elements: nothing past
/// the end is written.
/// Cost: a comparison more than `store`; the vector that crosses the end takes an access an
/// element, or several where the type's alignment is less than its size.
template <class Policy = cached, class Pointer, class T, int Elements>
WIDELOAD_DEVICE void store_guarded(Pointer pointer, std::size_t index, std::size_t count,
                                   const vec<T, Elements>& values) {
    using Traits = detail::pointer_traits<Pointer>;
    const std::size_t first = index * Elements;
    if (first + Elements <= count) {
        store<Policy>(pointer, index, values);
        return;
    }
#pragma unroll
    for (int i = 0; i < Elements; ++i) {
        if (first + i < count) {
            constexpr int kWidth = detail::access_width(sizeof(T), alignof(T));
            detail::store_bytes<sizeof(T), kWidth, Policy>(Traits::raw(pointer) + first + i,
                                                           &values[i]);
        }
    }
}

}  // namespace wideload
