// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/support/config.cuh>

#include <limits>
// The parts of <cuda/functional> that are wanted; all of it takes a second to compile.
#if __has_include(<cuda/std/__functional/operations.h>)
#include <cuda/std/__functional/operations.h>
#define WIDELOAD_KNOWS_CUDA_STD_OPERATIONS
#endif
#if __has_include(<cuda/__functional/maximum.h>) && __has_include(<cuda/__functional/minimum.h>)
#include <cuda/__functional/maximum.h>
#include <cuda/__functional/minimum.h>
#define WIDELOAD_KNOWS_CUDA_EXTREMA
#endif

namespace wideload {

namespace WIDELOAD_DETAIL {

/// What no value of an arithmetic type is above or below.
template <class T, class Limits = std::numeric_limits<T>>
inline constexpr T kGreatest = Limits::has_infinity ? Limits::infinity() : Limits::max();
template <class T, class Limits = std::numeric_limits<T>>
inline constexpr T kLeast = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();

}  // namespace WIDELOAD_DETAIL

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

struct multiplies {
    template <class T>
    WIDELOAD_HOST_DEVICE T operator()(const T& a, const T& b) const {
        return static_cast<T>(a * b);
    }
    template <class T>
    static WIDELOAD_HOST_DEVICE constexpr std::enable_if_t<std::is_arithmetic_v<T>, T> identity() {
        return T(1);
    }
};

struct bit_and {
    template <class T>
    WIDELOAD_HOST_DEVICE T operator()(const T& a, const T& b) const {
        return static_cast<T>(a & b);
    }
    template <class T>
    static WIDELOAD_HOST_DEVICE constexpr std::enable_if_t<std::is_integral_v<T>, T> identity() {
        return static_cast<T>(~T(0));
    }
};

struct bit_or {
    template <class T>
    WIDELOAD_HOST_DEVICE T operator()(const T& a, const T& b) const {
        return static_cast<T>(a | b);
    }
    template <class T>
    static WIDELOAD_HOST_DEVICE constexpr std::enable_if_t<std::is_integral_v<T>, T> identity() {
        return T(0);
    }
};

struct bit_xor {
    template <class T>
    WIDELOAD_HOST_DEVICE T operator()(const T& a, const T& b) const {
        return static_cast<T>(a ^ b);
    }
    template <class T>
    static WIDELOAD_HOST_DEVICE constexpr std::enable_if_t<std::is_integral_v<T>, T> identity() {
        return T(0);
    }
};

namespace WIDELOAD_DETAIL {

/// The operation above that does the same as a functor of libcu++, which takes `values`, or any if
/// that is void. `type` is void where there is none.
template <class Operation>
struct same_operation {
    using type = void;
};
template <class Operation, class Values>
struct same_as {
    using type = Operation;
    using values = Values;
};
#ifdef WIDELOAD_KNOWS_CUDA_STD_OPERATIONS
template <class T>
struct same_operation<cuda::std::plus<T>> : same_as<plus, T> {};
template <class T>
struct same_operation<cuda::std::multiplies<T>> : same_as<multiplies, T> {};
template <class T>
struct same_operation<cuda::std::bit_and<T>> : same_as<bit_and, T> {};
template <class T>
struct same_operation<cuda::std::bit_or<T>> : same_as<bit_or, T> {};
template <class T>
struct same_operation<cuda::std::bit_xor<T>> : same_as<bit_xor, T> {};
#endif
#ifdef WIDELOAD_KNOWS_CUDA_EXTREMA
template <class T>
struct same_operation<cuda::minimum<T>> : same_as<minimum, T> {};
template <class T>
struct same_operation<cuda::maximum<T>> : same_as<maximum, T> {};
#undef WIDELOAD_KNOWS_CUDA_EXTREMA
#endif

}  // namespace WIDELOAD_DETAIL

/// Whether operation(a, b) equals operation(b, a) for values of type `T`, up to rounding: a
/// reduction then combines in whatever order is fastest, else in that of the elements. True of
/// `plus`, `minimum` and `maximum`, of the others above and of cuda::std's and cuda's functors for
/// arithmetic types; false of whatever is not known, such as lambdas. Specialise it for an
/// operation of your own, or say so where it is used: `commutative`.
template <class Operation, class T>
struct is_commutative
    : std::bool_constant<std::is_arithmetic_v<T> &&
                         !std::is_void_v<typename detail::same_operation<Operation>::type>> {};
template <class T>
struct is_commutative<plus, T> : std::true_type {};
template <class T>
struct is_commutative<minimum, T> : std::true_type {};
template <class T>
struct is_commutative<maximum, T> : std::true_type {};
// Of arithmetic types: products of matrices do not commute.
template <class T>
struct is_commutative<multiplies, T> : std::is_arithmetic<T> {};
template <class T>
struct is_commutative<bit_and, T> : std::is_arithmetic<T> {};
template <class T>
struct is_commutative<bit_or, T> : std::is_arithmetic<T> {};
template <class T>
struct is_commutative<bit_xor, T> : std::is_arithmetic<T> {};
#ifdef WIDELOAD_KNOWS_CUDA_STD_OPERATIONS
template <class U, class T>
struct is_commutative<cuda::std::logical_and<U>, T> : std::is_arithmetic<T> {};
template <class U, class T>
struct is_commutative<cuda::std::logical_or<U>, T> : std::is_arithmetic<T> {};
#undef WIDELOAD_KNOWS_CUDA_STD_OPERATIONS
#endif

/// What `commutative` returns: the operation itself, under a name that says so. One that cannot be
/// a base, such as a pointer to a device function, is a member.
template <class Operation, bool IsBase = std::is_class_v<Operation> && !std::is_final_v<Operation>>
struct commutative_operation : Operation {};
template <class Operation>
struct commutative_operation<Operation, false> {
    Operation operation;

    template <class First, class Second>
    WIDELOAD_DEVICE auto operator()(First&& first, Second&& second)
        -> decltype(operation(static_cast<First&&>(first), static_cast<Second&&>(second))) {
        return operation(static_cast<First&&>(first), static_cast<Second&&>(second));
    }
};
template <class Operation, class T>
struct is_commutative<commutative_operation<Operation>, T> : std::true_type {};

/// States that a function object commutes, so that a reduction need not keep the order of elements:
/// `reduce(input, count, output, commutative([] __device__(int a, int b) { return a ^ b; }), 0)`.
template <class Operation>
WIDELOAD_HOST_DEVICE constexpr commutative_operation<Operation> commutative(Operation operation) {
    return {operation};
}

namespace WIDELOAD_DETAIL {

template <class Operation, class T, class = void>
struct has_identity : std::false_type {};
template <class Operation, class T>
struct has_identity<Operation, T, std::void_t<decltype(Operation::template identity<T>())>>
    : std::true_type {};

/// The operation of this file that does the same to values of type `T`, or `Operation` itself:
/// these have identities, and instructions of the hardware.
template <class Operation, class T, class Same = typename same_operation<Operation>::type>
struct known_operation {
    using Values = typename same_operation<Operation>::values;
    static constexpr bool kTakes = std::is_void_v<Values> || std::is_same_v<Values, T>;
    using type = std::conditional_t<std::is_arithmetic_v<T> && kTakes, Same, Operation>;
};
template <class Operation, class T>
struct known_operation<Operation, T, void> {
    using type = Operation;
};
template <class Operation, class T>
struct known_operation<commutative_operation<Operation>, T, void> {
    using known = typename known_operation<Operation, T>::type;
    using type = std::conditional_t<is_commutative<known, T>::value, known,
                                    commutative_operation<Operation>>;
};

template <class Operation, class T>
using known_operation_t = typename known_operation<Operation, T>::type;

/// An operation as the library calls it for values of type `T`.
template <class T, class Operation>
constexpr known_operation_t<Operation, T> known(const Operation& operation) {
    using Known = known_operation_t<Operation, T>;
    if constexpr (std::is_same_v<Known, Operation> || std::is_base_of_v<Known, Operation>) {
        return operation;  // with what it holds, also of what `commutative` was told
    } else {
        return {};
    }
}

}  // namespace WIDELOAD_DETAIL
}  // namespace wideload
