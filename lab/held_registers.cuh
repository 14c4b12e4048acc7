// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Kernels that need a chosen number of registers.

/// Reads one element of each of kVariables rows and uses the last one first, so that all are held
/// at once: y[i] is the sum of row k's element times 0.5^k.
/// @param step  elements of a row: one a thread
template <int kVariables>
__device__ void sum_of_held(const float* x, float* y, unsigned step) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float held[kVariables];
#pragma unroll
    for (int k = 0; k < kVariables; ++k) held[k] = x[i + k * step];
    float sum = 0;
#pragma unroll
    for (int k = kVariables - 1; k >= 0; --k) sum = sum * 0.5f + held[k];
    y[i] = sum;
}

/// The same with the registers that the compiler chooses.
template <int kVariables>
__global__ void hold(const float* x, float* y, unsigned step) {
    sum_of_held<kVariables>(x, y, step);
}

/// The same with at most kRegisters; what has no room is spilled to local memory.
template <int kVariables, int kRegisters>
__global__ void __maxnreg__(kRegisters) hold_in(const float* x, float* y, unsigned step) {
    sum_of_held<kVariables>(x, y, step);
}

/// What element i of y must be.
template <class Value>
__host__ __device__ float held_sum(Value value, std::size_t i, std::size_t step, int variables) {
    float sum = 0;
    for (int k = variables - 1; k >= 0; --k) {
        sum = sum * 0.5f + static_cast<float>(value(i + k * step));
    }
    return sum;
}
