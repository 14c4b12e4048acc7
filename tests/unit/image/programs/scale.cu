// SPDX-License-Identifier: Apache-2.0
// What the tests of src/image/ expect of this file: names, 1,024 bytes of shared memory, parameters
// of 8, 8 and 4 bytes and a block limit for one kernel; a stack frame for the other.
__device__ int bias = 7;
__constant__ float offsets[4];

__global__ void __launch_bounds__(256) scale(const float* in, float* out, int count) {
    __shared__ float tile[256];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) tile[threadIdx.x] = in[i];
    __syncthreads();
    if (i < count) out[i] = tile[threadIdx.x ^ 1] * 2.0f + offsets[i & 3];
}

/// An array of 64 ints indexed by data and written in a loop that is not unrolled lies in local
/// memory.
__global__ void look_up(const int* in, int* out, int count) {
    int values[64];
#pragma unroll 1
    for (int i = 0; i < 64; ++i) values[i] = in[i] + bias;
#pragma unroll 1
    for (int i = 0; i < count; ++i) values[in[i] & 63] += values[in[i + 1] & 63];
    out[threadIdx.x] = values[in[threadIdx.x] & 63];
}

int main() {
    scale<<<1, 256>>>(nullptr, nullptr, 0);
    look_up<<<1, 32>>>(nullptr, nullptr, 0);
    return 0;
}
