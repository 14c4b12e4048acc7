// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/thread/vec.cuh>

#include <cassert>

namespace wideload {

/// Whether `pointer` is a multiple of `alignment` bytes, a power of two.
WIDELOAD_HOST_DEVICE bool is_aligned(const void* pointer, std::size_t alignment) {
    return (reinterpret_cast<std::uintptr_t>(pointer) & (alignment - 1)) == 0;
}

/// A pointer to `T` whose address is known, at compile time, to be a multiple of `Alignment` bytes.
/// It cannot be made from a plain pointer by accident: `assume_aligned` states the promise,
/// `visit_alignment` finds it out. Loads and stores pick their width from it.
template <class T, std::size_t Alignment>
class aligned_ptr {
    static_assert(is_power_of_two(Alignment), "an alignment is a power of two");
    static_assert(Alignment >= alignof(T),
                  "aligned_ptr: the alignment is below that of the element type");

public:
    static constexpr std::size_t kAlignment = Alignment;

    aligned_ptr() = default;

    /// From a pointer of at least this alignment; a weaker one does not compile.
    template <class U, std::size_t Other,
              class = std::enable_if_t<(Other >= Alignment) && std::is_convertible_v<U*, T*>>>
    WIDELOAD_HOST_DEVICE aligned_ptr(aligned_ptr<U, Other> other) : pointer_(other.get()) {}

    WIDELOAD_HOST_DEVICE T* get() const { return pointer_; }
    WIDELOAD_HOST_DEVICE T& operator[](std::size_t index) const { return pointer_[index]; }

    /// The pointer moved by `groups` times `Elements` elements; it keeps what alignment those steps
    /// leave.
    template <int Elements>
    WIDELOAD_HOST_DEVICE auto advance(std::ptrdiff_t groups) const {
        constexpr std::size_t step = packed_alignment(sizeof(T), Elements);
        constexpr std::size_t kept = step < Alignment ? step : Alignment;
        constexpr std::size_t result = kept > alignof(T) ? kept : alignof(T);
        return aligned_ptr<T, result>::unchecked(pointer_ + groups * Elements);
    }

    /// For `assume_aligned` and `visit_alignment`, which have checked or been promised the
    /// alignment.
    WIDELOAD_HOST_DEVICE static aligned_ptr unchecked(T* pointer) {
        aligned_ptr result;
        result.pointer_ = pointer;
        return result;
    }

private:
    T* pointer_ = nullptr;
};

/// States that `pointer` is a multiple of `Alignment` bytes, which is asserted unless NDEBUG is
/// defined. In kernels the assertion takes registers: build for speed with -DNDEBUG.
template <std::size_t Alignment, class T>
WIDELOAD_HOST_DEVICE aligned_ptr<T, Alignment> assume_aligned(T* pointer) {
    assert(is_aligned(pointer, Alignment) &&
           "assume_aligned: the pointer is not a multiple of the alignment");
    return aligned_ptr<T, Alignment>::unchecked(pointer);
}

/// Finds out once, at run time, whether `pointer` is a multiple of `Alignment` bytes and calls
/// `function` with an `aligned_ptr` of that alignment or, else, of the element type's own. One
/// generic body serves both.
#pragma nv_exec_check_disable  // `function` may be a host or a device one
template <std::size_t Alignment, class T, class Function>
WIDELOAD_HOST_DEVICE decltype(auto) visit_alignment(T* pointer, Function&& function) {
    if (is_aligned(pointer, Alignment))
        return function(aligned_ptr<T, Alignment>::unchecked(pointer));
    return function(aligned_ptr<T, alignof(T)>::unchecked(pointer));
}

namespace WIDELOAD_DETAIL {

/// A pointer's element type and the alignment that its type promises.
template <class Pointer>
struct pointer_traits;

template <class T>
struct pointer_traits<T*> {
    using element = T;
    static constexpr std::size_t alignment = alignof(T);
    WIDELOAD_HOST_DEVICE static T* raw(T* pointer) { return pointer; }
};

template <class T, std::size_t Alignment>
struct pointer_traits<aligned_ptr<T, Alignment>> {
    using element = T;
    static constexpr std::size_t alignment = Alignment;
    WIDELOAD_HOST_DEVICE static T* raw(aligned_ptr<T, Alignment> pointer) { return pointer.get(); }
};

}  // namespace WIDELOAD_DETAIL
}  // namespace wideload
