// SPDX-License-Identifier: Apache-2.0
// Bulk copies and reductions in every direction and size, with the instructions that go with them:
// proxy fences, elections, cache policies, dependent launches.
#include <cuda/ptx>

#include "check.h"

namespace ptx = cuda::ptx;

constexpr int kWords = 1024;
constexpr int kGuard = 64;
constexpr unsigned kPoison = 0xdeadbeef;

__device__ std::uint32_t shared_address(const void* pointer) {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

/// To shared memory and back, both ends anywhere that 16 bytes allow.
__global__ void there_and_back(const unsigned* in, unsigned* out, int from, int within, int to,
                               int words) {
    __shared__ alignas(16) unsigned tile[kWords + kGuard];
    __shared__ std::uint64_t barrier;
    for (int i = threadIdx.x; i < kWords + kGuard; i += blockDim.x) tile[i] = kPoison;
    const std::uint32_t bytes = words * sizeof(unsigned);
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&barrier, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile + within, in + from, bytes,
                           &barrier);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
                                       &barrier, bytes);
    }
    while (!ptx::mbarrier_try_wait_parity(&barrier, 0, 1000u)) {
    }
    for (int i = threadIdx.x; i < kWords + kGuard; i += blockDim.x) {
        const bool inside = i >= within && i < within + words;
        if (inside != (tile[i] != kPoison)) out[0] = i;
        tile[i] += 1;
    }
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + to, tile + within, bytes);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}

/// Each lane copies a row of its own length; all rows complete on one barrier.
__global__ void copy_by_lanes(const unsigned* in, unsigned* out) {
    __shared__ alignas(16) unsigned rows[32][32];
    __shared__ std::uint64_t barrier;
    const unsigned lane = threadIdx.x, words = lane / 4 * 4;
    if (lane == 0) ptx::mbarrier_init(&barrier, 32);
    __syncwarp();
    asm volatile(
        "{ .reg .b64 %%policy;\n"
        "createpolicy.fractional.L2::evict_first.b64 %%policy, 1.0;\n"
        "cp.async.bulk.prefetch.L2.global.L2::cache_hint [%1], %2, %%policy;\n"
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
        "[%0], [%1], %2, [%3], %%policy; }" ::"r"(shared_address(rows[lane])),
        "l"(in + lane * 32), "r"(words * 4), "r"(shared_address(&barrier))
        : "memory");
    const std::uint64_t state = ptx::mbarrier_arrive_expect_tx(
        ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier, words * 4);
    while (!ptx::mbarrier_try_wait(&barrier, state)) {
    }
    const unsigned other = 31 - lane;
    for (unsigned i = 0; i < other / 4 * 4; ++i) out[other * 32 + i] = rows[other][i];
}

/// Every block adds its words to one array at once.
template <class T>
__global__ void add_in_bulk(T* out) {
    __shared__ alignas(16) T tile[96];
    for (int i = threadIdx.x; i < 96; i += blockDim.x) {
        tile[i] = static_cast<T>(i + blockIdx.x % 3);
    }
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, out, tile,
                                  static_cast<std::uint32_t>(sizeof tile));
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}

__global__ void largest_in_bulk(int* out, const int* in) {
    __shared__ alignas(16) int tile[32];
    tile[threadIdx.x] = in[blockIdx.x * 32 + threadIdx.x];
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    std::uint32_t elected = 0;
    asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p; }"
                 : "=r"(elected));
    if (elected == 1) {
        ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_max, out, tile,
                                  static_cast<std::uint32_t>(sizeof tile));
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}

/// A block alone is a cluster: its own shared memory, reached through the cluster's addresses.
__global__ void within_a_cluster_of_one(const int* in, int* out) {
    __shared__ alignas(16) int tile[2][64];
    __shared__ std::uint64_t barrier;
    const int t = threadIdx.x;
    tile[0][t] = in[t];
    if (t == 0) ptx::mbarrier_init(&barrier, 1);
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    std::uint32_t rank = 7, target = 0, remote_barrier = 0;
    asm volatile("mapa.shared::cluster.u32 %0, %1, 0;"
                 : "=r"(target)
                 : "r"(shared_address(tile[1])));
    asm volatile("mapa.shared::cluster.u32 %0, %1, 0;"
                 : "=r"(remote_barrier)
                 : "r"(shared_address(&barrier)));
    asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(rank) : "r"(target));
    if (t == 0) {
        asm volatile(
            "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], "
            "256, [%2];" ::"r"(target),
            "r"(shared_address(tile[0])), "r"(remote_barrier)
            : "memory");
        asm volatile(
            "mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%0], 256;" ::"r"(
                remote_barrier)
            : "memory");
    }
    while (!ptx::mbarrier_test_wait_parity(&barrier, 0)) {
    }
    out[t] = tile[1][63 - t] + static_cast<int>(rank);
}

/// Loads, stores and small asynchronous copies with policies; arrivals in a thread's stead.
__global__ void with_policies(const float* in, float* out, int valid) {
    __shared__ alignas(16) float tile[256];
    __shared__ std::uint64_t barrier;
    const int t = threadIdx.x;
    if (t == 0) ptx::mbarrier_init(&barrier, 64);
    __syncthreads();
    asm volatile("griddepcontrol.wait;" ::: "memory");
    std::uint64_t policy = 0, by_range = 0, converted = 0;
    asm volatile("createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %0, 0.5;"
                 : "=l"(policy));
    asm volatile(
        "createpolicy.range.global.L2::evict_last.L2::evict_first.b64 %0, [%1], 1024, 4096;"
        : "=l"(by_range)
        : "l"(in));
    asm volatile("createpolicy.cvt.L2.b64 %0, %1;" : "=l"(converted) : "l"(policy));
    const int bytes = min(16, max(0, (valid - t * 4) * 4));
    asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2, %3;" ::"r"(
                     shared_address(tile + t * 4)),
                 "l"(in + (bytes > 0 ? t * 4 : 0)), "r"(bytes), "l"(policy)
                 : "memory");
    asm volatile(
        "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(shared_address(&barrier))
        : "memory");
    while (!ptx::mbarrier_try_wait_parity(&barrier, 0)) {
    }
    float value = 0;
    asm volatile("ld.global.L1::no_allocate.L2::cache_hint.f32 %0, [%1], %2;"
                 : "=f"(value)
                 : "l"(in + t), "l"(by_range)
                 : "memory");
    asm volatile("st.global.L2::cache_hint.f32 [%0], %1, %2;" ::"l"(out + t),
                 "f"(value + tile[255 - t * 4]), "l"(converted)
                 : "memory");
    asm volatile("red.global.add.L2::cache_hint.f32 [%0], 1.0, %1;" ::"l"(out + t), "l"(policy)
                 : "memory");
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

static std::vector<unsigned> words(int count, unsigned seed) {
    Random random(seed);
    std::vector<unsigned> values(count);
    for (unsigned& value : values) value = random.next();
    return values;
}

static void check_there_and_back() {
    const auto values = words(kWords + kGuard, 1);
    DeviceArray<unsigned> in(values);
    for (const int length : {0, 4, 8, 36, 512, kWords}) {
        for (const int from : {0, 4, 12}) {
            const int within = from == 4 ? 0 : 8, to = from == 12 ? 4 : 16;
            DeviceArray<unsigned> out(std::vector<unsigned>(kWords + kGuard, kPoison));
            there_and_back<<<1, 64>>>(in, out, from, within, to, length);
            CHECK_LAUNCH();
            const auto got = out.host();
            for (int i = 0; i < kWords + kGuard; ++i) {
                const bool inside = i >= to && i < to + length;
                CHECK_AT(i, got[i] == (inside ? values[from + i - to] + 1 : kPoison));
            }
        }
    }
}

static void check_lanes() {
    const auto values = words(32 * 32, 2);
    DeviceArray<unsigned> in(values), out(32 * 32);
    copy_by_lanes<<<1, 32>>>(in, out);
    CHECK_LAUNCH();
    const auto got = out.host();
    for (int i = 0; i < 32 * 32; ++i) {
        CHECK_AT(i, got[i] == (i % 32 < i / 32 / 4 * 4 ? values[i] : 0));
    }
}

template <class T>
static void check_sums() {
    constexpr int kBlocks = 20;
    DeviceArray<T> out(96);
    add_in_bulk<T><<<kBlocks, 32>>>(out);
    CHECK_LAUNCH();
    const auto got = out.host();
    for (int i = 0; i < 96; ++i) {
        long sum = 0;
        for (int b = 0; b < kBlocks; ++b) sum += i + b % 3;
        CHECK_AT(i, got[i] == static_cast<T>(sum));
    }
}

static void check_largest() {
    Random random(3);
    std::vector<int> values(10 * 32), largest(32, -5000);
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<int>(random.below(10000)) - 6000;
        largest[i % 32] = std::max(largest[i % 32], values[i]);
    }
    DeviceArray<int> in(values), out(std::vector<int>(32, -5000));
    largest_in_bulk<<<10, 32>>>(out, in);
    CHECK_LAUNCH();
    const auto got = out.host();
    for (int i = 0; i < 32; ++i) CHECK_AT(i, got[i] == largest[i]);
}

static void check_cluster() {
    std::vector<int> values(64);
    for (int i = 0; i < 64; ++i) values[i] = i * i;
    DeviceArray<int> in(values), out(64);
    within_a_cluster_of_one<<<1, 64>>>(in, out);
    CHECK_LAUNCH();
    const auto got = out.host();
    for (int i = 0; i < 64; ++i) CHECK_AT(i, got[i] == values[63 - i]);
}

static void check_policies() {
    constexpr int kValid = 201;
    std::vector<float> values(256);
    for (int i = 0; i < 256; ++i) values[i] = static_cast<float>(i + 1);
    DeviceArray<float> in(values), out(64);
    with_policies<<<1, 64>>>(in, out, kValid);
    CHECK_LAUNCH();
    const auto got = out.host();
    for (int t = 0; t < 64; ++t) {
        const int other = 255 - t * 4;
        CHECK_AT(t, got[t] == values[t] + (other < kValid ? values[other] : 0) + 1);
    }
}

int main() {
    check_there_and_back();
    check_lanes();
    check_sums<std::uint32_t>();
    check_sums<std::uint64_t>();
    check_sums<float>();
    check_sums<double>();
    check_largest();
    check_cluster();
    check_policies();
    std::puts("ok");
}
