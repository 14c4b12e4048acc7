// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/support/integer.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// A half-open range of bytes of device memory, for the checks that every entry point makes before
/// it launches.
struct ByteRange {
    std::uintptr_t begin;
    std::size_t bytes;

    bool overlaps(const ByteRange& other) const {
        if (bytes == 0 || other.bytes == 0) return false;
        return begin < other.begin ? other.begin - begin < bytes
                                   : begin - other.begin < other.bytes;
    }
    bool equals(const ByteRange& other) const {
        return begin == other.begin && bytes == other.bytes;
    }
};

inline ByteRange byte_range(const void* pointer, std::size_t bytes) {
    return {reinterpret_cast<std::uintptr_t>(pointer), bytes};
}

/// `count * size`, or an error where that does not fit or wraps past the end of the address space.
inline cudaError_t checked_bytes(const void* pointer, std::size_t count, std::size_t size,
                                 std::size_t* bytes) {
    if (count != 0 && pointer == nullptr) return cudaErrorInvalidValue;
    if (size != 0 && count > SIZE_MAX / size) return cudaErrorInvalidValue;
    *bytes = count * size;
    if (reinterpret_cast<std::uintptr_t>(pointer) > UINTPTR_MAX - *bytes)
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

/// Bytes from `pointer` to the next multiple of `alignment`, a power of two.
inline std::size_t bytes_to_alignment(const void* pointer, std::size_t alignment) {
    return (0 - reinterpret_cast<std::uintptr_t>(pointer)) & (alignment - 1);
}

/// The fewest leading elements after which `pointer` is a multiple of `alignment`; -1 where no
/// number of them is.
template <class T>
std::ptrdiff_t elements_to_alignment(const T* pointer, std::size_t alignment) {
    for (std::size_t elements = 0; elements < alignment; ++elements) {
        if (bytes_to_alignment(pointer + elements, alignment) == 0)
            return static_cast<std::ptrdiff_t>(elements);
    }
    return -1;
}

}  // namespace wideload::WIDELOAD_DETAIL
