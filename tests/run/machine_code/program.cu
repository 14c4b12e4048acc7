// SPDX-License-Identifier: Apache-2.0
// Accesses that machine code carries as PTX has them, and some that it does not: an unrolled loop
// of pieces that ptxas may put together, registers that it spills, and memory that it does without.
__global__ void copy(const float4* input, float4* output) {
    output[threadIdx.x] = input[threadIdx.x];
}

__global__ void __launch_bounds__(1024, 2) crowded(const float* input, float* output, int n) {
    float values[48];
#pragma unroll
    for (int i = 0; i < 48; ++i) values[i] = input[(i * n + threadIdx.x) % 1024];
    __syncthreads();
    for (int round = 0; round < n; ++round) {
#pragma unroll
        for (int i = 0; i < 48; ++i)
            values[i] = values[i] * values[(i + 7) % 48] + values[(i + 11) % 48];
    }
#pragma unroll
    for (int i = 0; i < 48; ++i) output[(i * n + threadIdx.x) % 1024] = values[i];
}

__global__ void forwarded(const int* input, int* output) {
    int value;
    asm volatile(
        "{\n\t.local .align 4 .b32 cell;\n\tst.local.u32 [cell], %1;\n\tld.local.u32 %0, "
        "[cell];\n\t}"
        : "=r"(value)
        : "r"(input[threadIdx.x]));
    output[threadIdx.x] = value;
}

int main() {
    float *input, *output;
    cudaMalloc(&input, 4096);
    cudaMalloc(&output, 4096);
    cudaMemset(input, 0, 4096);
    copy<<<1, 256>>>(reinterpret_cast<float4*>(input), reinterpret_cast<float4*>(output));
    crowded<<<1, 64>>>(input, output, 2);
    forwarded<<<1, 64>>>(reinterpret_cast<int*>(input), reinterpret_cast<int*>(output));
    return cudaDeviceSynchronize();
}
