// SPDX-License-Identifier: Apache-2.0
// Uses an instruction that the engine does not run, in one of two kernels.
#include <cuda_fp16.h>
#include <mma.h>

#include <cstdio>

__global__ void multiply(const half* a, const half* b, float* c) {
    using namespace nvcuda;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> right;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    wmma::load_matrix_sync(left, a, 16);
    wmma::load_matrix_sync(right, b, 16);
    wmma::mma_sync(sum, left, right, sum);
    wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
}

__global__ void fill(half* out) { out[threadIdx.x] = half(1); }

int main() {
    half* a = nullptr;
    float* c = nullptr;
    cudaMalloc(&a, 256 * sizeof(half));
    cudaMalloc(&c, 256 * sizeof(float));
    fill<<<1, 256>>>(a);
    std::printf("fill: %s\n", cudaGetErrorName(cudaGetLastError()));
    multiply<<<1, 32>>>(a, a, c);
    std::printf("multiply: %s\n", cudaGetErrorName(cudaGetLastError()));
    const cudaError_t error = cudaDeviceSynchronize();
    std::printf("synchronise: %s\n", cudaGetErrorName(error));
    return error == cudaSuccess ? 0 : 1;
}
