// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace lab {

/// How a program ends that found no GPU: none of the others will find one.
inline constexpr int kExitNoGpu = 3;

[[noreturn]] inline void give_up(const std::string& why, int exit_code = 1) {
    std::fprintf(stderr, "lab: %s\n", why.c_str());
    std::exit(exit_code);
}

inline void require(cudaError_t status, const char* call) {
    if (status != cudaSuccess) give_up(std::string(call) + ": " + cudaGetErrorString(status));
}

}  // namespace lab

/// Ends the program with the call and the error's text, unless the call succeeds.
#define LAB_REQUIRE(call) ::lab::require((call), #call)
