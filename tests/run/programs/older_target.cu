// SPDX-License-Identifier: Apache-2.0
// Built for an older GPU than it runs on. CUB finds its kernel by the architecture that the PTX was
// made for, so it has to hear that one and not the GPU's.
#include <cub/device/device_reduce.cuh>
#include <numeric>

#include "check.h"

__global__ void any_kernel() {}

int main() {
    cudaFuncAttributes attributes;
    CUDA(cudaFuncGetAttributes(&attributes, any_kernel));
    CHECK(attributes.ptxVersion == 75);
    CHECK(attributes.binaryVersion == 90);

    std::vector<int> values(100'000);
    std::iota(values.begin(), values.end(), -40'000);
    const DeviceArray<int> in(values);
    DeviceArray<int> sum(1);
    std::size_t bytes = 0;
    CUDA(cub::DeviceReduce::Sum(nullptr, bytes, static_cast<const int*>(in), static_cast<int*>(sum),
                                static_cast<int>(values.size())));
    DeviceArray<char> storage(bytes + 1);
    CUDA(cub::DeviceReduce::Sum(static_cast<void*>(storage), bytes, static_cast<const int*>(in),
                                static_cast<int*>(sum), static_cast<int>(values.size())));
    CHECK(sum.host()[0] == std::accumulate(values.begin(), values.end(), 0));
}
