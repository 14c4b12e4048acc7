// SPDX-License-Identifier: Apache-2.0
// Kernels whose operations and distinct bytes are formulas of their sizes; bounds.py knows them.
#include <cstdio>
#include <cstdlib>

constexpr int kElements = 1 << 16, kMatrix = 128, kBins = 256;

__global__ void saxpy(float a, const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

__global__ void shifted(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i + 1] + 1.0f;
}

__global__ void every_other_sector(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 16) y[i] = x[i * 16];
}

__global__ void matmul(const float* a, const float* b, float* c, int n) {
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

template <int kDegree>
__global__ void polynomial(double x, double* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double value = y[i];
    for (int k = 0; k < kDegree; ++k) value = fma(value, x, 1.0);
    y[i] = value;
}

template <int kRounds>
__global__ void congruential(unsigned a, unsigned c, unsigned* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned value = y[i];
    for (int k = 0; k < kRounds; ++k) value = value * a + c;
    y[i] = value;
}

__global__ void histogram(const unsigned* x, unsigned* bins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[x[i] % kBins], 1u);
}

template <class T>
T* zeros(int n) {
    T* data = nullptr;
    if (cudaMalloc(&data, n * sizeof(T)) != cudaSuccess) std::exit(1);
    cudaMemset(data, 0, n * sizeof(T));
    return data;
}

int main() {
    const int n = kElements, blocks = n / 256;
    float *x = zeros<float>(n + 1), *y = zeros<float>(n), *c = zeros<float>(n);
    double* d = zeros<double>(n);
    unsigned *u = zeros<unsigned>(n), *bins = zeros<unsigned>(kBins);
    saxpy<<<blocks, 256>>>(2, x, y, n);
    shifted<<<blocks, 256>>>(x, y, n);
    every_other_sector<<<blocks, 256>>>(x, y, n);
    matmul<<<dim3(kMatrix / 32, kMatrix / 8), dim3(32, 8)>>>(x, y, c, kMatrix);
    polynomial<16><<<blocks, 256>>>(0.5, d, n);
    polynomial<1024><<<blocks, 256>>>(0.5, d, n);
    congruential<512><<<blocks, 256>>>(5, 7, u, n);
    histogram<<<blocks, 256>>>(u, bins, n);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    std::puts("ok");
}
