// SPDX-License-Identifier: Apache-2.0
// Launches a kernel from a kernel (dynamic parallelism), in one of two kernels.
#include <cstdio>

__global__ void fill(int* out) { out[threadIdx.x] = 1; }

__global__ void fill_from_here(int* out) { fill<<<1, 32>>>(out); }

int main() {
    int* out = nullptr;
    cudaMalloc(&out, 32 * sizeof(int));
    fill<<<1, 32>>>(out);
    std::printf("fill: %s\n", cudaGetErrorName(cudaGetLastError()));
    fill_from_here<<<1, 1>>>(out);
    std::printf("fill_from_here: %s\n", cudaGetErrorName(cudaGetLastError()));
    const cudaError_t error = cudaDeviceSynchronize();
    std::printf("synchronise: %s\n", cudaGetErrorName(error));
    return error == cudaSuccess ? 0 : 1;
}
