// SPDX-License-Identifier: Apache-2.0
// Two instructions of this kernel occur once; the test puts mistakes in their place.
#include <cstdio>

__global__ void mistaken(int* out) { out[threadIdx.x] = __brev(threadIdx.x) + __clz(threadIdx.x); }

__global__ void right(int* out) { out[threadIdx.x] = 1; }

int main() {
    int* out = nullptr;
    std::printf("allocate: %s\n", cudaGetErrorName(cudaMalloc(&out, 32 * sizeof(int))));
    mistaken<<<1, 32>>>(out);
    std::printf("mistaken: %s\n", cudaGetErrorName(cudaGetLastError()));
    right<<<1, 32>>>(out);
    std::printf("right: %s\n", cudaGetErrorName(cudaGetLastError()));
    std::printf("synchronise: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 1;
}
