// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "matrix_product.cuh"

namespace gemm {

/// A bit pattern that no product has: results are overwritten with it before a launch.
inline constexpr std::uint32_t kPoison = 0xffffffffu;

/// Element i of a product in double precision; inputs are read through pointers of either side.
__host__ __device__ inline double reference_element(const float* a, const float* b, int n, int k,
                                                    size_t i) {
    const float* const row = a + i / n * k;
    const float* const column = b + i % n;
    double sum = 0.0;
    for (int step = 0; step < k; ++step) {
        sum += static_cast<double>(row[step]) * column[static_cast<size_t>(step) * n];
    }
    return sum;
}

/// The greatest error that a product of inputs uniform in [-1, 1] may have: each of k roundings is
/// of a partial sum of about √k/3, which adds up to about 8e-9·k (root mean square), and this is
/// twelve times that. Products through tf32 are ten times over it.
inline double tolerance(int k) { return 1e-7 * k + 1e-6; }

/// What is wrong with the results of a product, or nothing. `found` holds m·n floats and after them
/// some that must still be poison.
inline std::string wrong_result(const std::vector<float>& found,
                                const std::vector<double>& expected, int n, int k) {
    for (size_t i = 0; i < found.size(); ++i) {
        if (i >= expected.size()) {
            std::uint32_t bits = 0;
            std::memcpy(&bits, &found[i], sizeof(bits));
            if (bits != kPoison) return "memory after C was written";
        } else if (!(std::fabs(found[i] - expected[i]) <= tolerance(k))) {
            return "C[" + std::to_string(i / n) + "][" + std::to_string(i % n) + "] is " +
                   std::to_string(found[i]) + ", should be " + std::to_string(expected[i]);
        }
    }
    return {};
}

}  // namespace gemm
