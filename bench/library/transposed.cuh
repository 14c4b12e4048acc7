// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness.cuh"

namespace bench {

/// Whether `output` is a batch of matrices of rows × columns elements, one behind the other,
/// transposed.
template <class T>
bool transposed(const T* input, const T* output, std::size_t rows, std::size_t columns,
                std::size_t batch) {
    const std::size_t matrix = rows * columns;
    return check(matrix * batch, [=] __device__(std::size_t i) {
        const std::size_t b = i / matrix, c = i % matrix / rows, r = i % matrix % rows;
        return same_bits(output[i], input[b * matrix + r * columns + c]);
    });
}

}  // namespace bench
