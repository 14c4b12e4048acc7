// SPDX-License-Identifier: Apache-2.0
// The other half of several_files.cu: what it declares is defined here.
__device__ int shared_counter = 100;
__constant__ float factors[4];
extern __device__ int defined_in_main;

__device__ int doubled(int v) { return v * 2 + defined_in_main; }
__device__ int recursive_sum(int n) { return n <= 0 ? 0 : n + recursive_sum(n - 1); }

static __global__ void same_name(int* out) { out[threadIdx.x] = 2; }
void launch_same_name_of_part(int* out) { same_name<<<1, 32>>>(out); }

__global__ void kernel_of_part(int* out, int v) { atomicAdd(out, v + shared_counter); }
