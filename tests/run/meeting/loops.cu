// SPDX-License-Identifier: Apache-2.0
// Loops that lanes of a warp leave at different turns: lane i after 11 i turns and one. Where the
// end hangs on what a strong access reads, the lanes that have left do not wait for the others.
#include <cstdio>
#include <vector>

constexpr int kThreads = 64;
constexpr int kRow = 512;     ///< of the table: each thread has one
constexpr int kStep = 11;     ///< each lane's search is so many slots longer than that of the last
constexpr int kOther = 4096;  ///< where in the results a second array begins
constexpr int kFree = 400;    ///< a slot that is free in every row

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
    std::vector<int> taken(kThreads * kRow);
    for (int i = 0; i < kThreads; ++i) {
        for (int k = 0; k < i % 32 * kStep; ++k) taken[i * kRow + k] = 1;
    }
    int *table, *results;
    const std::size_t bytes = taken.size() * sizeof(int), result_bytes = 3 * kOther * sizeof(int);
    if (cudaMalloc(&table, bytes) || cudaMalloc(&results, result_bytes)) return 1;
    bool correct = true;
    const auto run = [&](void (*kernel)(int*, int*, int), int (*expected)(int)) {
        cudaMemset(results, 0, result_bytes);
        cudaMemcpy(table, taken.data(), bytes, cudaMemcpyHostToDevice);
        kernel<<<1, kThreads>>>(table, results, 4);
        std::vector<int> host(kThreads);
        cudaMemcpy(host.data(), results, kThreads * sizeof(int), cudaMemcpyDeviceToHost);
        for (int i = 0; i < kThreads; ++i) correct &= host[i] == expected(i);
    };
    const auto length = [](int i) { return i % 32 * kStep; };
    run(search, length);
    run(search_then_loop, length);
    run(search_of_odd_lanes, [](int i) { return i % 2 * (i % 32 * kStep); });
    run(single_turn_of_odd_lanes, [](int) { return 0; });
    run(single_turn, [](int) { return 0; });
    run(searches, [](int i) { return 4 * (i % 32 * kStep) + 0 + 1 + 2 + 3; });
    run(searches_as_lanes_want, [](int i) {
        const int turns = i % 4 + 4;
        return turns * (i % 32 * kStep) + turns * (turns - 1) / 2;
    });
    run(lock, [](int) { return 7; });
    run(search_then_meet, length);
    run(bounded_search, length);
    run(weak_fenced_search, length);
    run(weak_search, length);
    run(volatile_search, length);
    run(two_searches, [](int i) { return i % 32 * kStep + 1; });
    run(search_of_two_ends, [](int i) { return i % 32 < 3 ? i % 32 * kStep : 33; });
    run(sleeping_search, length);
    std::puts(correct ? "ok" : "wrong results");
    return correct ? 0 : 1;
}
