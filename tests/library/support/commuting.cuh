// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/reduce.cuh>

#include <type_traits>

namespace test {

/// An operation that holds something, and of which it is known that it commutes.
struct SumFrom {
    int origin;
    __host__ __device__ int operator()(int a, int b) const { return a + b - origin; }
};

}  // namespace test

template <>
struct wideload::is_commutative<test::SumFrom, int> : std::true_type {};
