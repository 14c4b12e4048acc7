// SPDX-License-Identifier: Apache-2.0
// Matrix products, naive and tiled, and transposes, over the shapes of blocks that programs use.
#include "check.h"

template <class T>
__global__ void naive(const T* a, const T* b, T* c, int m, int n, int k) {
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || column >= n) return;
    T sum = 0;
    for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
    c[row * n + column] = sum;
}

template <int kTile>
__global__ void tiled(const float* a, const float* b, float* c, int m, int n, int k) {
    __shared__ float as[kTile][kTile], bs[kTile][kTile];
    const int column = blockIdx.x * kTile + threadIdx.x, row = blockIdx.y * kTile + threadIdx.y;
    float sum = 0;
    for (int t = 0; t < k; t += kTile) {
        as[threadIdx.y][threadIdx.x] =
            row < m && t + threadIdx.x < k ? a[row * k + t + threadIdx.x] : 0;
        bs[threadIdx.y][threadIdx.x] =
            column < n && t + threadIdx.y < k ? b[(t + threadIdx.y) * n + column] : 0;
        __syncthreads();
        for (int i = 0; i < kTile; ++i) sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
        __syncthreads();
    }
    if (row < m && column < n) c[row * n + column] = sum;
}

/// Each thread computes 4x4 results.
__global__ void register_tiled(const float* a, const float* b, float* c, int n) {
    __shared__ float as[8][64], bs[8][64];
    const int tid = threadIdx.y * 16 + threadIdx.x;
    float sums[4][4] = {};
    for (int t = 0; t < n; t += 8) {
        for (int i = tid; i < 8 * 64; i += 256) {
            as[i % 8][i / 8] = a[(blockIdx.y * 64 + i / 8) * n + t + i % 8];
            bs[i / 64][i % 64] = b[(t + i / 64) * n + blockIdx.x * 64 + i % 64];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            for (int y = 0; y < 4; ++y) {
                for (int x = 0; x < 4; ++x) {
                    sums[y][x] += as[k][threadIdx.y * 4 + y] * bs[k][threadIdx.x * 4 + x];
                }
            }
        }
        __syncthreads();
    }
    for (int y = 0; y < 4; ++y) {
        for (int x = 0; x < 4; ++x) {
            c[(blockIdx.y * 64 + threadIdx.y * 4 + y) * n + blockIdx.x * 64 + threadIdx.x * 4 + x] =
                sums[y][x];
        }
    }
}

__global__ void transpose_naive(const int* in, int* out, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) out[x * height + y] = in[y * width + x];
}

template <int kTile, int kRows, int kPad>
__global__ void transpose_tiled(const int* in, int* out, int width, int height) {
    __shared__ int tile[kTile][kTile + kPad];
    int x = blockIdx.x * kTile + threadIdx.x;
    const int y = blockIdx.y * kTile + threadIdx.y;
    for (int j = 0; j < kTile; j += kRows) {
        if (x < width && y + j < height)
            tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
    }
    __syncthreads();
    x = blockIdx.y * kTile + threadIdx.x;
    const int row = blockIdx.x * kTile + threadIdx.y;
    for (int j = 0; j < kTile; j += kRows) {
        if (x < height && row + j < width)
            out[(row + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
    }
}

template <class T, class Launch>
void check_product(int m, int n, int k, Launch launch) {
    std::vector<T> a(m * k), b(k * n);
    Random random(7);
    for (T& v : a) v = T(random.below(16));
    for (T& v : b) v = T(random.below(16)) - T(8);
    DeviceArray<T> da(a), db(b), dc(m * n);
    launch(da, db, dc);
    CHECK_LAUNCH();
    const auto c = dc.host();
    for (int y = 0; y < m; ++y) {
        for (int x = 0; x < n; ++x) {
            T sum = 0;
            for (int i = 0; i < k; ++i) sum += a[y * k + i] * b[i * n + x];
            CHECK_AT(y * n + x, c[y * n + x] == sum);
        }
    }
}

template <class Launch>
void check_transpose(int width, int height, Launch launch) {
    std::vector<int> in(width * height);
    for (int i = 0; i < width * height; ++i) in[i] = i * 7;
    DeviceArray<int> din(in), dout(in.size());
    launch(din, dout);
    CHECK_LAUNCH();
    const auto out = dout.host();
    for (int i = 0; i < width * height; ++i)
        CHECK_AT(i, out[i % width * height + i / width] == in[i]);
}

int main() {
    const int m = 50, n = 61, k = 37;
    for (const dim3 block : {dim3(16, 16), dim3(8, 8), dim3(24, 24), dim3(32, 8), dim3(5, 7),
                             dim3(32, 32), dim3(2, 32), dim3(64, 2), dim3(1, 33)}) {
        const dim3 grid((n + block.x - 1) / block.x, (m + block.y - 1) / block.y);
        check_product<float>(m, n, k, [&](float* a, float* b, float* c) {
            naive<<<grid, block>>>(a, b, c, m, n, k);
        });
        check_product<double>(m, n, k, [&](double* a, double* b, double* c) {
            naive<<<grid, block>>>(a, b, c, m, n, k);
        });
        const dim3 wide((n + block.x - 1) / block.x, (m + block.y - 1) / block.y);
        check_transpose(
            n, m, [&](int* in, int* out) { transpose_naive<<<wide, block>>>(in, out, n, m); });
    }
    check_product<float>(m, n, k, [&](float* a, float* b, float* c) {
        tiled<16><<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(a, b, c, m, n, k);
    });
    check_product<float>(m, n, k, [&](float* a, float* b, float* c) {
        tiled<8><<<dim3((n + 7) / 8, (m + 7) / 8), dim3(8, 8)>>>(a, b, c, m, n, k);
    });
    check_product<float>(m, n, k, [&](float* a, float* b, float* c) {
        tiled<24><<<dim3((n + 23) / 24, (m + 23) / 24), dim3(24, 24)>>>(a, b, c, m, n, k);
    });
    check_product<float>(m, n, k, [&](float* a, float* b, float* c) {
        tiled<32><<<dim3((n + 31) / 32, (m + 31) / 32), dim3(32, 32)>>>(a, b, c, m, n, k);
    });
    check_product<float>(128, 128, 128, [&](float* a, float* b, float* c) {
        register_tiled<<<dim3(2, 2), dim3(16, 16)>>>(a, b, c, 128);
    });
    for (const int size : {64, 61, 33}) {
        const int height = size + 20, blocks_x = (size + 31) / 32, blocks_y = (height + 31) / 32;
        check_transpose(size, height, [&](int* in, int* out) {
            transpose_tiled<32, 8, 1>
                <<<dim3(blocks_x, blocks_y), dim3(32, 8)>>>(in, out, size, height);
        });
        check_transpose(size, height, [&](int* in, int* out) {
            transpose_tiled<32, 32, 0>
                <<<dim3(blocks_x, blocks_y), dim3(32, 32)>>>(in, out, size, height);
        });
        check_transpose(size, height, [&](int* in, int* out) {
            transpose_tiled<16, 4, 1><<<dim3((size + 15) / 16, (height + 15) / 16), dim3(16, 4)>>>(
                in, out, size, height);
        });
    }
}
