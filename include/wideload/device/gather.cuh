// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/dispatch/strided_dispatch.cuh>

namespace wideload {

/// destination[i] = source[index[i]] for i in [0, count).
///
/// @param source       as many elements as the indices reach
/// @param index        `count` indices of any integer type; they are not checked, and may repeat
/// @param destination  `count` elements; must not overlap the source, whose size only the form for
/// spans knows and checks, or the indices
/// @param stream       the work runs in its order; no synchronisation; may be captured into a graph
///
/// Alignment: any; pointers below the element's natural alignment are slow. A count of 0 is a
/// success.
/// @return cudaErrorInvalidValue for a null pointer with a count, for indices that overlap the
/// destination, or for a size past the address space; else what the launch returned
/// Cost: count * (sizeof(Index) + sizeof(T)) bytes, and a sector of 32 bytes for every one that the
/// indices of a warp touch. Source: independent loads in a plain grid (bench/library/NOTES.md).
template <class T, class Index>
cudaError_t gather(const T* source, const Index* index, T* destination, std::size_t count,
                   cudaStream_t stream = nullptr) {
    static_assert(is_bitwise_copyable_v<T>,
                  "wideload::gather moves raw bytes: T must be trivially copyable");
    static_assert(std::is_integral_v<Index>, "wideload::gather: the indices must be integers");
    return detail::dispatch_gather(source, index, destination, count, stream);
}

/// destination[index[i]] = source[i] for i in [0, count). Where indices repeat, one of the values
/// remains. The destination, whose size is unknown, must not overlap source or indices, which only
/// the form for spans checks. Otherwise as `gather`.
template <class T, class Index>
cudaError_t scatter(const T* source, const Index* index, T* destination, std::size_t count,
                    cudaStream_t stream = nullptr) {
    static_assert(is_bitwise_copyable_v<T>,
                  "wideload::scatter moves raw bytes: T must be trivially copyable");
    static_assert(std::is_integral_v<Index>, "wideload::scatter: the indices must be integers");
    return detail::dispatch_scatter(source, index, destination, count, stream);
}

}  // namespace wideload
