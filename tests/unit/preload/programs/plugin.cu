// SPDX-License-Identifier: Apache-2.0
// A library with a kernel and, where linked so, a CUDA runtime of its own. It uses CUDA in a
// constructor, as libraries do.
#include <cuda_runtime.h>

__global__ void plugin_kernel(int* out) { *out = 1; }

namespace {
int devices_at_start = [] {
    int count = 0;
    cudaGetDeviceCount(&count);
    return count;
}();
}  // namespace

extern "C" int plugin_run() {
    int* out = nullptr;
    if (devices_at_start != 1) return 1;
    if (cudaMalloc(&out, sizeof(int)) != cudaSuccess) return 2;
    plugin_kernel<<<1, 1>>>(out);
    if (cudaGetLastError() != cudaSuccess) return 3;
    return cudaFree(out) == cudaSuccess ? 0 : 4;
}
