// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <type_traits>

#include "buffer.cuh"

namespace lab {

/// Elements of a buffer, the end not included.
struct Range {
    std::size_t begin = 0, end = 0;
};

/// Whether a result is the expected one: equal, or for floating-point results within a relative
/// tolerance.
template <class T>
__host__ __device__ bool agrees(const T& found, const T& expected, double tolerance) {
    if constexpr (std::is_floating_point_v<T>) {
        if (tolerance > 0) {
            return std::fabs(double(found) - double(expected)) <=
                   tolerance * (std::fabs(double(expected)) + 1e-30);
        }
    }
    (void)tolerance;
    return found == expected;
}

template <class T, class Expected>
__global__ void check_kernel(const T* found, Range range, Expected expected, double tolerance,
                             unsigned long long* first_wrong) {
    const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t i = range.begin + std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
         i < range.end; i += step) {
        if (!agrees(found[i], T(expected(i)), tolerance)) {
            atomicMin(first_wrong, static_cast<unsigned long long>(i));
        }
    }
}

inline std::string wrong_element(std::size_t index) {
    return "element " + std::to_string(index) + " is wrong";
}

/// What is wrong with the first copy of a buffer; empty: nothing.
/// @param expected  element by index
/// @param on_host   compares here, so that no kernel is launched
template <class T, class Expected>
std::string check(const Buffer<T>& found, Range range, Expected expected, double tolerance,
                  bool on_host) {
    if (on_host) {
        const std::vector<T> values = found.download();
        for (std::size_t i = range.begin; i < range.end; ++i) {
            if (!agrees(values[i], T(expected(i)), tolerance)) return wrong_element(i);
        }
        return {};
    }
    const Buffer<unsigned long long> first_wrong(1, 1);
    first_wrong.upload({~0ull});
    check_kernel<<<1024, 256>>>(found[0], range, expected, tolerance, first_wrong[0]);
    const unsigned long long first = first_wrong.download()[0];
    return first == ~0ull ? std::string{} : wrong_element(first);
}

}  // namespace lab
