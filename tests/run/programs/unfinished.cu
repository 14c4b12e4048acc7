// SPDX-License-Identifier: Apache-2.0
// A program that ends while kernels are still to be run, which two threads have launched and nobody
// waits for: the first has not ended when what is static begins to be destroyed.
#include <thread>

#include "check.h"

namespace {

__global__ void add_up(float* sums, int times) {
    float& sum = sums[blockIdx.x * blockDim.x + threadIdx.x];
    for (int i = 0; i < times; ++i) sum += static_cast<float>(i);
}

void launch() {
    constexpr int kThreads = 128, kBlocks = 64, kLaunches = 4;
    cudaStream_t stream = nullptr;
    float* sums = nullptr;
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CUDA(cudaMalloc(&sums, kThreads * kBlocks * sizeof(float)));
    for (int i = 0; i < kLaunches; ++i) add_up<<<kBlocks, kThreads, 0, stream>>>(sums, 20000);
    CUDA(cudaGetLastError());
}

}  // namespace

int main() {
    std::thread first(launch), second(launch);
    first.join();
    second.join();
}
