// SPDX-License-Identifier: Apache-2.0
// The lines that inspect_golden_test.cpp's accesses name.
__device__ float doubled(const float* values, int i) { return 2.0f * values[i]; }

__global__ void scale(const float* input, float* output, int n) {
    output[threadIdx.x] = doubled(input, threadIdx.x);
}
