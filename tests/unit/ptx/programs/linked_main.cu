// SPDX-License-Identifier: Apache-2.0
// The half of a program that uses what linked_part.cu defines.
#include <cstdio>

extern __device__ int shared_counter;
extern __constant__ float shared_table[4];
__device__ int triple(int value);

namespace {
__device__ int private_value = 1;
}

__global__ void first(int* out) {
    out[0] = triple(out[1]) + shared_counter + private_value++ + static_cast<int>(shared_table[1]);
    printf("%d\n", out[0]);
}

int main() { first<<<1, 1>>>(nullptr); }
