// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

/// For programs that check themselves: says where an expectation failed and ends the program with
/// status 1.
#define EXPECT(condition)                                                       \
    do {                                                                        \
        if (!(condition)) {                                                     \
            std::printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            std::exit(1);                                                       \
        }                                                                       \
    } while (false)

/// The call returns the error; another is named.
#define EXPECT_ERROR(expected, call)                                                  \
    do {                                                                              \
        const cudaError_t error = (call);                                             \
        if (error != (expected)) {                                                    \
            std::printf("%s:%d: %s returned %s, not %s\n", __FILE__, __LINE__, #call, \
                        cudaGetErrorName(error), cudaGetErrorName(expected));         \
            std::exit(1);                                                             \
        }                                                                             \
    } while (false)

#define EXPECT_SUCCESS(call) EXPECT_ERROR(cudaSuccess, call)
