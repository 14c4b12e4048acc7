// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/thread/access.cuh>
#include <wideload/thread/aligned_ptr.cuh>

namespace wideload {
namespace WIDELOAD_DETAIL {

/// Moves `Bytes` bytes from global memory at `address`, a multiple of `Width`, into `target` by
/// accesses of `Width` bytes.
template <int Bytes, int Width, class Policy>
WIDELOAD_DEVICE void load_bytes(const void* address, void* target) {
    static_assert(Bytes % Width == 0);
#pragma unroll
    for (int offset = 0; offset < Bytes; offset += Width) {
        const auto word =
            access<Policy>::template load<Width>(static_cast<const char*>(address) + offset);
        std::memcpy(static_cast<char*>(target) + offset, &word, Width);
    }
}

/// A variable that is loaded once it exists, of a type that may have no default constructor.
template <class T, bool = std::is_default_constructible_v<T>>
struct Loaded {
    T value;
};
template <class T>
struct Loaded<T, false> {
    union {
        T value;
    };
    WIDELOAD_DEVICE Loaded() {}
};

}  // namespace WIDELOAD_DETAIL

/// Loads the `Elements` elements of vector number `index` from an array that starts at `pointer`.
///
/// The pointer decides the width: an `aligned_ptr` of 16 bytes or more moves 16 bytes at a time (32
/// on sm_100 from an alignment of 32), a plain `T*` at most alignof(T), so a misaligned wide access
/// cannot be written by accident.
///
/// @tparam Elements  per vector; `Elements * sizeof(T)` bytes, best a power of two
/// @tparam Policy  a cache policy of cache_policy.cuh
/// @param pointer  `T*`, `const T*` or an `aligned_ptr` of either; global memory
/// @param index    in vectors, not elements
/// Cost: Elements * sizeof(T) bytes, in as few accesses as the pointer's alignment allows: one per
/// 16 bytes at best, on sm_100 per 32.
template <int Elements, class Policy = cached, class Pointer>
WIDELOAD_DEVICE auto load(Pointer pointer, std::size_t index = 0) {
    using Traits = detail::pointer_traits<Pointer>;
    using T = std::remove_cv_t<typename Traits::element>;
    constexpr int kBytes = static_cast<int>(sizeof(T)) * Elements;
    constexpr int kWidth = detail::access_width(kBytes, Traits::alignment);
    detail::Loaded<vec<T, Elements>> result;
    detail::load_bytes<kBytes, kWidth, Policy>(Traits::raw(pointer) + index * Elements,
                                               &result.value);
    return result.value;
}

/// As `load`, for the vector that may cross the end of an array of `count` elements: nothing past
/// the end is read, and elements there become `otherwise`.
/// Cost: a comparison more than `load`; the vector that crosses the end takes an access an element,
/// or several where the type's alignment is less than its size.
template <int Elements, class Policy = cached, class Pointer>
WIDELOAD_DEVICE auto load_guarded(
    Pointer pointer, std::size_t index, std::size_t count,
    std::remove_cv_t<typename detail::pointer_traits<Pointer>::element> otherwise = {}) {
    using Traits = detail::pointer_traits<Pointer>;
    using T = std::remove_cv_t<typename Traits::element>;
    const std::size_t first = index * Elements;
    if (first + Elements <= count) return load<Elements, Policy>(pointer, index);
    detail::Loaded<vec<T, Elements>> result;
#pragma unroll
    for (int i = 0; i < Elements; ++i) {
        result.value[i] = otherwise;
        if (first + i < count) {
            constexpr int kWidth = detail::access_width(sizeof(T), alignof(T));
            detail::load_bytes<sizeof(T), kWidth, Policy>(Traits::raw(pointer) + first + i,
                                                          &result.value[i]);
        }
    }
    return result.value;
}

}  // namespace wideload
