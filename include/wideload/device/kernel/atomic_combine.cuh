// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/warp/redux.cuh>

#include <cstring>

namespace wideload::WIDELOAD_DETAIL {

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
    is_bitwise_copyable_v<T> && (sizeof(T) == 4 || sizeof(T) == 8);

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
        if (wanted == seen) return;
        const Bits found = atomicCAS(bits, seen, wanted);
        if (found == seen) return;
        seen = found;
    }
}

/// *target = the lesser or greater of *target and value. Floating-point numbers of one sign are in
/// the order of their bits, or the reverse, and a negative one is less than all others as a signed
/// integer, greater as an unsigned one.
template <bool Least, class T>
WIDELOAD_DEVICE void atomic_extremum(T* target, T value) {
    using Unsigned = atomic_bits_t<sizeof(T)>;
    if constexpr (std::is_floating_point_v<T>) {
        using Signed = atomic_integer_t<std::make_signed_t<Unsigned>>;
        Signed bits;
        std::memcpy(&bits, &value, sizeof(T));
        if (bits < 0) {
            atomic_extremum<!Least>(reinterpret_cast<Unsigned*>(target),
                                    static_cast<Unsigned>(bits));
        } else {
            atomic_extremum<Least>(reinterpret_cast<Signed*>(target), bits);
        }
    } else {
        auto* integer = reinterpret_cast<atomic_integer_t<T>*>(target);
        if constexpr (Least) {
            atomicMin(integer, static_cast<atomic_integer_t<T>>(value));
        } else {
            atomicMax(integer, static_cast<atomic_integer_t<T>>(value));
        }
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
    } else if constexpr (std::is_same_v<Operation, minimum> && std::is_arithmetic_v<T>) {
        atomic_extremum<true>(target, value);
    } else if constexpr (std::is_same_v<Operation, maximum> && std::is_arithmetic_v<T>) {
        atomic_extremum<false>(target, value);
    } else if constexpr (warp::detail::kIsBitwise<Operation> && std::is_integral_v<T>) {
        using Bits = atomic_bits_t<sizeof(T)>;
        auto* bits = reinterpret_cast<Bits*>(target);
        if constexpr (std::is_same_v<Operation, bit_and>) {
            atomicAnd(bits, static_cast<Bits>(value));
        } else if constexpr (std::is_same_v<Operation, bit_or>) {
            atomicOr(bits, static_cast<Bits>(value));
        } else {
            atomicXor(bits, static_cast<Bits>(value));
        }
    } else {
        swap_combine(target, value, operation);
    }
}

}  // namespace wideload::WIDELOAD_DETAIL
