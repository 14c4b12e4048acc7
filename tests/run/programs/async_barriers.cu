// SPDX-License-Identifier: Apache-2.0
// libcu++'s barriers, pipelines and asynchronous copies, as a program uses them.
#include <cooperative_groups.h>

#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/std/utility>

#include "check.h"

// Barriers in shared memory are initialised by init(), not by their constructors.
#pragma nv_diag_suppress static_var_with_dynamic_init

namespace cg = cooperative_groups;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

constexpr int kThreads = 128;

/// Threads hand values around a ring; a token is waited for long after its arrival.
__global__ void ring(const int* in, int* out, int rounds) {
    __shared__ int slots[2][kThreads];
    __shared__ Barrier barrier;
    const int t = threadIdx.x;
    if (t == 0) init(&barrier, kThreads);
    __syncthreads();
    int value = in[t];
    for (int r = 0; r < rounds; ++r) {
        slots[r % 2][t] = value;
        Barrier::arrival_token token = barrier.arrive();
        const int own = value * 3;
        barrier.wait(cuda::std::move(token));
        value = own + slots[r % 2][(t + 37) % kThreads];
    }
    out[t] = value;
}

/// Warps leave one after the other; the rest go on without them.
__global__ void leave_in_turn(int* out) {
    __shared__ Barrier barrier;
    __shared__ int left;
    const int t = threadIdx.x, warp = t / 32;
    if (t == 0) {
        init(&barrier, kThreads);
        left = 0;
    }
    __syncthreads();
    for (int r = 0; r < warp; ++r) {
        barrier.arrive_and_wait();
        const int seen = *static_cast<volatile int*>(&left);
        if (seen < r * 32) out[t] = -1;
    }
    atomicAdd(&left, 1);
    if (out[t] != -1) out[t] = warp + 1;
    barrier.arrive_and_drop();
}

/// Two barriers between warps that fill a buffer and warps that empty it.
__global__ void produce_and_consume(const int* in, int* out, int rounds) {
    __shared__ int buffer[2][64];
    __shared__ Barrier filled[2], emptied[2];
    const int t = threadIdx.x;
    if (t < 2) {
        init(&filled[t], kThreads);
        init(&emptied[t], kThreads);
    }
    __syncthreads();
    if (t < 64) {
        for (int r = 0; r < rounds; ++r) {
            emptied[r % 2].arrive_and_wait();
            buffer[r % 2][t] = in[r * 64 + t];
            static_cast<void>(filled[r % 2].arrive());
        }
    } else {
        static_cast<void>(emptied[0].arrive());
        static_cast<void>(emptied[1].arrive());
        int sum = 0;
        for (int r = 0; r < rounds; ++r) {
            filled[r % 2].arrive_and_wait();
            sum += buffer[r % 2][127 - t] * (r + 1);
            if (r + 2 < rounds) static_cast<void>(emptied[r % 2].arrive());
        }
        out[t - 64] = sum;
    }
}

/// A block's asynchronous copies complete on its barrier: of any size and alignment.
template <class T>
__global__ void copy_with_barrier(const T* in, T* out, int count, int offset) {
    __shared__ alignas(16) T tile[1024];
    __shared__ Barrier barrier;
    const auto block = cg::this_thread_block();
    if (block.thread_rank() == 0) init(&barrier, block.size());
    block.sync();
    if (offset % 16 == 0) {
        cuda::memcpy_async(block, tile, in + offset,
                           cuda::aligned_size_t<16>(count * sizeof(T) / 16 * 16), barrier);
        cuda::memcpy_async(block, tile + count * sizeof(T) / 16 * 16 / sizeof(T),
                           in + offset + count * sizeof(T) / 16 * 16 / sizeof(T),
                           count * sizeof(T) % 16, barrier);
    } else {
        cuda::memcpy_async(block, tile, in + offset, count * sizeof(T), barrier);
    }
    barrier.arrive_and_wait();
    for (int i = block.thread_rank(); i < count; i += block.size()) out[i] = tile[count - 1 - i];
}

/// One thread's bulk copy and the transaction that it is counted by (sm_90 on).
__global__ void copy_by_transaction(const int* in, int* out, int pieces) {
#if __CUDA_ARCH__ >= 900
    __shared__ alignas(16) int tile[2][256];
    __shared__ Barrier barriers[2];
    const int t = threadIdx.x;
    if (t == 0) {
        init(&barriers[0], kThreads);
        init(&barriers[1], kThreads);
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncthreads();
    for (int p = 0; p < pieces; ++p) {
        Barrier& barrier = barriers[p % 2];
        Barrier::arrival_token token;
        if (t == 0) {
            cuda::device::memcpy_async_tx(tile[p % 2], in + p * 256,
                                          cuda::aligned_size_t<16>(sizeof tile[0]), barrier);
            token = cuda::device::barrier_arrive_tx(barrier, 1, sizeof tile[0]);
        } else {
            token = barrier.arrive();
        }
        barrier.wait(cuda::std::move(token));
        out[p * 256 + t] = tile[p % 2][255 - t];
        out[p * 256 + 128 + t] = tile[p % 2][127 - t];
        __syncthreads();
    }
#endif
}

/// A pipeline of the block's, of three stages; all threads copy and all compute.
__global__ void pipeline_of_all(const float* in, float* out, int rows) {
    constexpr int kStages = 3;
    __shared__ alignas(16) float stages[kStages][kThreads];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> state;
    const auto block = cg::this_thread_block();
    auto pipeline = cuda::make_pipeline(block, &state);
    const int t = threadIdx.x;
    float sum = 0;
    for (int fetched = 0, r = 0; r < rows; ++r) {
        for (; fetched < rows && fetched < r + kStages; ++fetched) {
            pipeline.producer_acquire();
            cuda::memcpy_async(block, stages[fetched % kStages], in + fetched * kThreads,
                               cuda::aligned_size_t<16>(sizeof stages[0]), pipeline);
            pipeline.producer_commit();
        }
        pipeline.consumer_wait();
        sum += stages[r % kStages][kThreads - 1 - t] * static_cast<float>(r + 1);
        pipeline.consumer_release();
    }
    out[t] = sum;
}

/// A pipeline whose first warp produces and whose other warps consume.
__global__ void pipeline_of_roles(const int* in, int* out, int rows) {
    constexpr int kStages = 2, kProducers = 32;
    __shared__ int stages[kStages][96];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> state;
    const auto block = cg::this_thread_block();
    auto pipeline = cuda::make_pipeline(block, &state, kProducers);
    const int t = threadIdx.x;
    if (t < kProducers) {
        for (int r = 0; r < rows; ++r) {
            pipeline.producer_acquire();
            for (int i = t; i < 96; i += kProducers) {
                cuda::memcpy_async(&stages[r % kStages][i], in + r * 96 + i, sizeof(int), pipeline);
            }
            pipeline.producer_commit();
        }
    } else {
        int sum = 0;
        for (int r = 0; r < rows; ++r) {
            pipeline.consumer_wait();
            sum = sum * 5 + stages[r % kStages][127 - t];
            pipeline.consumer_release();
        }
        out[t - kProducers] = sum;
    }
}

static std::vector<int> numbers(int count, unsigned seed) {
    Random random(seed);
    std::vector<int> values(count);
    for (int& value : values) value = static_cast<int>(random.below(1000));
    return values;
}

static void check_ring() {
    constexpr int kRounds = 9;
    std::vector<int> values = numbers(kThreads, 1);
    DeviceArray<int> in(values), out(kThreads);
    ring<<<1, kThreads>>>(in, out, kRounds);
    CHECK_LAUNCH();
    for (int r = 0; r < kRounds; ++r) {
        const std::vector<int> before = values;
        for (int t = 0; t < kThreads; ++t) {
            values[t] = static_cast<int>(static_cast<unsigned>(before[t]) * 3 +
                                         static_cast<unsigned>(before[(t + 37) % kThreads]));
        }
    }
    const auto got = out.host();
    for (int t = 0; t < kThreads; ++t) CHECK_AT(t, got[t] == values[t]);
}

static void check_leaving() {
    DeviceArray<int> out(kThreads);
    leave_in_turn<<<1, kThreads>>>(out);
    CHECK_LAUNCH();
    const auto got = out.host();
    for (int t = 0; t < kThreads; ++t) CHECK_AT(t, got[t] == t / 32 + 1);
}

static void check_producers() {
    constexpr int kRounds = 11;
    const std::vector<int> values = numbers(kRounds * 64, 2);
    DeviceArray<int> in(values), out(64);
    produce_and_consume<<<1, kThreads>>>(in, out, kRounds);
    CHECK_LAUNCH();
    const auto got = out.host();
    for (int t = 0; t < 64; ++t) {
        int sum = 0;
        for (int r = 0; r < kRounds; ++r) sum += values[r * 64 + 63 - t] * (r + 1);
        CHECK_AT(t, got[t] == sum);
    }
}

template <class T>
static void check_copies() {
    std::vector<T> values(2048);
    Random random(3);
    for (T& value : values) value = static_cast<T>(random.next());
    DeviceArray<T> in(values), out(1024);
    for (const int offset : {0, 1, 3, 16}) {
        for (const int count : {1, 7, 16, 128, 1000, 1024}) {
            copy_with_barrier<T><<<1, kThreads>>>(in, out, count, offset);
            CHECK_LAUNCH();
            const auto got = out.host();
            for (int i = 0; i < count; ++i) {
                CHECK_AT(i, got[i] == values[offset + count - 1 - i]);
            }
        }
    }
}

static void check_transactions() {
    int major = 0;
    CUDA(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    if (major < 9) return;
    constexpr int kPieces = 5;
    const std::vector<int> values = numbers(kPieces * 256, 4);
    DeviceArray<int> in(values), out(kPieces * 256);
    copy_by_transaction<<<1, kThreads>>>(in, out, kPieces);
    CHECK_LAUNCH();
    const auto got = out.host();
    for (int i = 0; i < kPieces * 256; ++i) {
        CHECK_AT(i, got[i] == values[i / 256 * 256 + 255 - i % 256]);
    }
}

static void check_pipelines() {
    constexpr int kRows = 13;
    Random random(5);
    std::vector<float> values(kRows * kThreads);
    for (float& value : values) value = static_cast<float>(random.below(100));
    DeviceArray<float> in(values), out(kThreads);
    pipeline_of_all<<<1, kThreads>>>(in, out, kRows);
    CHECK_LAUNCH();
    const auto got = out.host();
    for (int t = 0; t < kThreads; ++t) {
        float sum = 0;
        for (int r = 0; r < kRows; ++r) {
            sum += values[r * kThreads + kThreads - 1 - t] * static_cast<float>(r + 1);
        }
        CHECK_AT(t, got[t] == sum);
    }

    const std::vector<int> rows = numbers(kRows * 96, 6);
    DeviceArray<int> rows_in(rows), rows_out(96);
    pipeline_of_roles<<<1, kThreads>>>(rows_in, rows_out, kRows);
    CHECK_LAUNCH();
    const auto sums = rows_out.host();
    for (int t = 0; t < 96; ++t) {
        unsigned sum = 0;
        for (int r = 0; r < kRows; ++r) sum = sum * 5 + rows[r * 96 + 95 - t];
        CHECK_AT(t, static_cast<unsigned>(sums[t]) == sum);
    }
}

int main() {
    check_ring();
    check_leaving();
    check_producers();
    check_copies<unsigned char>();
    check_copies<int>();
    check_copies<double>();
    check_transactions();
    check_pipelines();
    std::puts("ok");
}
