// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The ways of document 002 to combine many values into one. Every kernel first lets each thread
/// combine a share of the input, a grid apart.
namespace reduction {

constexpr unsigned kThreads = 256;
constexpr unsigned kLanes = 32;

/// What is combined. 0 is the empty value, so that memory can be set to it.
struct Sum {
    using Value = float;
    static __device__ Value combine(Value a, Value b) { return a + b; }
    static __device__ void combine_atomically(Value* to, Value value) { atomicAdd(to, value); }
};
struct Maximum {
    using Value = unsigned;
    static __device__ Value combine(Value a, Value b) { return max(a, b); }
    static __device__ void combine_atomically(Value* to, Value value) { atomicMax(to, value); }
};

template <class Operation, class Value = typename Operation::Value>
__device__ Value share_of_thread(const Value* input, unsigned n) {
    Value value = 0;
    for (unsigned i = blockIdx.x * kThreads + threadIdx.x; i < n; i += gridDim.x * kThreads) {
        value = Operation::combine(value, input[i]);
    }
    return value;
}

/// Partners 1, 2, 4, ... apart: the threads that still work lie further and further apart.
template <class Operation, class Value = typename Operation::Value>
__global__ void reduce_spreading(const Value* input, Value* result, unsigned n) {
    __shared__ Value values[kThreads];
    values[threadIdx.x] = share_of_thread<Operation>(input, n);
    __syncthreads();
    for (unsigned distance = 1; distance < kThreads; distance *= 2) {
        const unsigned i = 2 * distance * threadIdx.x;
        if (i < kThreads) values[i] = Operation::combine(values[i], values[i + distance]);
        __syncthreads();
    }
    if (threadIdx.x == 0) Operation::combine_atomically(result, values[0]);
}

/// Combines the rear half of what is left with the front half, down to `kLeft` values.
template <class Operation, unsigned kLeft, class Value = typename Operation::Value>
__device__ void fold(Value (&values)[kThreads]) {
    for (unsigned distance = kThreads / 2; distance >= kLeft; distance /= 2) {
        if (threadIdx.x < distance) {
            values[threadIdx.x] =
                Operation::combine(values[threadIdx.x], values[threadIdx.x + distance]);
        }
        __syncthreads();
    }
}

template <class Operation, class Value = typename Operation::Value>
__global__ void reduce_tree(const Value* input, Value* result, unsigned n) {
    __shared__ Value values[kThreads];
    values[threadIdx.x] = share_of_thread<Operation>(input, n);
    __syncthreads();
    fold<Operation, 1>(values);
    if (threadIdx.x == 0) Operation::combine_atomically(result, values[0]);
}

/// Lane 0 receives what all lanes hold.
template <class Operation, class Value = typename Operation::Value>
__device__ Value fold_warp(Value value) {
    for (unsigned distance = kLanes / 2; distance > 0; distance /= 2) {
        value = Operation::combine(value, __shfl_down_sync(~0u, value, distance));
    }
    return value;
}

/// Thread 0 receives the block's value: a tree down to a warp, then shuffles.
template <class Operation, class Value = typename Operation::Value>
__device__ Value fold_block(Value value) {
    __shared__ Value values[kThreads];
    values[threadIdx.x] = value;
    __syncthreads();
    fold<Operation, kLanes>(values);
    return threadIdx.x < kLanes ? fold_warp<Operation>(values[threadIdx.x]) : value;
}

template <class Operation, class Value = typename Operation::Value>
__global__ void reduce_shuffle(const Value* input, Value* result, unsigned n) {
    const Value value = fold_block<Operation>(share_of_thread<Operation>(input, n));
    if (threadIdx.x == 0) Operation::combine_atomically(result, value);
}

/// A pass of two: every block's value. One block more makes one of them.
template <class Operation, class Value = typename Operation::Value>
__global__ void reduce_pass(const Value* input, Value* partials, unsigned n) {
    const Value value = fold_block<Operation>(share_of_thread<Operation>(input, n));
    if (threadIdx.x == 0) partials[blockIdx.x] = value;
}

/// Every element by an atomic operation of its own.
template <class Operation, class Value = typename Operation::Value>
__global__ void reduce_atomic(const Value* input, Value* result, unsigned n) {
    for (unsigned i = blockIdx.x * kThreads + threadIdx.x; i < n; i += gridDim.x * kThreads) {
        Operation::combine_atomically(result, input[i]);
    }
}

/// Every lane's number, shuffled down.
__global__ void shuffle_down(unsigned* received, unsigned distance) {
    received[threadIdx.x] = __shfl_down_sync(~0u, threadIdx.x, distance);
}

/// What every lane holds when lane 0 holds the sum of the lanes' numbers.
__global__ void sum_by_shuffles(unsigned* sums) {
    unsigned value = threadIdx.x;
    for (unsigned distance = kLanes / 2; distance > 0; distance /= 2) {
        value += __shfl_down_sync(~0u, value, distance);
    }
    sums[threadIdx.x] = value;
}

}  // namespace reduction
