// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/detail/stream_order.cuh>
#include <wideload/support/integer.cuh>
#include <wideload/thread/access.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// How a fill is cut: bytes before the first line boundary, whole 16-byte words, bytes after them.
struct FillPlan {
    char* destination;
    std::size_t head_bytes;
    std::size_t body_words;
    std::size_t tail_bytes;
    unsigned head_phase, tail_phase;  ///< the bytes of the pattern with which they begin
    unsigned body_blocks;             ///< the blocks before the one that fills head and tail
};

/// The words that the body repeats: word i of the body is `words[i % Words]`. One word for values
/// whose size divides 16, else as many as it takes until value and word end together.
template <int Words>
struct FillPattern {
    uint4 words[Words];
};

/// The number of 16-byte words after which a value of `size` bytes repeats.
WIDELOAD_HOST_DEVICE constexpr int fill_period(int size) {
    return size / greatest_common_divisor(size, kWideBytes);
}

/// Head and tail, byte by byte, by the one block that comes after the body's.
template <int Period>
WIDELOAD_DEVICE void fill_edges(const FillPlan& plan, const FillPattern<Period>& pattern) {
    constexpr unsigned kPeriodBytes = Period * kWideBytes;
    const char* bytes = reinterpret_cast<const char*>(&pattern);
    const unsigned head = static_cast<unsigned>(plan.head_bytes);
    const unsigned edges = head + static_cast<unsigned>(plan.tail_bytes);
    for (unsigned i = threadIdx.x; i < edges; i += blockDim.x) {
        const bool in_head = i < head;
        const unsigned phase = in_head ? plan.head_phase + i : plan.tail_phase + (i - head);
        plan.destination[in_head ? i : plan.body_words * kWideBytes + i] =
            bytes[phase % kPeriodBytes];
    }
}

/// A value whose size divides 16: every word of the body is the same.
template <int Words, class StorePolicy>
__global__ void fill_word_kernel(const __grid_constant__ FillPlan plan,
                                 const __grid_constant__ FillPattern<1> pattern) {
    enter_stream_order();
    if (blockIdx.x == plan.body_blocks) return fill_edges(plan, pattern);
    char* body = plan.destination + plan.head_bytes;
    const std::size_t first =
        static_cast<std::size_t>(blockIdx.x) * blockDim.x * Words + threadIdx.x;
#pragma unroll
    for (int i = 0; i < Words; ++i) {
        const std::size_t word = first + static_cast<std::size_t>(i) * blockDim.x;
        if (word < plan.body_words)
            access<StorePolicy>::template store<kWideBytes>(body + word * kWideBytes,
                                                            pattern.words[0]);
    }
}

/// A value whose pattern has few words, in blocks of a multiple of as many threads: each thread
/// stores one word over and over. It takes it from the parameters, where the lanes of a warp meet
/// as many addresses as the pattern has words.
template <int Period, int Words, int Threads, class StorePolicy>
__global__ void __launch_bounds__(Threads)
    fill_short_pattern_kernel(const __grid_constant__ FillPlan plan,
                              const __grid_constant__ FillPattern<Period> pattern) {
    enter_stream_order();
    static_assert(Threads % Period == 0, "a thread's words must all be the same");
    if (blockIdx.x == plan.body_blocks) return fill_edges(plan, pattern);
    const std::size_t first =
        static_cast<std::size_t>(blockIdx.x) * (Threads * Words) + threadIdx.x;
    if (first >= plan.body_words) return;
    const uint4 word = pattern.words[threadIdx.x % Period];
    char* target = plan.destination + plan.head_bytes + first * kWideBytes;
#pragma unroll
    for (int i = 0; i < Words; ++i) {
        if (i == 0 || first + i * Threads < plan.body_words)
            access<StorePolicy>::template store<kWideBytes>(target + i * Threads * kWideBytes,
                                                            word);
    }
}

/// Any other value: the period's words lie in shared memory. The eight lanes that shared memory
/// serves together read eight neighbouring words, hence without bank conflicts: the period is
/// continued by seven words, so that they never wrap.
template <int Period, int Words, class StorePolicy>
__global__ void fill_pattern_kernel(const __grid_constant__ FillPlan plan,
                                    const __grid_constant__ FillPattern<Period> pattern) {
    enter_stream_order();
    if (blockIdx.x == plan.body_blocks) return fill_edges(plan, pattern);
    constexpr int kLanesTogether = 8;
    __shared__ uint4 words[Period + kLanesTogether - 1];
    for (int i = threadIdx.x; i < Period + kLanesTogether - 1; i += blockDim.x)
        words[i] = pattern.words[i % Period];
    __syncthreads();
    char* body = plan.destination + plan.head_bytes;
    const std::size_t block_word = static_cast<std::size_t>(blockIdx.x) * blockDim.x * Words;
    const unsigned lane_together = threadIdx.x % kLanesTogether;
    const unsigned group_phase =
        static_cast<unsigned>(block_word % Period) + threadIdx.x - lane_together;
#pragma unroll
    for (int i = 0; i < Words; ++i) {
        const unsigned offset = static_cast<unsigned>(i) * blockDim.x;
        const std::size_t word = block_word + threadIdx.x + offset;
        if (word < plan.body_words) {
            access<StorePolicy>::template store<kWideBytes>(
                body + word * kWideBytes, words[(group_phase + offset) % Period + lane_together]);
        }
    }
}

}  // namespace wideload::WIDELOAD_DETAIL
