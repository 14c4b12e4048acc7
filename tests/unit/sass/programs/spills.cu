// SPDX-License-Identifier: Apache-2.0
// More values alive than 32 registers hold, and beside them an array that is indexed at run time:
// both lie in local memory.
__global__ void crowded(const float* input, float* output, int n) {
    float values[48];
#pragma unroll
    for (int i = 0; i < 48; ++i) values[i] = input[i * n + threadIdx.x];
    __syncthreads();
    float table[64];
    for (int i = 0; i < 64; ++i) table[(i * n) & 63] = output[i];
    for (int round = 0; round < n; ++round) {
#pragma unroll
        for (int i = 0; i < 48; ++i)
            values[i] = values[i] * values[(i + 7) % 48] + table[int(values[0]) & 63];
    }
#pragma unroll
    for (int i = 0; i < 48; ++i) output[i * n + threadIdx.x] = values[i];
}

__global__ void roomy(const float* input, float* output) {
    output[threadIdx.x] = input[threadIdx.x];
}
