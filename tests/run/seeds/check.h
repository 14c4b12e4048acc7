// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <cstdlib>

inline void check(bool condition, const char* what, const char* file, int line) {
    if (condition) return;
    std::fprintf(stderr, "%s:%d: %s\n", file, line, what);
    std::exit(1);
}

/// Ends the program where a CUDA call fails or a result is wrong.
#define CHECK(condition) check((condition), #condition, __FILE__, __LINE__)
#define CHECK_CUDA(call)                                                              \
    do {                                                                              \
        const cudaError_t error_ = (call);                                            \
        check(error_ == cudaSuccess, cudaGetErrorString(error_), __FILE__, __LINE__); \
    } while (0)
