// SPDX-License-Identifier: Apache-2.0
// Kernels of every kind that the engine's speed is measured on; run.py reads their times from the
// profile.
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void scale(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * 2;
}

__global__ void matmul(const float* a, const float* b, float* c, int n) {
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || column >= n) return;
    float sum = 0;
    for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

template <int kWidth>
__global__ void matmul_tiled(const float* a, const float* b, float* c, int n) {
    __shared__ float tile_a[kWidth][kWidth], tile_b[kWidth][kWidth];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * kWidth + y, column = blockIdx.x * kWidth + x;
    float sum = 0;
    for (int tile = 0; tile < n / kWidth; ++tile) {
        tile_a[y][x] = a[row * n + tile * kWidth + x];
        tile_b[y][x] = b[(tile * kWidth + y) * n + column];
        __syncthreads();
        for (int k = 0; k < kWidth; ++k) sum += tile_a[y][k] * tile_b[k][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

__global__ void transpose(const float* in, float* out, int n) {
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    out[y * n + x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void mandelbrot(int* out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float cx = -2 + 3.f * x / width, cy = -1.5f + 3.f * y / height, zx = 0, zy = 0;
    int k = 0;
    while (k < 256 && zx * zx + zy * zy < 4) {
        float next = zx * zx - zy * zy + cx;
        zy = 2 * zx * zy + cy;
        zx = next;
        k++;
    }
    out[y * width + x] = k;
}

__global__ void histogram(const unsigned char* in, int n, unsigned* bins) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&bins[in[i]], 1u);
    }
}

__global__ void reduce(const float* in, float* out, int n) {
    __shared__ float sums[256];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    sums[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half >>= 1) {
        if (t < half) sums[t] += sums[t + half];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = sums[0];
}

__global__ void scan(const float* in, float* out) {
    __shared__ float sums[2][256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t, from = 0;
    sums[0][t] = in[i];
    __syncthreads();
    for (int distance = 1; distance < 256; distance <<= 1) {
        float value = sums[from][t];
        if (t >= distance) value += sums[from][t - distance];
        from ^= 1;
        sums[from][t] = value;
        __syncthreads();
    }
    out[i] = sums[from][t];
}

__global__ void csr_matvec(const int* row, const int* column, const float* value, const float* x,
                           float* y, int rows) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float sum = 0;
    for (int k = row[r]; k < row[r + 1]; k++) sum += value[k] * x[column[k]];
    y[r] = sum;
}

__global__ void empty() {}

template <class T>
T* upload(const std::vector<T>& host) {
    T* device = nullptr;
    cudaMalloc(&device, host.size() * sizeof(T));
    cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice);
    return device;
}

int main() {
    const int n = 1 << 24, repeats = 5;
    std::vector<float> values(n);
    for (float& value : values) value = static_cast<float>(std::rand() % 1000) / 1000.f;
    float *a = upload(values), *b = upload(values), *c = upload(values);
    unsigned* bins = upload(std::vector<unsigned>(256));
    const int rows = 1 << 16;
    std::vector<int> row(rows + 1), column;
    for (int r = 0; r < rows; r++) {
        row[r] = static_cast<int>(column.size());
        for (int k = std::rand() % 32; k > 0; k--) column.push_back(std::rand() % rows);
    }
    row[rows] = static_cast<int>(column.size());
    int *rows_at = upload(row), *columns = upload(column);
    for (int repeat = 0; repeat < repeats; repeat++) {
        scale<<<n / 256, 256>>>(a, b, n);
        matmul<<<dim3(32, 32), dim3(16, 16)>>>(a, b, c, 512);
        matmul_tiled<16><<<dim3(32, 32), dim3(16, 16)>>>(a, b, c, 512);
        transpose<<<dim3(64, 64), dim3(32, 32)>>>(a, b, 2048);
        mandelbrot<<<dim3(64, 64), dim3(16, 16)>>>(reinterpret_cast<int*>(c), 1024, 1024);
        histogram<<<256, 256>>>(reinterpret_cast<unsigned char*>(a), 1 << 22, bins);
        reduce<<<n / 256, 256>>>(a, c, n);
        scan<<<4096, 256>>>(a, c);
        csr_matvec<<<rows / 128, 128>>>(rows_at, columns, a, b, c, rows);
        empty<<<1, 32>>>();
    }
    const cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess) std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
    return error != cudaSuccess;
}
