// SPDX-License-Identifier: Apache-2.0
// One access of each width on a line of its own, and one that is inlined.
#line 4 "/example/copies.cu"
__device__ __forceinline__ float doubled(const float* values, int i) { return 2.0f * values[i]; }

template <class T>
__global__ void copy(const T* input, T* output) {
    output[threadIdx.x] = input[threadIdx.x];
}

template __global__ void copy(const char* input, char* output);
template __global__ void copy(const short* input, short* output);
template __global__ void copy(const float* input, float* output);
template __global__ void copy(const float2* input, float2* output);
template __global__ void copy(const float4* input, float4* output);

__global__ void scale(const float* input, float* output) {
    output[threadIdx.x] = doubled(input, threadIdx.x);
}

__global__ void rotate(float4* values) {
    __shared__ float4 tile[64];
    tile[threadIdx.x] = values[threadIdx.x];
    __syncthreads();
    values[threadIdx.x] = tile[(threadIdx.x + 1) % 64];
}
