// SPDX-License-Identifier: Apache-2.0
// Loops that lanes of a warp leave at different turns: lane i after 11 i turns and one. Where the
// end hangs on what a strong access reads, the lanes that have left do not wait for the others.
#include "searches.h"

constexpr int kFree = 400;  ///< a slot that is free in every row

__global__ void search(int* table, int* results, int) {
    int *row = table + threadIdx.x * kRow, k = 0;
    while (atomicCAS(&row[k], 0, 1) != 0) ++k;
    results[threadIdx.x] = k;
}

__global__ void search_then_loop(int* table, int* results, int n) {
    int *row = table + threadIdx.x * kRow, k = 0;
    while (atomicCAS(&row[k], 0, 1) != 0) ++k;
    int sum = 0;
    for (int j = 0; j < n; ++j) sum += results[j * kRow + threadIdx.x];
    results[threadIdx.x] = k + sum;
}

__global__ void search_of_odd_lanes(int* table, int* results, int) {
    int *row = table + threadIdx.x * kRow, k = 0;
    if (threadIdx.x & 1) {
        while (atomicCAS(&row[k], 0, 1) != 0) ++k;
        results[threadIdx.x + kOther] = k * k;
    }
    results[threadIdx.x] = k;
}

__global__ void single_turn_of_odd_lanes(int* table, int* results, int) {
    int *row = table + threadIdx.x * kRow, k = 0;
    if (threadIdx.x & 1) {
        while (atomicCAS(&row[k + kFree], 0, 1) != 0) ++k;
        results[threadIdx.x + kOther] = k * k;
    }
    results[threadIdx.x] = k;
}

__global__ void single_turn(int* table, int* results, int) {
    int *row = table + threadIdx.x * kRow, k = 0;
    while (atomicCAS(&row[k + kFree], 0, 1) != 0) ++k;
    results[threadIdx.x] = k;
}

__global__ void searches(int* table, int* results, int n) {
    int *row = table + threadIdx.x * kRow, k = 0, sum = 0;
    for (int j = 0; j < n; ++j) {
        while (atomicCAS(&row[k], 0, 1) != 0) ++k;
        sum += k;
        results[threadIdx.x + kOther] = sum;
    }
    results[threadIdx.x] = sum;
}

__global__ void searches_as_lanes_want(int* table, int* results, int n) {
    int *row = table + threadIdx.x * kRow, k = 0, sum = 0;
    for (int j = 0; j < threadIdx.x % 4 + n; ++j) {
        while (atomicCAS(&row[k], 0, 1) != 0) ++k;
        sum += k;
        results[threadIdx.x + kOther] = sum;
    }
    results[threadIdx.x] = sum;
}

__global__ void lock(int* table, int* results, int) {
    for (bool done = false; !done;) {
        if (atomicCAS(table, 0, 1) == 0) {
            *reinterpret_cast<volatile int*>(results + kOther) += 1;
            __threadfence();
            atomicExch(table, 0);
            done = true;
        }
    }
    results[threadIdx.x] = 7;
}

__global__ void search_then_meet(int* table, int* results, int) {
    int *row = table + threadIdx.x * kRow, k = 0;
    while (atomicCAS(&row[k], 0, 1) != 0) ++k;
    __syncwarp();
    results[threadIdx.x] = k;
}

__global__ void bounded_search(int* table, int* results, int n) {
    int *row = table + threadIdx.x * kRow, k = 0;
    for (; k < n * 100; ++k) {
        if (atomicCAS(&row[k], 0, 1) == 0) break;
    }
    results[threadIdx.x] = k;
}

__global__ void weak_fenced_search(int* table, int* results, int) {
    int *row = table + threadIdx.x * kRow, k = 0;
    while (row[k] != 0) {
        ++k;
        __threadfence();
    }
    results[threadIdx.x] = k;
}

__global__ void weak_search(int* table, int* results, int) {
    int *row = table + threadIdx.x * kRow, k = 0;
    while (row[k] != 0) ++k;
    results[threadIdx.x] = k;
}

__global__ void volatile_search(int* table, int* results, int) {
    volatile int* row = table + threadIdx.x * kRow;
    int k = 0;
    while (row[k] != 0) ++k;
    results[threadIdx.x] = k;
}

__global__ void two_searches(int* table, int* results, int) {
    int *row = table + threadIdx.x * kRow, k = 0;
    while (atomicCAS(&row[k], 0, 1) != 0) ++k;
    results[threadIdx.x + kOther] = k;
    while (atomicCAS(&row[k], 0, 1) != 0) ++k;
    results[threadIdx.x] = k;
}

__global__ void search_of_two_ends(int* table, int* results, int n) {
    int *row = table + threadIdx.x * kRow, k = 0;
    for (;;) {
        if (atomicCAS(&row[k], 0, 1) == 0) {
            results[threadIdx.x + kOther] = 1;
            break;
        }
        if (k > n * 8) {
            results[threadIdx.x + 2 * kOther] = 2;
            break;
        }
        ++k;
    }
    results[threadIdx.x] = k;
}

__global__ void sleeping_search(int* table, int* results, int) {
    int *row = table + threadIdx.x * kRow, k = 0;
    while (atomicCAS(&row[k], 0, 1) != 0) {
        ++k;
        __nanosleep(20);
    }
    results[threadIdx.x] = k;
}

int main() {
    Searches program;
    program.run(search, length_of_search);
    program.run(search_then_loop, length_of_search);
    program.run(search_of_odd_lanes, [](int i) { return i % 2 * (i % 32 * kStep); });
    program.run(single_turn_of_odd_lanes, [](int) { return 0; });
    program.run(single_turn, [](int) { return 0; });
    program.run(searches, [](int i) { return 4 * (i % 32 * kStep) + 0 + 1 + 2 + 3; });
    program.run(searches_as_lanes_want, [](int i) {
        const int turns = i % 4 + 4;
        return turns * (i % 32 * kStep) + turns * (turns - 1) / 2;
    });
    program.run(lock, [](int) { return 7; });
    program.run(search_then_meet, length_of_search);
    program.run(bounded_search, length_of_search);
    program.run(weak_fenced_search, length_of_search);
    program.run(weak_search, length_of_search);
    program.run(volatile_search, length_of_search);
    program.run(two_searches, [](int i) { return i % 32 * kStep + 1; });
    program.run(search_of_two_ends, [](int i) { return i % 32 < 3 ? i % 32 * kStep : 33; });
    program.run(sleeping_search, length_of_search);
    return program.end();
}
