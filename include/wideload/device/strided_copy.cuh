// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/dispatch/strided_dispatch.cuh>

namespace wideload {

/// destination[i * destination_stride] = source[i * source_stride] for i in [0, count).
///
/// @param source              (count - 1) * source_stride + 1 elements
/// @param source_stride       in elements, at least 1
/// @param destination         (count - 1) * destination_stride + 1 elements; those between are left
/// as they are
/// @param destination_stride  in elements, at least 1
/// @param stream              the work runs in its order; no synchronisation; may be captured into
/// a graph
///
/// Alignment: any; pointers below the element's natural alignment are slow, but for elements of
/// whole words of 4 bytes at multiples of 4. Overlap of the two spans, gaps included, is an error.
/// A count of 0 is a success.
/// @return cudaErrorInvalidValue for a null pointer with a count, a stride of 0, overlap, or a size
/// past the address space;
///         else what the launch returned
/// Cost: whole sectors of 32 bytes: up to a stride of 32 bytes all that lies between is moved too;
/// beyond, DRAM moves 64 bytes for each element. Source: independent loads in a plain grid
/// (bench/library/NOTES.md).
template <class T>
cudaError_t strided_copy(const T* source, std::size_t source_stride, T* destination,
                         std::size_t destination_stride, std::size_t count,
                         cudaStream_t stream = nullptr) {
    static_assert(is_bitwise_copyable_v<T>,
                  "wideload::strided_copy moves raw bytes: T must be trivially copyable");
    return detail::dispatch_strided_copy(source, source_stride, destination, destination_stride,
                                         count, stream);
}

}  // namespace wideload
