// SPDX-License-Identifier: Apache-2.0
// Inline assembly, clocks and timers, asynchronous copies to shared memory in a pipeline of stages.
#include <cuda_pipeline.h>

#include "check.h"

__global__ void assembly(const unsigned* in, unsigned* out) {
    const unsigned v = in[threadIdx.x];
    unsigned* own = out + threadIdx.x * 8;
    unsigned lane, mask, r;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
    own[0] = lane, own[1] = mask;
    asm("bfe.u32 %0, %1, 5, 9;" : "=r"(r) : "r"(v));
    own[2] = r;
    asm("lop3.b32 %0, %1, %2, %3, 0xE8;" : "=r"(r) : "r"(v), "r"(v << 3), "r"(v >> 7));
    own[3] = r;
    asm("{ .reg .pred p; setp.gt.u32 p, %1, 1000; @p add.u32 %0, %1, 1; @!p sub.u32 %0, %1, 1; }"
        : "=r"(r)
        : "r"(v));
    own[4] = r;
    unsigned long long wide;
    asm("{ .reg .u32 lo, hi; mul.lo.u32 lo, %1, %1; mul.hi.u32 hi, %1, %1; mov.b64 %0, {lo, hi}; }"
        : "=l"(wide)
        : "r"(v));
    own[5] = static_cast<unsigned>(wide >> 20);
    asm volatile("ld.global.cg.u32 %0, [%1];"
                 : "=r"(r)
                 : "l"(in + (threadIdx.x + 1) % 64)
                 : "memory");
    own[6] = r;
    asm("add.cc.u32 %0, %1, %2; addc.u32 %0, %3, 0;" : "=&r"(r) : "r"(v), "r"(0xfffff000u), "r"(7));
    own[7] = r;
    asm volatile("prefetch.global.L2 [%0];" ::"l"(in));
}

__global__ void time_passes(long long* out) {
    const long long start = clock64();
    const unsigned short_start = clock();
    unsigned long long nanoseconds, later;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
    while (clock64() - start < 1000) {
    }
    do {
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(later));
    } while (later - nanoseconds < 1000);
    out[threadIdx.x] = clock64() - start;
    out[threadIdx.x + 32] = clock() - short_start;
}

/// Sums columns through a pipeline of three stages.
__global__ void pipelined(const float4* in, float4* out, int rows) {
    __shared__ float4 stages[3][64];
    const int t = threadIdx.x;
    for (int r = 0; r < 2; ++r) {
        __pipeline_memcpy_async(&stages[r][t], &in[r * 64 + t], 16);
        __pipeline_commit();
    }
    float4 sum = make_float4(0, 0, 0, 0);
    for (int r = 0; r < rows; ++r) {
        if (r + 2 < rows)
            __pipeline_memcpy_async(&stages[(r + 2) % 3][t], &in[(r + 2) * 64 + t], 16);
        __pipeline_commit();
        __pipeline_wait_prior(2);
        __syncthreads();
        const float4 v = stages[r % 3][63 - t];
        sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
        __syncthreads();
    }
    out[t] = sum;
}

__global__ void copy_with_zero_fill(const int* in, int* out, int n) {
    __shared__ alignas(16) int tile[256];
    const int t = threadIdx.x;
    const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(&tile[t * 4]));
    const int bytes = max(0, min(16, (n - t * 4) * 4));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to),
                 "l"(in + (bytes > 0 ? t * 4 : 0)), "r"(bytes)
                 : "memory");
    asm volatile("cp.async.commit_group; cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    for (int i = t; i < 256; i += 64) out[i] = tile[i];
}

int main() {
    std::vector<unsigned> in(64);
    for (int i = 0; i < 64; ++i) in[i] = i * 2654435761u >> (i % 20);
    DeviceArray<unsigned> din(in), dout(64 * 8);
    assembly<<<1, 64>>>(din, dout);
    CHECK_LAUNCH();
    const auto out = dout.host();
    for (int i = 0; i < 64; ++i) {
        const unsigned v = in[i], a = v, b = v << 3, c = v >> 7, *own = out.data() + i * 8;
        CHECK_AT(i, own[0] == unsigned(i % 32) && own[1] == (1u << i % 32) - 1 &&
                        own[2] == (v >> 5 & 511));
        CHECK_AT(i,
                 own[3] == ((a & b) | (a & c) | (b & c)) && own[4] == (v > 1000 ? v + 1 : v - 1));
        CHECK_AT(i, own[5] == static_cast<unsigned>(static_cast<unsigned long long>(v) * v >> 20));
        CHECK_AT(i, own[6] == in[(i + 1) % 64] && own[7] == 7u + (v >= 0x1000u));
    }
    DeviceArray<long long> times(64);
    time_passes<<<1, 32>>>(times);
    CHECK_LAUNCH();
    for (const long long t : times.host()) CHECK(t >= 1000);

    const int rows = 9;
    std::vector<float4> columns(rows * 64);
    for (int i = 0; i < rows * 64; ++i) columns[i] = make_float4(i, i + 1, i * 2, i % 7);
    DeviceArray<float4> dcolumns(columns), sums(64);
    pipelined<<<1, 64>>>(dcolumns, sums, rows);
    CHECK_LAUNCH();
    for (int t = 0; t < 64; ++t) {
        float4 sum = make_float4(0, 0, 0, 0);
        for (int r = 0; r < rows; ++r) {
            const float4 v = columns[r * 64 + 63 - t];
            sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
        }
        const float4 got = sums.host()[t];
        CHECK_AT(t, got.x == sum.x && got.y == sum.y && got.z == sum.z && got.w == sum.w);
    }
    std::vector<int> few(101);
    for (int i = 0; i < 101; ++i) few[i] = i + 1;
    DeviceArray<int> dfew(few), filled(256);
    copy_with_zero_fill<<<1, 64>>>(dfew, filled, 101);
    CHECK_LAUNCH();
    for (int i = 0; i < 256; ++i) CHECK_AT(i, filled.host()[i] == (i < 101 ? i + 1 : 0));
}
