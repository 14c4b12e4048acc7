// SPDX-License-Identifier: Apache-2.0
// Lanes of a warp leave such a loop after up to 342 turns, and all come to the store behind it
// together: none waits for another, whatever the loop looks like.
#include <cstdio>
#include <vector>

constexpr int kThreads = 256;
constexpr int kRow = 512;
constexpr int kStep = 11;  ///< each lane's search is so many slots longer than that of the last

/// The first free slot of a table by linear probing.
__global__ void probe(int* table, int* tries) {
    int* row = table + threadIdx.x * kRow;
    int k = 0;
    while (atomicCAS(&row[k], 0, 1) != 0) ++k;
    tries[threadIdx.x] = k;
}

/// A chain that others may lengthen, followed to its end.
__global__ void follow(volatile const int* next, int* ends) {
    int node = threadIdx.x * kRow;
    while (next[node] != 0) node = threadIdx.x * kRow + next[node];
    ends[threadIdx.x] = node;
}

/// Items are taken from the lane's own queue until it is empty; no turn needs the last one's item.
__global__ void drain(int* queues, int* done) {
    int* queue = &queues[threadIdx.x * kRow];
    while (atomicSub(queue, 1) > 0) {
    }
    done[threadIdx.x] = *queue;
}

static bool all_are(const int* device, int (*expected)(int)) {
    std::vector<int> host(kThreads);
    if (cudaMemcpy(host.data(), device, kThreads * sizeof(int), cudaMemcpyDeviceToHost))
        return false;
    for (int i = 0; i < kThreads; ++i) {
        if (host[i] != expected(i)) return false;
    }
    return true;
}

int main() {
    std::vector<int> taken(kThreads * kRow), chains(kThreads * kRow), queues(kThreads * kRow);
    for (int i = 0; i < kThreads; ++i) {
        const int length = i % 32 * kStep;
        for (int k = 0; k < length; ++k) taken[i * kRow + k] = 1, chains[i * kRow + k] = k + 1;
        queues[i * kRow] = length;
    }
    int *table, *results;
    const std::size_t bytes = taken.size() * sizeof(int);
    if (cudaMalloc(&table, bytes) || cudaMalloc(&results, kThreads * sizeof(int))) return 1;
    const auto length = [](int i) { return i % 32 * kStep; };
    cudaMemcpy(table, taken.data(), bytes, cudaMemcpyHostToDevice);
    probe<<<1, kThreads>>>(table, results);
    bool correct = all_are(results, length);
    cudaMemcpy(table, chains.data(), bytes, cudaMemcpyHostToDevice);
    follow<<<1, kThreads>>>(table, results);
    correct &= all_are(results, [](int i) { return i * kRow + i % 32 * kStep; });
    cudaMemcpy(table, queues.data(), bytes, cudaMemcpyHostToDevice);
    drain<<<1, kThreads>>>(table, results);
    correct &= all_are(results, [](int) { return -1; });
    std::puts(correct ? "ok" : "wrong results");
    return correct ? 0 : 1;
}
