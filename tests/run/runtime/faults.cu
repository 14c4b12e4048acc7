// SPDX-License-Identifier: Apache-2.0
// A kernel that goes wrong in the way that the argument names; prints what CUDA says of it, as a
// program would.
#include <cassert>
#include <cstdio>
#include <string>

__global__ void read_past_the_end(int* out, const int* in) {
    out[threadIdx.x] = in[threadIdx.x + 1000];
}
__global__ void misaligned(int2* out, const int* in) {
    out[threadIdx.x] = *reinterpret_cast<const int2*>(in + 1);
}
__global__ void fail_assertion(int* out) { assert(out == nullptr); }
__global__ void trap() { __trap(); }
__global__ void never_end(volatile int* flag) {
    while (*flag == 0) {
    }
}
/// Needs 90 registers at once: the first value that it uses is the last that it loads.
__global__ void hold_many(int* out, const volatile int* in) {
    int values[90], mixed = 0;
#pragma unroll
    for (int k = 0; k < 90; ++k) values[k] = in[k * 8];
#pragma unroll
    for (int k = 90; k-- > 0;) mixed = mixed * 31 + values[k];
    out[threadIdx.x % 1000] = mixed;
}
__global__ void add_one(int* out) { ++*out; }

int main(int, char** arguments) {
    const std::string what = arguments[1];
    int *a, *b;
    cudaMalloc(&a, 4000);
    cudaMalloc(&b, 4000);
    cudaMemset(a, 0, 4000);
    add_one<<<1, 1>>>(a);
    if (what == "read-past-the-end") read_past_the_end<<<1, 32>>>(a, b);
    if (what == "misaligned") misaligned<<<1, 32>>>(reinterpret_cast<int2*>(a), b);
    if (what == "assertion") fail_assertion<<<1, 32>>>(a);
    if (what == "trap") trap<<<1, 32>>>();
    if (what == "never-end") never_end<<<1, 32>>>(b);
    if (what == "freed") {
        cudaFree(b);
        add_one<<<1, 1>>>(b);
    }
    if (what == "too-many-threads") add_one<<<1, 2000>>>(a);
    if (what == "no-threads") add_one<<<1, 0>>>(a);
    if (what == "too-many-registers") hold_many<<<1, 1024>>>(b, b);
    if (what == "too-many-blocks") add_one<<<dim3(1, 70000), 1>>>(a);
    if (what == "too-much-shared-memory") add_one<<<1, 1, 300 << 10>>>(a);
    const cudaError_t launched = cudaGetLastError();
    const cudaError_t synchronised = cudaDeviceSynchronize();
    int value = -1;
    const cudaError_t copied = cudaMemcpy(&value, a, sizeof value, cudaMemcpyDeviceToHost);
    std::printf("%s %s %s %d\n", cudaGetErrorName(launched), cudaGetErrorName(synchronised),
                cudaGetErrorName(copied), value);
    return synchronised == cudaSuccess ? 0 : 1;
}
