// SPDX-License-Identifier: Apache-2.0
// What a user's first program may look like.
#include <wideload/wideload.cuh>

#include <cstdio>
#include <vector>

int main() {
    const std::size_t count = (1 << 20) + 3;
    float *from = nullptr, *to = nullptr;
    if (cudaMalloc(&from, count * sizeof(float)) || cudaMalloc(&to, count * sizeof(float)))
        return 1;
    cudaError_t status = wideload::fill(from, count, 1.5f);
    if (status == cudaSuccess) status = wideload::copy(from + 1, to, count - 1);
    std::vector<float> host(count - 1);
    if (status == cudaSuccess) {
        status = cudaMemcpy(host.data(), to, host.size() * sizeof(float), cudaMemcpyDeviceToHost);
    }
    std::printf("%s\n", cudaGetErrorString(status));
    for (const float value : host) {
        if (value != 1.5f) return 1;
    }
    return status == cudaSuccess ? 0 : 1;
}
