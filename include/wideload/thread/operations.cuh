// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/support/config.cuh>

#include <limits>
#if __has_include(<cuda/std/__functional/operations.h>)
// The part of <cuda/std/functional> that is wanted; all of it takes a second to compile.
#include <cuda/std/__functional/operations.h>
#define WIDELOAD_KNOWS_CUDA_STD_OPERATIONS
#endif

namespace wideload {

namespace detail {

/// What no value of an arithmetic type is above or below.
template <class T, class Limits = std::numeric_limits<T>>
inline constexpr T kGreatest = Limits::has_infinity ? Limits::infinity() : Limits::max();
template <class T, class Limits = std::numeric_limits<T>>
inline constexpr T kLeast = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();

}  // namespace detail

/// Associative and commutative operations for `reduce` and the warp and block reductions. An
/// operation may state its identity (`identity<T>()`: combine(identity, x) == x), which spares a
/// reduction the bookkeeping of who has a value yet.
struct plus {
    template <class T>
    WIDELOAD_HOST_DEVICE T operator()(const T& a, const T& b) const {
        return static_cast<T>(a + b);
    }
    template <class T>
    static WIDELOAD_HOST_DEVICE constexpr std::enable_if_t<std::is_arithmetic_v<T>, T> identity() {
        return T(0);
    }
};

/// Whether a NaN among the elements counts is unspecified, here and for `maximum`.
struct minimum {
    template <class T>
    WIDELOAD_HOST_DEVICE T operator()(const T& a, const T& b) const {
        if constexpr (std::is_same_v<T, float>) {
            return fminf(a, b);  // one instruction
        } else {
            return b < a ? b : a;
        }
    }
    template <class T>
    static WIDELOAD_HOST_DEVICE constexpr std::enable_if_t<std::is_arithmetic_v<T>, T> identity() {
        return detail::kGreatest<T>;
    }
};

struct maximum {
    template <class T>
    WIDELOAD_HOST_DEVICE T operator()(const T& a, const T& b) const {
        if constexpr (std::is_same_v<T, float>) {
            return fmaxf(a, b);
        } else {
            return a < b ? b : a;
        }
    }
    template <class T>
    static WIDELOAD_HOST_DEVICE constexpr std::enable_if_t<std::is_arithmetic_v<T>, T> identity() {
        return detail::kLeast<T>;
    }
};

/// Whether operation(a, b) equals operation(b, a) for values of type `T`, up to rounding: a
/// reduction then combines in whatever order is fastest, else in that of the elements. True of
/// `plus`, `minimum` and `maximum`, and of cuda::std's functors for arithmetic types; false of
/// whatever is not known, such as lambdas. Specialise it for an operation of your own, or say so
/// where it is used: `commutative`.
template <class Operation, class T>
struct is_commutative : std::false_type {};
template <class T>
struct is_commutative<plus, T> : std::true_type {};
template <class T>
struct is_commutative<minimum, T> : std::true_type {};
template <class T>
struct is_commutative<maximum, T> : std::true_type {};

/// What `commutative` returns: the operation itself, under a name that says so.
template <class Operation>
struct commutative_operation : Operation {};
template <class Operation, class T>
struct is_commutative<commutative_operation<Operation>, T> : std::true_type {};

/// States that a function object commutes, so that a reduction need not keep the order of elements:
/// `reduce(input, count, output, commutative([] __device__(int a, int b) { return a ^ b; }), 0)`.
template <class Operation>
WIDELOAD_HOST_DEVICE constexpr commutative_operation<Operation> commutative(Operation operation) {
    return {operation};
}

#ifdef WIDELOAD_KNOWS_CUDA_STD_OPERATIONS
// Of arithmetic types: products of matrices do not commute.
template <class U, class T>
struct is_commutative<cuda::std::plus<U>, T> : std::is_arithmetic<T> {};
template <class U, class T>
struct is_commutative<cuda::std::multiplies<U>, T> : std::is_arithmetic<T> {};
template <class U, class T>
struct is_commutative<cuda::std::bit_and<U>, T> : std::is_arithmetic<T> {};
template <class U, class T>
struct is_commutative<cuda::std::bit_or<U>, T> : std::is_arithmetic<T> {};
template <class U, class T>
struct is_commutative<cuda::std::bit_xor<U>, T> : std::is_arithmetic<T> {};
template <class U, class T>
struct is_commutative<cuda::std::logical_and<U>, T> : std::is_arithmetic<T> {};
template <class U, class T>
struct is_commutative<cuda::std::logical_or<U>, T> : std::is_arithmetic<T> {};
#undef WIDELOAD_KNOWS_CUDA_STD_OPERATIONS
#endif

namespace detail {

template <class Operation, class T, class = void>
struct has_identity : std::false_type {};
template <class Operation, class T>
struct has_identity<Operation, T, std::void_t<decltype(Operation::template identity<T>())>>
    : std::true_type {};

}  // namespace detail
}  // namespace wideload
