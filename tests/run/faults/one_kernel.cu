// SPDX-License-Identifier: Apache-2.0
// A correct program, for images that a virtual GPU cannot use and for profiles that cannot be
// written.
#include <cstdio>

__global__ void fill(int* out) { out[threadIdx.x] = 7; }

int main() {
    int* out = nullptr;
    std::printf("allocate: %s\n", cudaGetErrorName(cudaMalloc(&out, 32 * sizeof(int))));
    fill<<<1, 32>>>(out);
    std::printf("fill: %s\n", cudaGetErrorName(cudaGetLastError()));
    const cudaError_t error = cudaDeviceSynchronize();
    std::printf("synchronise: %s\n", cudaGetErrorName(error));
    return 0;
}
