// SPDX-License-Identifier: Apache-2.0
// What a warp's addresses cost: `make demo` runs this and prints the report.
//
// First one element a thread, where the neighbours of a warp read neighbouring elements and where
// they read elements 32 apart: 4 sectors of 32 bytes a request against 32, for the same 128 bytes.
// Then a copy by 4, 8 and 16 bytes a thread: the same bytes in a half and a quarter of the
// requests.

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int kThreads = 256;

void check(cudaError_t status, const char* what) {
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
    std::exit(1);
}

int blocks_for(int threads) { return (threads + kThreads - 1) / kThreads; }

}  // namespace

__global__ void double_coalesced(const float* input, float* output, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) output[i] = 2.0f * input[i];
}

__global__ void double_strided(const float* input, float* output, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) output[i] = 2.0f * input[i * 32 % n];
}

__global__ void copy_scalar(const int* input, int* output, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) output[i] = input[i];
}

__global__ void copy_int2(const int* input, int* output, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 2) reinterpret_cast<int2*>(output)[i] = reinterpret_cast<const int2*>(input)[i];
    if (i == 0 && n % 2 == 1) output[n - 1] = input[n - 1];
}

__global__ void copy_int4(const int* input, int* output, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4) reinterpret_cast<int4*>(output)[i] = reinterpret_cast<const int4*>(input)[i];
    if (i < n % 4) output[n - 1 - i] = input[n - 1 - i];
}

int main() {
    const int n = 1 << 20;
    const std::size_t bytes = n * sizeof(float);
    std::vector<float> numbers(n);
    for (int i = 0; i < n; ++i) numbers[i] = static_cast<float>(i);

    float *input = nullptr, *output = nullptr;
    check(cudaMalloc(&input, bytes), "cudaMalloc");
    check(cudaMalloc(&output, bytes), "cudaMalloc");
    check(cudaMemcpy(input, numbers.data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy");

    double_coalesced<<<blocks_for(n), kThreads>>>(input, output, n);
    double_strided<<<blocks_for(n), kThreads>>>(input, output, n);

    const int* source = reinterpret_cast<const int*>(input);
    int* target = reinterpret_cast<int*>(output);
    copy_scalar<<<blocks_for(n), kThreads>>>(source, target, n);
    copy_int2<<<blocks_for(n / 2), kThreads>>>(source, target, n);
    copy_int4<<<blocks_for(n / 4), kThreads>>>(source, target, n);
    check(cudaGetLastError(), "a launch");
    check(cudaDeviceSynchronize(), "the kernels");

    std::vector<float> copied(n);
    check(cudaMemcpy(copied.data(), output, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
    std::printf("%s\n", copied == numbers ? "The copy is right." : "The copy is wrong!");
    check(cudaFree(input), "cudaFree");
    check(cudaFree(output), "cudaFree");
    return copied == numbers ? 0 : 1;
}
