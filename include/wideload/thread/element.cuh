// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/thread/load.cuh>
#include <wideload/thread/store.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// One element at an address of any alignment.
///
/// @tparam Aligned  known to be a multiple of the type's alignment: nothing to test
template <bool Aligned = false, class T>
WIDELOAD_DEVICE T load_element(const T* pointer) {
    if (Aligned || is_aligned(pointer, alignof(T))) return *pointer;
    T value;
    load_bytes<sizeof(T), 1, cached>(pointer, &value);
    return value;
}

/// Stores one element at an address of any alignment.
template <bool Aligned = false, class T>
WIDELOAD_DEVICE void store_element(T* pointer, const T& value) {
    if (Aligned || is_aligned(pointer, alignof(T))) {
        *pointer = value;
    } else {
        store_bytes<sizeof(T), 1, cached>(pointer, &value);
    }
}

}  // namespace wideload::WIDELOAD_DETAIL
