// SPDX-License-Identifier: Apache-2.0
// With linked_part.cu: a kernel whose device function lies in another translation unit (-rdc=true).
extern __device__ int triple(int value);

__global__ void apply(int* values) { values[threadIdx.x] = triple(values[threadIdx.x]); }

int main() {
    apply<<<1, 32>>>(nullptr);
    return 0;
}
