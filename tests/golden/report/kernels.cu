// SPDX-License-Identifier: Apache-2.0
// What the profiles beside it say they ran; only its lines are shown.
__device__ float load(const float* p, int i) {
    return p[i];
}

__global__ void coalesced(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * 2.0f;
}

__global__ void strided(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i * 32 % n] * 2.0f;
}

template <class T, int Rows>
__global__ void transpose(const T* in, T* out, int width) {
    __shared__ T tile[32][32];
    int x = blockIdx.x * 32 + threadIdx.x;
#pragma unroll
    for (int row = threadIdx.y; row < 32; row += Rows)
        tile[row][threadIdx.x] = in[(blockIdx.y * 32 + row) * width + x];
    __syncthreads();
#pragma unroll
    for (int row = threadIdx.y; row < 32; row += Rows)
        out[(blockIdx.x * 32 + row) * width + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][row];  // 按列读取共享内存,因此发生存储体冲突
}

__global__ void histogram(const int* keys, int* bins, const int* order, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[keys[order[i]] & 7], 1);
}

__global__ void shifted(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n - 1) out[i] = load(in, i) + load(in, i + 1);
}
