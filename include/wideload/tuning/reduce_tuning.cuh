// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/thread/cache_policy.cuh>

#include <cstddef>
#include <cstdint>

namespace wideload::tuning {

/// How a reduction is launched. Measured by bench/library/reduce_tuning.cu; see
/// bench/library/NOTES.md.
struct ReduceTuning {
    int compute_capability;            ///< the row holds from this one on
    std::size_t up_to_bytes;           ///< and for inputs of at most this size
    int threads;                       ///< of a block: 256 or 512
    int blocks_per_multiprocessor;     ///< at most, where blocks add to one sum
    int mailboxes_per_multiprocessor;  ///< at most, where one block collects the others' results
    bool many_words;                   ///< then: kReduceManyWords a thread, of 256
};

inline constexpr ReduceTuning kReduceTuning[] = {
    // from  up to bytes      threads blocks mailboxes
    {0, std::size_t{4} << 20, 512, 1, 1, false},
    {0, std::size_t{16} << 20, 512, 2, 2, false},
    {0, SIZE_MAX, 512, 4, 4, false},
    {90, std::size_t{2} << 20, 256, 1, 1, false},
    {90, std::size_t{4} << 20, 256, 2, 1, true},
    {90, std::size_t{16} << 20, 512, 2, 2, false},
    {90, std::size_t{64} << 20, 512, 4, 2, false},
    {90, SIZE_MAX, 512, 4, 4, false},
};

/// 16-byte words that a thread has in flight: mostly, and where the table says many.
inline constexpr int kReduceWords = 4, kReduceManyWords = 8;
/// Elements of 8 bytes and more were measured to want 256 threads always, and twice as many blocks
/// where the table says 512.
template <int Size>
inline constexpr int kReduceMaxThreads = Size >= 8 ? 256 : 512;
/// A reduction that keeps the order needs more registers: so many threads and blocks fit at once,
/// and have enough bytes in flight.
inline constexpr int kReduceInOrderThreads = 256;
inline constexpr int kReduceInOrderBlocksPerMultiprocessor = 4;
/// Elements of `Size` bytes that a thread has in flight where no words fit them: as registers
/// allow.
template <int Size>
inline constexpr int kReduceInOrderElements = Size <= 16   ? 4
                                              : Size <= 32 ? 2
                                                           : 1;
/// Up to so many blocks a multiprocessor the next launch's may begin beside them. Beside longer
/// work they would be many on one multiprocessor, few on another, and stay so.
inline constexpr int kReduceInOrderOverlapBlocks = 2;
/// Up to this size such a reduction has one word a thread in flight.
inline constexpr std::size_t kReduceInOrderOneWordBytes = std::size_t{1} << 18;
/// The most blocks of a reduction: as many partial results fit the scratch memory.
inline constexpr int kReduceMaxBlocks = 2048;

using ReduceLoadPolicy = cached;

}  // namespace wideload::tuning
