// SPDX-License-Identifier: Apache-2.0
// A course on global memory computes the degree of coalescing of these kernels by hand: 80 % where
// a warp begins one float past a sector, 12.5 % where it reads one float. Its two transposes
// coalesce either the read or the write.
#include <vector>

#include "check.h"

__global__ void add_offset(float* x, float* y, float* z) {
    int tid = blockIdx.x * blockDim.x + threadIdx.x + 1;
    z[tid] = x[tid] + y[tid];
}

__global__ void add_broadcast(float* x, float* y, float* z) {
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    z[tid] = x[0] + y[tid];
}

__global__ void transpose_write_coalesced(const double* A, double* B, const int N) {
    const int nx = blockIdx.x * blockDim.x + threadIdx.x;
    const int ny = blockIdx.y * blockDim.y + threadIdx.y;
    if (nx < N && ny < N) B[ny * N + nx] = A[nx * N + ny];
}

__global__ void transpose_read_coalesced(const double* A, double* B, const int N) {
    const int nx = blockIdx.x * blockDim.x + threadIdx.x;
    const int ny = blockIdx.y * blockDim.y + threadIdx.y;
    if (nx < N && ny < N) B[nx * N + ny] = A[ny * N + nx];
}

static void additions() {
    const int n = 128 * 32;
    float *x, *y, *z;
    for (float** array : {&x, &y, &z}) CHECK_CUDA(cudaMalloc(array, (n + 1) * sizeof(float)));
    std::vector<float> a(n + 1), b(n + 1), sum(n + 1);
    for (int i = 0; i <= n; ++i) a[i] = i + 7.0f, b[i] = 2.0f * i;
    CHECK_CUDA(cudaMemcpy(x, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice));
    CHECK_CUDA(cudaMemcpy(y, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice));
    add_offset<<<128, 32>>>(x, y, z);
    CHECK_CUDA(cudaMemcpy(sum.data(), z, sum.size() * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 1; i <= n; ++i) CHECK(sum[i] == a[i] + b[i]);
    add_broadcast<<<128, 32>>>(x, y, z);
    CHECK_CUDA(cudaMemcpy(sum.data(), z, n * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) CHECK(sum[i] == a[0] + b[i]);
}

template <class Kernel>
static void transpose(Kernel kernel, int N) {
    std::vector<double> a(N * N), b(N * N);
    for (int i = 0; i < N * N; ++i) a[i] = i;
    double *A, *B;
    CHECK_CUDA(cudaMalloc(&A, a.size() * sizeof(double)));
    CHECK_CUDA(cudaMalloc(&B, b.size() * sizeof(double)));
    CHECK_CUDA(cudaMemcpy(A, a.data(), a.size() * sizeof(double), cudaMemcpyHostToDevice));
    const int grid_size_x = (N % 32 == 0) ? (N / 32) : (N / 32 + 1);
    const dim3 block_size(32, 32), grid_size(grid_size_x, grid_size_x);
    kernel<<<grid_size, block_size>>>(A, B, N);
    CHECK_CUDA(cudaMemcpy(b.data(), B, b.size() * sizeof(double), cudaMemcpyDeviceToHost));
    for (int row = 0; row < N; ++row) {
        for (int column = 0; column < N; ++column)
            CHECK(b[column * N + row] == a[row * N + column]);
    }
}

int main() {
    additions();
    transpose(transpose_write_coalesced, 1024);
    transpose(transpose_read_coalesced, 1024);
    std::puts("ok");
}
