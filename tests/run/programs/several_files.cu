// SPDX-License-Identifier: Apache-2.0
// Relocatable device code of two files: functions, variables and kernels of one used by the other.
#include "check.h"

extern __device__ int shared_counter;
extern __constant__ float factors[4];
__device__ int defined_in_main = 7;
__device__ int doubled(int v);
__device__ int recursive_sum(int n);
__global__ void kernel_of_part(int* out, int v);
void launch_same_name_of_part(int* out);

static __global__ void same_name(int* out) { out[threadIdx.x] = 1; }

__global__ void use(int* out) {
    const int t = threadIdx.x;
    out[t] = doubled(t) + recursive_sum(t % 10) * static_cast<int>(factors[t % 4]);
    if (t == 0) shared_counter += 1;
}

int main() {
    DeviceArray<int> out(64), one(32), two(32), sum(1);
    const float host[4] = {1, 2, 3, 4};
    CUDA(cudaMemcpyToSymbol(factors, host, sizeof host));
    use<<<1, 64>>>(out);
    CHECK_LAUNCH();
    for (int t = 0; t < 64; ++t) {
        const int n = t % 10;
        CHECK_AT(t, out.host()[t] == t * 2 + 7 + n * (n + 1) / 2 * (t % 4 + 1));
    }
    same_name<<<1, 32>>>(one);
    launch_same_name_of_part(two);
    kernel_of_part<<<1, 1>>>(sum, 5);
    CHECK_LAUNCH();
    CHECK(one.host()[9] == 1 && two.host()[9] == 2 && sum.host()[0] == 106);
}
