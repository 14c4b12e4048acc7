// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/dispatch/fill_dispatch.cuh>

namespace wideload {

/// Sets each of the `count` elements at `destination` to `value`, bit for bit.
///
/// Alignment: any. All but the first and last bytes are written as whole 16-byte words, also for
/// values of 12, 20 or 7 bytes, whose pattern repeats every few words.
///
/// Null: a count of 0 is a success whatever the pointer is.
///
/// @param destination  `count` elements in memory that the current device can reach
/// @param count        in elements; beyond 2^32 allowed
/// @param value        at most 224 bytes; padding bytes are copied too
/// @param stream       the fill runs in its order; no synchronisation; may be captured into a graph
/// @return cudaErrorInvalidValue for a null pointer with a count or a size past the address space;
/// else what the launch
///         returned
/// Cost: count * sizeof(T) bytes of memory traffic.
/// Source: wide stores in a plain grid, as cudaMemset does for single bytes
/// (bench/library/NOTES.md).
template <class T>
cudaError_t fill(T* destination, std::size_t count, const detail::same_t<T>& value,
                 cudaStream_t stream = nullptr) {
    constexpr bool kWritable = is_bitwise_copyable_v<T> && !std::is_const_v<T>;
    static_assert(kWritable,
                  "wideload::fill writes raw bytes: T must be trivially copyable, and not const");
    static_assert(sizeof(T) <= detail::kMaxFillBytes,
                  "wideload::fill: the value is larger than 224 bytes");
    if constexpr (kWritable)
        return detail::dispatch_fill<static_cast<int>(sizeof(T))>(destination, count, &value,
                                                                  stream);
    return cudaErrorInvalidValue;
}

}  // namespace wideload
