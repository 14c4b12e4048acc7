// SPDX-License-Identifier: Apache-2.0
// What a user's first program may look like. It is built, not run, by the consumer tests.
#include <wideload/wideload.cuh>

#include <cstdio>

int main() {
    float *from = nullptr, *to = nullptr;
    const std::size_t count = 1 << 20;
    if (cudaMalloc(&from, count * sizeof(float)) || cudaMalloc(&to, count * sizeof(float)))
        return 1;
    cudaError_t status = wideload::fill(from, count, 1.0f);
    if (status == cudaSuccess) status = wideload::copy(from, to, count);
    if (status == cudaSuccess) status = cudaDeviceSynchronize();
    std::printf("%s\n", cudaGetErrorString(status));
    return status == cudaSuccess ? 0 : 1;
}
