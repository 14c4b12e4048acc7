// SPDX-License-Identifier: Apache-2.0
// Histograms and other work for atomics of every type that programs use, in global and shared
// memory.
#include <cuda_fp16.h>

#include "check.h"

__global__ void histogram_global(const unsigned char* in, unsigned* bins, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&bins[in[i]], 1u);
    }
}

__global__ void histogram_shared(const unsigned char* in, unsigned* bins, int n) {
    __shared__ unsigned own[256];
    for (int b = threadIdx.x; b < 256; b += blockDim.x) own[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&own[in[i]], 1u);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x) {
        if (own[b] != 0) atomicAdd(&bins[b], own[b]);
    }
}

__device__ float atomic_max_float(float* address, float value) {
    int* bits = reinterpret_cast<int*>(address);
    int old = *bits, assumed;
    do {
        assumed = old;
        old = atomicCAS(bits, assumed, __float_as_int(fmaxf(value, __int_as_float(assumed))));
    } while (assumed != old);
    return __int_as_float(old);
}

__device__ double atomic_add_by_cas(double* address, double value) {
    auto* bits = reinterpret_cast<unsigned long long*>(address);
    unsigned long long old = *bits, assumed;
    do {
        assumed = old;
        old = atomicCAS(bits, assumed, __double_as_longlong(value + __longlong_as_double(assumed)));
    } while (assumed != old);
    return __longlong_as_double(old);
}

struct Results {
    int add_int, min_int, max_int, and_int, or_int, xor_int, exchanged;
    unsigned inc, dec, min_unsigned, max_unsigned, sub;
    unsigned long long add_long, max_long, min_long, or_long;
    float add_float, max_float;
    double add_double, cas_double;
    __half2 add_half2;
    __half add_half;
    unsigned short cas_short;
};

__global__ void every_atomic(Results* r) {
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&r->add_int, t - 100);
    atomicMin(&r->min_int, 500 - t);
    atomicMax(&r->max_int, t * 2);
    atomicAnd(&r->and_int, ~(1 << t % 7));
    atomicOr(&r->or_int, 1 << t % 11);
    atomicXor(&r->xor_int, t);
    atomicInc(&r->inc, 99);
    atomicDec(&r->dec, 99);
    atomicMin(&r->min_unsigned, 4000000000u - t);
    atomicMax(&r->max_unsigned, 4000000000u + t);
    atomicSub(&r->sub, 3u);
    atomicAdd(&r->add_long, 1ull << 33);
    atomicMax(&r->max_long, (1ull << 40) + t);
    atomicMin(&r->min_long, (1ull << 40) - t);
    atomicOr(&r->or_long, 1ull << t % 64);
    atomicAdd(&r->add_float, 0.5f);
    atomic_max_float(&r->max_float, t * 0.25f);
    atomicAdd(&r->add_double, 0.25);
    atomic_add_by_cas(&r->cas_double, 0.125);
    atomicAdd(&r->add_half2, __floats2half2_rn(1.0f, 2.0f));
    atomicAdd(&r->add_half, __float2half(1.0f));
    unsigned short old = r->cas_short, assumed;
    do {
        assumed = old;
        old = atomicCAS(&r->cas_short, assumed, static_cast<unsigned short>(assumed + 1));
    } while (old != assumed);
    if (t == 17) atomicExch(&r->exchanged, 1234);
}

__global__ void take_tickets(int* counter, int* owner, int n) {
    const int ticket = atomicAdd(counter, 1);
    if (ticket < n) atomicAdd(&owner[ticket], 1);
}

/// One atomic for all lanes of a warp that come along.
__device__ int aggregated_increment(int* counter) {
    const unsigned active = __activemask();
    const int leader = __ffs(active) - 1, lane = threadIdx.x % 32;
    int base = 0;
    if (lane == leader) base = atomicAdd(counter, __popc(active));
    base = __shfl_sync(active, base, leader);
    return base + __popc(active & ((1u << lane) - 1));
}

__global__ void filter(const int* in, int* out, int* count, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] % 3 == 0) out[aggregated_increment(count)] = in[i];
}

int main() {
    const int n = 20000;
    std::vector<unsigned char> bytes(n);
    std::vector<unsigned> expected(256);
    Random random(5);
    for (auto& b : bytes)
        ++expected[b = static_cast<unsigned char>(random.below(random.below(256) + 1))];
    DeviceArray<unsigned char> din(bytes);
    DeviceArray<unsigned> global(256), shared(256);
    histogram_global<<<9, 256>>>(din, global, n);
    histogram_shared<<<9, 256>>>(din, shared, n);
    CHECK_LAUNCH();
    CHECK(global.host() == expected);
    CHECK(shared.host() == expected);

    const int threads = 640;
    Results start{};
    start.min_int = 1 << 30, start.and_int = -1, start.min_unsigned = ~0u, start.min_long = ~0ull;
    start.dec = 5;
    start.max_float = -1;
    DeviceArray<Results> results(std::vector<Results>{start});
    every_atomic<<<5, 128>>>(results);
    CHECK_LAUNCH();
    const Results r = results.host()[0];
    CHECK(r.add_int == threads * (threads - 1) / 2 - 100 * threads);
    CHECK(r.min_int == 500 - (threads - 1) && r.max_int == 2 * (threads - 1));
    CHECK(r.and_int == ~0x7f && r.or_int == 0x7ff && r.xor_int == 0);
    CHECK(r.inc == threads % 100);
    CHECK(r.dec == (5 + 100 * 10 - threads) % 100);
    CHECK(r.min_unsigned == 4000000000u - (threads - 1) &&
          r.max_unsigned == 4000000000u + threads - 1);
    CHECK(r.sub == 0u - 3u * threads);
    CHECK(r.add_long == (static_cast<unsigned long long>(threads) << 33));
    CHECK(r.max_long == (1ull << 40) + threads - 1 && r.min_long == (1ull << 40) - threads + 1);
    CHECK(r.or_long == ~0ull);
    CHECK(r.add_float == 0.5f * threads && r.max_float == 0.25f * (threads - 1));
    CHECK(r.add_double == 0.25 * threads && r.cas_double == 0.125 * threads);
    CHECK(__low2float(r.add_half2) == threads && __high2float(r.add_half2) == 2 * threads);
    CHECK(__half2float(r.add_half) == threads);
    CHECK(r.cas_short == threads && r.exchanged == 1234);

    DeviceArray<int> counter(1), owner(1000);
    take_tickets<<<20, 128>>>(counter, owner, 1000);
    CHECK_LAUNCH();
    CHECK(counter.host()[0] == 2560);
    for (const int v : owner.host()) CHECK(v == 1);

    std::vector<int> values(3000);
    long long sum = 0;
    int kept = 0;
    for (int& v : values) {
        v = random.below(10000);
        if (v % 3 == 0) sum += v, ++kept;
    }
    DeviceArray<int> dvalues(values), filtered(3000), count(1);
    filter<<<24, 128>>>(dvalues, filtered, count, 3000);
    CHECK_LAUNCH();
    CHECK(count.host()[0] == kept);
    const auto got = filtered.host();
    for (int i = 0; i < kept; ++i) sum -= got[i];
    CHECK(sum == 0);
}
