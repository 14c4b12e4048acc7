// SPDX-License-Identifier: Apache-2.0
// With linked_part.cu: two translation units that are linked on the device (-rdc=true).
#include <cstdio>

extern __device__ int shared_counter;
__device__ int twice(int value);

__global__ void kernel(int* out) {
    out[threadIdx.x] = twice(static_cast<int>(threadIdx.x));
    atomicAdd(&shared_counter, 1);
}

int read_counter();

int main() {
    int* out;
    cudaMallocManaged(&out, 64 * sizeof(int));
    kernel<<<1, 64>>>(out);
    const cudaError_t error = cudaDeviceSynchronize();
    for (int i = 0; i < 64; ++i) {
        if (out[i] != 2 * i) {
            std::printf("out[%d] = %d (%s)\n", i, out[i], cudaGetErrorString(error));
            return 1;
        }
    }
    if (read_counter() != 64) return 2;
    std::puts("passed");
}
