// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/thread/access.cuh>
#include <wideload/warp/shifted_load.cuh>

namespace wideload::detail {

/// How a copy is cut: bytes before the first line boundary of the destination, whole 16-byte words, bytes after them.
struct CopyPlan {
    const char* source;
    char* destination;
    std::size_t head_bytes;
    std::size_t body_words;
    std::size_t tail_bytes;
    unsigned shift_bytes;  ///< of the source's body from a multiple of 16; 0: both ends are aligned alike
    unsigned body_blocks;  ///< the blocks before the one that copies head and tail
};

/// Head and tail, byte by byte: under a kilobyte, by the one block that comes after the body's.
WIDELOAD_DEVICE void copy_edges(const CopyPlan& plan) {
    const std::size_t tail_begin = plan.head_bytes + plan.body_words * kWideBytes;
    for (std::size_t i = threadIdx.x; i < plan.head_bytes + plan.tail_bytes; i += blockDim.x) {
        const std::size_t byte = i < plan.head_bytes ? i : tail_begin + (i - plan.head_bytes);
        plan.destination[byte] = plan.source[byte];
    }
}

/// Source and destination are aligned alike: each thread moves `Words` 16-byte words, a block's width apart.
template <int Words, class LoadPolicy, class StorePolicy>
__global__ void copy_aligned_kernel(const __grid_constant__ CopyPlan plan) {
    if (blockIdx.x == plan.body_blocks) return copy_edges(plan);
    const char* source = plan.source + plan.head_bytes;
    char* destination = plan.destination + plan.head_bytes;
    const std::size_t first = static_cast<std::size_t>(blockIdx.x) * blockDim.x * Words + threadIdx.x;
    uint4 words[Words];
#pragma unroll
    for (int i = 0; i < Words; ++i) {
        const std::size_t word = first + static_cast<std::size_t>(i) * blockDim.x;
        if (word < plan.body_words) words[i] = access<LoadPolicy>::template load<kWideBytes>(source + word * kWideBytes);
    }
#pragma unroll
    for (int i = 0; i < Words; ++i) {
        const std::size_t word = first + static_cast<std::size_t>(i) * blockDim.x;
        if (word < plan.body_words) access<StorePolicy>::template store<kWideBytes>(destination + word * kWideBytes, words[i]);
    }
}

/// Source and destination are aligned differently: aligned words are read, shifted into place between neighbouring lanes,
/// and stored whole. `body_words` is a multiple of the warp's 32.
template <class LoadPolicy, class StorePolicy>
__global__ void copy_shifted_kernel(const __grid_constant__ CopyPlan plan) {
    if (blockIdx.x == plan.body_blocks) return copy_edges(plan);
    const std::size_t word = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const int lane = threadIdx.x % kWarpLanes;
    const std::size_t warp_word = word - lane;
    if (warp_word >= plan.body_words) return;
    const char* base = plan.source + plan.head_bytes - plan.shift_bytes + warp_word * kWideBytes;
    const uint4 shifted = warp::load_shifted<LoadPolicy>(base, plan.shift_bytes, lane);
    access<StorePolicy>::template store<kWideBytes>(plan.destination + plan.head_bytes + word * kWideBytes, shifted);
}

}  // namespace wideload::detail
