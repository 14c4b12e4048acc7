// SPDX-License-Identifier: Apache-2.0
// The half of a program that linked_main.cu uses.
__device__ int shared_counter = 2;
__constant__ float shared_table[4] = {1, 2, 3, 4};

namespace {
__device__ int private_value = 2;
}

__device__ int triple(int value) { return 3 * value + private_value++; }
__global__ void second(int* out) { out[0] = triple(out[1]) + private_value; }
