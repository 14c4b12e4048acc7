// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "large.cuh"

namespace test {

/// What a batch of matrices is, for the name of a check.
inline std::string shape(std::size_t rows, std::size_t columns, std::size_t batch,
                         std::size_t size) {
    return std::to_string(batch) + " matrices of " + std::to_string(rows) + " x " +
           std::to_string(columns) + " elements of " + std::to_string(size) + " bytes";
}

/// The transposed matrices, element by element.
inline void transpose_on_host(const unsigned char* input, unsigned char* output, std::size_t rows,
                              std::size_t columns, std::size_t batch, std::size_t size) {
    for (std::size_t b = 0; b < batch; ++b) {
        for (std::size_t r = 0; r < rows; ++r) {
            for (std::size_t c = 0; c < columns; ++c) {
                std::memcpy(output + (b * rows * columns + c * rows + r) * size,
                            input + (b * rows * columns + r * columns + c) * size, size);
            }
        }
    }
}

/// The same where they are.
inline void transpose_on_host(unsigned char* data, std::size_t rows, std::size_t columns,
                              std::size_t batch, std::size_t size) {
    const std::vector<unsigned char> before(data, data + rows * columns * batch * size);
    transpose_on_host(before.data(), data, rows, columns, batch, size);
}

}  // namespace test
