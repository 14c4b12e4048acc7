// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/operations.cuh>

#include <cstring>

namespace wideload::detail {

/// The integer of 4 or 8 bytes that stands for a value in compare-and-swap.
template <int Bytes>
using atomic_bits_t = std::conditional_t<Bytes == 4, unsigned, unsigned long long>;

/// The hardware's own type for an integer of 4 or 8 bytes: `long` is one or the other.
template <class T>
using atomic_integer_t =
    std::conditional_t<std::is_signed_v<T>, std::conditional_t<sizeof(T) == 4, int, long long>,
                       std::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>>;

/// Whether values of this type can be combined atomically.
template <class T>
inline constexpr bool kAtomicallyCombined =
    std::is_trivially_copyable_v<T> && (sizeof(T) == 4 || sizeof(T) == 8);

/// *target = operation(*target, value), by compare and swap.
template <class T, class Operation>
WIDELOAD_DEVICE void swap_combine(T* target, const T& value, Operation& operation) {
    using Bits = atomic_bits_t<sizeof(T)>;
    Bits* bits = reinterpret_cast<Bits*>(target);
    Bits seen = *static_cast<volatile Bits*>(bits);
    while (true) {
        T before;
        std::memcpy(&before, &seen, sizeof(T));
        const T after = operation(before, value);
        Bits wanted;
        std::memcpy(&wanted, &after, sizeof(T));
        const Bits found = atomicCAS(bits, seen, wanted);
        if (found == seen) return;
        seen = found;
    }
}

/// *target = operation(*target, value) as one atomic step: the hardware's operation where it has
/// one for the type.
template <class T, class Operation>
WIDELOAD_DEVICE void atomic_combine(T* target, const T& value, Operation& operation) {
    if constexpr (std::is_same_v<Operation, plus> && std::is_integral_v<T>) {
        using Bits = atomic_bits_t<sizeof(T)>;  // two's complement: one addition serves both
        atomicAdd(reinterpret_cast<Bits*>(target), static_cast<Bits>(value));
    } else if constexpr (std::is_same_v<Operation, plus> && std::is_floating_point_v<T>) {
        atomicAdd(target, value);
    } else if constexpr (std::is_same_v<Operation, minimum> && std::is_integral_v<T>) {
        using Integer = atomic_integer_t<T>;
        atomicMin(reinterpret_cast<Integer*>(target), static_cast<Integer>(value));
    } else if constexpr (std::is_same_v<Operation, maximum> && std::is_integral_v<T>) {
        using Integer = atomic_integer_t<T>;
        atomicMax(reinterpret_cast<Integer*>(target), static_cast<Integer>(value));
    } else {
        swap_combine(target, value, operation);
    }
}

}  // namespace wideload::detail
