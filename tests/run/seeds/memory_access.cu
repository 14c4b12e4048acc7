// SPDX-License-Identifier: Apache-2.0
// An article on coalesced access to global memory profiles these four kernels with Nsight Compute,
// at these sizes.
#include <algorithm>
#include <vector>

#include "check.h"

__global__ void coalesced_access(float* input, float* output, int n) {
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    if (tid < n) output[tid] = input[tid] * 2.0f;
}

__global__ void uncoalesced_access(float* input, float* output, int n) {
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    if (tid < n) {
        int scattered_index = (tid * 32) % n;
        output[tid] = input[scattered_index] * 2.0f;
    }
}

__global__ void coalesced_matrix_access(float* matrix, int width, int height) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < height && col < width) {
        int idx = row * width + col;
        matrix[idx] = matrix[idx] * 2.0f + 1.0f;
    }
}

__global__ void uncoalesced_matrix_access(float* matrix, int width, int height) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < height && col < width) {
        int idx = col * height + row;
        matrix[idx] = matrix[idx] * 2.0f + 1.0f;
    }
}

static void vectors() {
    const int n = 262144 * 256;
    float *input, *output;
    CHECK_CUDA(cudaMallocManaged(&input, n * sizeof(float)));
    CHECK_CUDA(cudaMallocManaged(&output, n * sizeof(float)));
    for (int i = 0; i < n; ++i) input[i] = static_cast<float>(i % 4096);
    coalesced_access<<<262144, 256>>>(input, output, n);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < n; ++i) CHECK(output[i] == 2 * input[i]);
    uncoalesced_access<<<262144, 256>>>(input, output, n);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < n; ++i) CHECK(output[i] == 2 * input[i * 32ll % n]);
    CHECK_CUDA(cudaFree(input));
    CHECK_CUDA(cudaFree(output));
}

static void matrices() {
    const int side = 512 * 32;
    const std::size_t elements = std::size_t{side} * side;
    float* matrix;
    CHECK_CUDA(cudaMallocManaged(&matrix, elements * sizeof(float)));
    const dim3 grid(512, 512), block(32, 32);
    coalesced_matrix_access<<<grid, block>>>(matrix, side, side);
    uncoalesced_matrix_access<<<grid, block>>>(matrix, side, side);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK(std::all_of(matrix, matrix + elements, [](float value) { return value == 3; }));
    CHECK_CUDA(cudaFree(matrix));
}

int main() {
    vectors();
    matrices();
    std::puts("ok");
}
