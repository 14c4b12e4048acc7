// SPDX-License-Identifier: Apache-2.0
// The kernels of the experiment memory-spaces: where their variables live.
#pragma once

#include "held_registers.cuh"

constexpr unsigned kThreads = 64;
constexpr unsigned kElements = 16;

/// An array whose every index is known when compiling.
__global__ void static_index(const float* x, float* y, unsigned step) {
    sum_of_held<kElements>(x, y, step);
}

/// The same array and sum with indices that come with the launch.
/// @param spread  0: all lanes ask for the same element; 1: neighbours ask for neighbours
__global__ void runtime_index(const float* x, float* y, unsigned step, unsigned last,
                              unsigned spread) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float held[kElements];
#pragma unroll
    for (unsigned k = 0; k < kElements; ++k) held[k] = x[i + k * step];
    float sum = 0;
#pragma unroll 1
    for (unsigned k = 0; k < kElements; ++k) {
        sum = sum * 0.5f + held[(last - k + spread * threadIdx.x) % kElements];
    }
    y[i] = sum;
}

/// Each thread takes what the opposite thread of its block has put into shared memory.
__global__ void through_shared(const float* x, float* y) {
    __shared__ float of_block[kThreads];
    const unsigned first = blockIdx.x * kThreads;
    of_block[threadIdx.x] = x[first + threadIdx.x];
    __syncthreads();
    y[first + threadIdx.x] = of_block[kThreads - 1 - threadIdx.x];
}

__constant__ float coefficients[kElements];

/// A polynomial whose coefficients lie in constant memory.
__global__ void through_constant(const float* x, float* y) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
#pragma unroll 1
    for (unsigned k = 0; k < kElements; ++k) sum = fmaf(sum, x[i], coefficients[k]);
    y[i] = sum;
}

__device__ unsigned in_program;

/// Each thread counts itself in a variable of its own, in one of its block and in one of the
/// program.
__global__ void count_threads(unsigned* of_thread, unsigned* of_block) {
    unsigned in_thread = 0;
    __shared__ unsigned in_block;
    if (threadIdx.x == 0) in_block = 0;
    __syncthreads();
    ++in_thread;
    atomicAdd(&in_block, 1);
    atomicAdd(&in_program, 1);
    __syncthreads();
    of_thread[blockIdx.x * blockDim.x + threadIdx.x] = in_thread;
    if (threadIdx.x == 0) of_block[blockIdx.x] = in_block;
}
