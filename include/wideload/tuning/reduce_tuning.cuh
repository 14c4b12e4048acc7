// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/thread/cache_policy.cuh>

#include <cstddef>
#include <cstdint>

namespace wideload::tuning {

/// How a reduction is launched. Measured by bench/library/reduce_tuning.cu; see
/// bench/library/NOTES.md.
struct ReduceTuning {
    int compute_capability;         ///< the row holds from this one on
    std::size_t up_to_bytes;        ///< and for inputs of at most this size
    int words_per_thread;           ///< 16-byte words in flight: 1 or 4
    int blocks_per_multiprocessor;  ///< at most, of 512 threads
};

inline constexpr ReduceTuning kReduceTuning[] = {
    // from  up to bytes         words  blocks
    {0, std::size_t{4} << 20, 4, 1},
    {0, std::size_t{16} << 20, 4, 2},
    {0, SIZE_MAX, 4, 4},
    {90, std::size_t{1} << 18, 1, 1},
    {90, std::size_t{4} << 20, 4, 1},
    {90, std::size_t{16} << 20, 4, 2},
    {90, SIZE_MAX, 4, 4},
};

/// Threads of a block: 8-byte elements and wider ones were measured to want smaller blocks, and
/// twice as many.
template <int Size>
inline constexpr int kReduceThreads = Size >= 8 ? 256 : 512;
/// A reduction that keeps the order needs more registers: so many threads and blocks fit at once,
/// and have enough bytes in flight.
inline constexpr int kReduceInOrderThreads = 256;
inline constexpr int kReduceInOrderBlocksPerMultiprocessor = 4;
/// The most blocks of a reduction: as many partial results fit the scratch memory.
inline constexpr int kReduceMaxBlocks = 2048;

using ReduceLoadPolicy = cached;

}  // namespace wideload::tuning
