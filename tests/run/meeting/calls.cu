// SPDX-License-Identifier: Apache-2.0
// The loops of loops.cu in functions that are called: lanes that leave such a loop return without
// the others.
#include "searches.h"

__device__ __noinline__ int find_free(int* row, int k) {
    while (atomicCAS(&row[k], 0, 1) != 0) ++k;
    return k;
}

__device__ __noinline__ int find_free_weakly(const int* row, int k) {
    while (row[k] != 0) ++k;
    return k;
}

__device__ __noinline__ int find_volatile(const volatile int* row, int k) {
    while (row[k] != 0) ++k;
    return k;
}

__device__ __noinline__ void lock(int* flag) {
    while (atomicCAS(flag, 0, 1) != 0) {
    }
}

__global__ void called_search(int* table, int* results, int) {
    results[threadIdx.x] = find_free(table + threadIdx.x * kRow, 0);
}

__global__ void called_search_then_loop(int* table, int* results, int n) {
    const int k = find_free(table + threadIdx.x * kRow, 0);
    int sum = 0;
    for (int j = 0; j < n; ++j) sum += results[j * kRow + threadIdx.x];
    results[threadIdx.x] = k + sum;
}

__global__ void called_searches(int* table, int* results, int n) {
    int k = 0, sum = 0;
#pragma unroll 1  // with several calls in PTX, lanes of different calls would be counted apart
    for (int j = 0; j < n; ++j) {
        k = find_free(table + threadIdx.x * kRow, k);
        sum += k;
        results[threadIdx.x + kOther] = sum;
    }
    results[threadIdx.x] = sum;
}

__global__ void called_search_then_meet(int* table, int* results, int) {
    const int k = find_free(table + threadIdx.x * kRow, 0);
    __syncwarp();
    results[threadIdx.x] = k;
}

__global__ void called_weak_search(int* table, int* results, int) {
    results[threadIdx.x] = find_free_weakly(table + threadIdx.x * kRow, 0);
}

__global__ void called_volatile_search(int* table, int* results, int) {
    results[threadIdx.x] = find_volatile(table + threadIdx.x * kRow, 0);
}

__global__ void called_lock(int* table, int* results, int) {
    lock(table);
    *reinterpret_cast<volatile int*>(results + kOther) += 1;
    __threadfence();
    atomicExch(table, 0);
    results[threadIdx.x] = 7;
}

int main() {
    Searches program;
    program.run(called_search, length_of_search);
    program.run(called_search_then_loop, length_of_search);
    program.run(called_searches, [](int i) { return 4 * (i % 32 * kStep) + 0 + 1 + 2 + 3; });
    program.run(called_search_then_meet, length_of_search);
    program.run(called_weak_search, length_of_search);
    program.run(called_volatile_search, length_of_search);
    program.run(called_lock, [](int) { return 7; });
    return program.end();
}
