// SPDX-License-Identifier: Apache-2.0
// Element-wise kernels: vector add with a tail, saxpy in a grid-stride loop, a 3-D grid, blocks
// that fill no warp.
#include "check.h"

__global__ void add(const float* a, const float* b, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

__global__ void saxpy(int n, float alpha, const float* __restrict__ x, float* y) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        y[i] = alpha * x[i] + y[i];
    }
}

__global__ void number_3d(int* out, int nx, int ny, int nz) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= nx || y >= ny || z >= nz) return;
    out[(z * ny + y) * nx + x] = x + 1000 * y + 1000000 * z;
}

__global__ void scale_vectors(float4* v, int n, float s) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 value = v[i];
    value.x *= s, value.y *= s + 1, value.z *= s + 2, value.w *= s + 3;
    v[i] = value;
}

struct Point {
    float x, y, z;
    unsigned char tag;
};

__global__ void move_points(Point* points, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    points[i].x += 1;
    points[i].z = points[i].y * 2;
    points[i].tag = static_cast<unsigned char>(i);
}

int main() {
    for (const int n : {1, 31, 32, 33, 1000, 4097}) {
        std::vector<float> a(n), b(n);
        for (int i = 0; i < n; ++i) a[i] = i * 0.5f, b[i] = 3.0f * i;
        DeviceArray<float> da(a), db(b), dc(n);
        for (const int block : {32, 48, 100, 256, 1024}) {
            CUDA(cudaMemset(dc, 0, n * sizeof(float)));
            add<<<(n + block - 1) / block, block>>>(da, db, dc, n);
            CHECK_LAUNCH();
            const auto c = dc.host();
            for (int i = 0; i < n; ++i) CHECK_AT(i, c[i] == a[i] + b[i]);
        }
        saxpy<<<3, 64>>>(n, 2.0f, da, db);
        CHECK_LAUNCH();
        const auto y = db.host();
        for (int i = 0; i < n; ++i) CHECK_AT(i, y[i] == 2.0f * a[i] + b[i]);
    }
    for (const dim3 block :
         {dim3(5, 7, 3), dim3(8, 8, 8), dim3(16, 2, 2), dim3(1, 1, 64), dim3(3, 1, 1)}) {
        const int nx = 37, ny = 19, nz = 11;
        DeviceArray<int> out(nx * ny * nz);
        const dim3 grid((nx + block.x - 1) / block.x, (ny + block.y - 1) / block.y,
                        (nz + block.z - 1) / block.z);
        number_3d<<<grid, block>>>(out, nx, ny, nz);
        CHECK_LAUNCH();
        const auto values = out.host();
        for (int i = 0; i < nx * ny * nz; ++i) {
            CHECK_AT(i, values[i] == i % nx + 1000 * (i / nx % ny) + 1000000 * (i / nx / ny));
        }
    }
    const int n = 777;
    std::vector<float4> v(n);
    for (int i = 0; i < n; ++i) v[i] = make_float4(i, i + 1, i + 2, i + 3);
    DeviceArray<float4> dv(v);
    scale_vectors<<<13, 64>>>(dv, n, 2.0f);
    CHECK_LAUNCH();
    const auto w = dv.host();
    for (int i = 0; i < n; ++i) {
        CHECK_AT(i, w[i].x == v[i].x * 2 && w[i].y == v[i].y * 3 && w[i].z == v[i].z * 4 &&
                        w[i].w == v[i].w * 5);
    }
    std::vector<Point> points(n);
    for (int i = 0; i < n; ++i) points[i] = {float(i), float(i) + 0.5f, 0, 0};
    DeviceArray<Point> dp(points);
    move_points<<<7, 128>>>(dp, n);
    CHECK_LAUNCH();
    const auto moved = dp.host();
    for (int i = 0; i < n; ++i) {
        CHECK_AT(
            i, moved[i].x == i + 1.0f && moved[i].z == 2 * (i + 0.5f) && moved[i].tag == (i & 255));
    }
}
