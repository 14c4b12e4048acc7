// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/dispatch/copy_dispatch.cuh>

namespace wideload {

/// Copies `count` elements from `source` to `destination`, both in memory that the current device
/// can reach.
///
/// Alignment: any, of either end, equal or not, down to single bytes. Where both ends are
/// misaligned alike, 16-byte words move as they are; where they differ, aligned words are read and
/// funnel-shifted into place.
///
/// Null and overlap: a count of 0 is a success whatever the pointers are; `source == destination`
/// is a success that does nothing; any other overlap is an error.
///
/// @param source       `count` elements
/// @param destination  `count` elements
/// @param count        in elements; beyond 2^32 allowed
/// @param stream       the copy runs in its order; no synchronisation; may be captured into a graph
/// @return cudaErrorInvalidValue for a null pointer with a count, for overlap, for a size past the
/// address space; else
///         what the launch returned
/// Cost: 2 * count * sizeof(T) bytes of memory traffic.
/// Source: one 16-byte access a thread in a plain grid is the fastest copy measured on an H200
/// (bench/library/NOTES.md); the funnel shift is that of optimised memcpy routines for machines
/// without unaligned loads.
template <class T>
cudaError_t copy(const T* source, T* destination, std::size_t count,
                 cudaStream_t stream = nullptr) {
    static_assert(is_bitwise_copyable_v<T>,
                  "wideload::copy moves raw bytes: T must be trivially copyable");
    return detail::dispatch_copy(source, destination, count, sizeof(T), stream);
}

/// `copy` for untyped memory: `bytes` bytes. A template, so that its kernels are compiled only
/// where it is called.
template <class = void>
cudaError_t copy_bytes(const void* source, void* destination, std::size_t bytes,
                       cudaStream_t stream = nullptr) {
    return detail::dispatch_copy(source, destination, bytes, 1, stream);
}

}  // namespace wideload
