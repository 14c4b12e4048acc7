// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/detail/stream_order.cuh>
#include <wideload/thread/access.cuh>
#include <wideload/warp/shifted_load.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// How a copy is cut: bytes before the first line boundary of the destination, whole 16-byte words,
/// bytes after them.
struct CopyPlan {
    const char* source;
    char* destination;
    std::size_t head_bytes;
    std::size_t body_words;
    std::size_t tail_bytes;
    unsigned shift_bytes;  ///< of the source's body from a multiple of 16; 0: both ends are aligned
                           ///< alike
    unsigned body_blocks;  ///< the blocks before the one that copies head and tail

    /// See `prefetch_input`.
    WIDELOAD_DEVICE void prefetch() const {
        prefetch_input(source, head_bytes + body_words * kWideBytes + tail_bytes);
    }
};

/// Head and tail, byte by byte: under a kilobyte, by the one block that comes after the body's.
/// Four of a thread's loads are in flight together, or this block would be the last to end in small
/// copies; more would cost the body's threads registers.
template <int Threads>
WIDELOAD_DEVICE void copy_edges(const CopyPlan& plan) {
    await_last_kernel();
    constexpr int kBatch = 4;
    const std::size_t between = plan.body_words * kWideBytes;
    const unsigned head = static_cast<unsigned>(plan.head_bytes);
    const unsigned edges = head + static_cast<unsigned>(plan.tail_bytes);
#pragma unroll 1
    for (unsigned first = threadIdx.x; first < edges; first += Threads * kBatch) {
        char held[kBatch];
#pragma unroll
        for (int k = 0; k < kBatch; ++k) {
            const unsigned i = first + k * Threads;
            if (i < edges) held[k] = plan.source[i < head ? i : between + i];
        }
#pragma unroll
        for (int k = 0; k < kBatch; ++k) {
            const unsigned i = first + k * Threads;
            if (i < edges) plan.destination[i < head ? i : between + i] = held[k];
        }
    }
}

/// Whole words between ends that are aligned alike: each thread moves `Words` of them, a block's
/// width apart. `Index` is 32 bits wide wherever that is enough: at small sizes the address
/// arithmetic is a visible part of the time.
template <int Threads, int Words, class LoadPolicy, class StorePolicy, class Index>
WIDELOAD_DEVICE void copy_words(const char* source, char* destination, Index words) {
    const Index first = static_cast<Index>(blockIdx.x) * (Threads * Words) + threadIdx.x;
    if (first >= words) return;
    await_last_kernel();
    uint4 moved[Words];
#pragma unroll
    for (int i = 0; i < Words; ++i) {
        const Index word = first + i * Threads;
        if (i == 0 || word < words) {
            moved[i] = access<LoadPolicy>::template load<kWideBytes>(source + std::size_t{word} *
                                                                                  kWideBytes);
        }
    }
#pragma unroll
    for (int i = 0; i < Words; ++i) {
        const Index word = first + i * Threads;
        if (i == 0 || word < words) {
            access<StorePolicy>::template store<kWideBytes>(
                destination + std::size_t{word} * kWideBytes, moved[i]);
        }
    }
}

/// A copy without head and tail.
template <int Threads, int Words, class LoadPolicy, class StorePolicy, class Index>
__global__ void __launch_bounds__(Threads)
    copy_words_kernel(const char* source, char* destination, Index words) {
    release_next_kernel();
    prefetch_input(source, std::size_t{words} * kWideBytes);
    copy_words<Threads, Words, LoadPolicy, StorePolicy>(source, destination, words);
}

/// A copy whose ends are aligned alike, with head or tail.
template <int Threads, int Words, class LoadPolicy, class StorePolicy>
__global__ void __launch_bounds__(Threads)
    copy_aligned_kernel(const __grid_constant__ CopyPlan plan) {
    release_next_kernel();
    plan.prefetch();
    if (blockIdx.x == plan.body_blocks) return copy_edges<Threads>(plan);
    copy_words<Threads, Words, LoadPolicy, StorePolicy>(
        plan.source + plan.head_bytes, plan.destination + plan.head_bytes, plan.body_words);
}

/// `Rows` rows of 32 words of a warp, from where its body's words are in the source; see
/// `warp::ShiftedRows`.
template <int Rows, class Known, class LoadPolicy, class StorePolicy>
WIDELOAD_DEVICE void copy_shifted_rows(const char* source, char* destination, unsigned shift_bytes,
                                       int lane) {
    warp::ShiftedRows<LoadPolicy, Rows, Known> rows;
    rows.fetch(source, {shift_bytes, Known::kMidSector != 0}, lane);
    uint4 moved[Rows];
    rows.value(moved, lane);
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
        access<StorePolicy>::template store<kWideBytes>(
            destination + (r * kWarpLanes + lane) * kWideBytes, moved[r]);
    }
}

/// Source and destination are aligned differently: aligned words are read, shifted into place
/// between neighbouring lanes, and stored whole. `body_words` is a multiple of 32. The template
/// arguments follow from the plan; see `warp::KnownShift`.
///
/// @tparam Rows  of 32 words that a warp moves, 1 or 2
template <int Threads, int Rows, bool MidSector, int ShiftParts, class LoadPolicy,
          class StorePolicy>
__global__ void __launch_bounds__(Threads)
    copy_shifted_kernel(const __grid_constant__ CopyPlan plan) {
    release_next_kernel();
    plan.prefetch();
    if (blockIdx.x == plan.body_blocks) return copy_edges<Threads>(plan);
    using Known = warp::KnownShift<MidSector, ShiftParts>;
    const int lane = threadIdx.x % kWarpLanes;
    const std::size_t warp =
        static_cast<std::size_t>(blockIdx.x) * (Threads / kWarpLanes) + threadIdx.x / kWarpLanes;
    const std::size_t word = warp * (Rows * kWarpLanes);
    if (word >= plan.body_words) return;
    const char* source = plan.source + plan.head_bytes + word * kWideBytes;
    char* destination = plan.destination + plan.head_bytes + word * kWideBytes;
    await_last_kernel();
    if (Rows == 1 || word + Rows * kWarpLanes <= plan.body_words) {
        copy_shifted_rows<Rows, Known, LoadPolicy, StorePolicy>(source, destination,
                                                                plan.shift_bytes, lane);
    } else {
        copy_shifted_rows<1, Known, LoadPolicy, StorePolicy>(source, destination, plan.shift_bytes,
                                                             lane);
    }
}

}  // namespace wideload::WIDELOAD_DETAIL
