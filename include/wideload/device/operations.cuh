// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/support/config.cuh>

#include <limits>

namespace wideload {

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

struct minimum {
    template <class T>
    WIDELOAD_HOST_DEVICE T operator()(const T& a, const T& b) const {
        return b < a ? b : a;
    }
};

struct maximum {
    template <class T>
    WIDELOAD_HOST_DEVICE T operator()(const T& a, const T& b) const {
        return a < b ? b : a;
    }
};

namespace detail {

template <class Operation, class T, class = void>
struct has_identity : std::false_type {};
template <class Operation, class T>
struct has_identity<Operation, T, std::void_t<decltype(Operation::template identity<T>())>>
    : std::true_type {};

}  // namespace detail
}  // namespace wideload
