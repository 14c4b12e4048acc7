// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <cstdlib>
#include <vector>

/// Kernels of one block whose threads look for a free slot, each in its row of a table: lane i of a
/// warp finds it after 11 i turns and one.
constexpr int kThreads = 64;
constexpr int kRow = 512;     ///< of the table: each thread has one
constexpr int kStep = 11;     ///< each lane's search is so many slots longer than that of the last
constexpr int kOther = 4096;  ///< where in the results a second array begins

inline int length_of_search(int thread) { return thread % 32 * kStep; }

/// Runs kernels, each on the same table, and looks at what the threads stored.
class Searches {
public:
    Searches() : taken_(kThreads * kRow) {
        for (int i = 0; i < kThreads; ++i) {
            for (int k = 0; k < length_of_search(i); ++k) taken_[i * kRow + k] = 1;
        }
        if (cudaMalloc(&table_, bytes()) || cudaMalloc(&results_, kResultBytes)) std::exit(1);
    }

    /// @param expected each thread's result
    void run(void (*kernel)(int* table, int* results, int n), int (*expected)(int thread)) {
        cudaMemset(results_, 0, kResultBytes);
        cudaMemcpy(table_, taken_.data(), bytes(), cudaMemcpyHostToDevice);
        kernel<<<1, kThreads>>>(table_, results_, 4);
        std::vector<int> host(kThreads);
        cudaMemcpy(host.data(), results_, kThreads * sizeof(int), cudaMemcpyDeviceToHost);
        for (int i = 0; i < kThreads; ++i) correct_ &= host[i] == expected(i);
    }

    /// Says whether all was right. @return the program's status
    int end() const {
        std::puts(correct_ ? "ok" : "wrong results");
        return correct_ ? 0 : 1;
    }

private:
    static constexpr std::size_t kResultBytes = 3 * kOther * sizeof(int);
    std::size_t bytes() const { return taken_.size() * sizeof(int); }

    std::vector<int> taken_;
    int *table_ = nullptr, *results_ = nullptr;
    bool correct_ = true;
};
