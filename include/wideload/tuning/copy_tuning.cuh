// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/thread/cache_policy.cuh>

#include <cstddef>
#include <cstdint>

namespace wideload::tuning {

/// How a copy is launched, a thread with one word of 16 bytes. Measured by
/// bench/library/copy_tuning.cu; the figures stand in bench/library/NOTES.md.
struct CopyTuning {
    int compute_capability;   ///< the row holds from this one on
    std::size_t up_to_bytes;  ///< and for copies of at most this size
    int threads_per_block;    ///< 128 or 256
};

/// Rows of one architecture are sorted by size; the last row of each holds for any size. The first
/// architecture is the safe default of all older ones.
inline constexpr CopyTuning kCopyTuning[] = {
    // from  up to bytes  threads
    {0, SIZE_MAX, 256},
    {90, std::size_t{256} << 20, 256},
    {90, SIZE_MAX, 128},
};

/// Whether threads take two words instead: where with one they would be almost twice as many as the
/// multiprocessors hold, so that the second half has to wait.
constexpr bool copy_pairs_words(int compute_capability, int multiprocessors, std::size_t words) {
    const std::size_t held = std::size_t{2048} * static_cast<unsigned>(multiprocessors);
    return compute_capability >= 90 && words > held * 5 / 3 && words <= held * 2;
}

/// Threads of a block where source and destination are aligned differently.
inline constexpr int kCopyShiftedThreads = 256;

using CopyLoadPolicy = cached;
using CopyStorePolicy = cached;

}  // namespace wideload::tuning
