// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/thread/cache_policy.cuh>

#include <cstddef>
#include <cstdint>

namespace wideload::tuning {

/// How a fill is launched, a thread with one word of 16 bytes. Measured by
/// bench/library/fill_tuning.cu; the figures stand in bench/library/NOTES.md.
struct FillTuning {
    int compute_capability;   ///< the row holds from this one on
    std::size_t up_to_bytes;  ///< and for fills of at most this size
    int threads_per_block;
};

/// Threads of a block, mostly and where the table wants more.
inline constexpr int kFillThreads = 256, kFillMoreThreads = 512;

inline constexpr FillTuning kFillTuning[] = {
    // from  up to bytes  threads
    {0, SIZE_MAX, kFillThreads},
    {90, std::size_t{15} << 18, kFillThreads},
    {90, std::size_t{12} << 20, kFillMoreThreads},
    {90, SIZE_MAX, kFillThreads},
};

using FillStorePolicy = cached;
/// Patterns up to the first many words come from the parameters, in blocks of a multiple of so many
/// threads; longer ones from shared memory. Blocks are larger where single words have larger ones
/// for patterns up to the second many words, and the same at any size for others.
inline constexpr int kFillShortPeriod = 16;
inline constexpr int kFillLargeBlockPeriod = 4;
constexpr int fill_pattern_threads(int period, int least) {
    return 32 * period * ((least + 32 * period - 1) / (32 * period));
}
/// 16-byte words per thread where the value's size does not divide 16: as many as pay for what a
/// thread, or its block, does to get its word. Below the size that follows, one where the pattern
/// is short.
constexpr int fill_pattern_words(int period) {
    return period <= 4 ? 1 : period <= 8 ? 2 : period > kFillShortPeriod && period <= 64 ? 2 : 4;
}
inline constexpr std::size_t kFillShortPatternBytes = std::size_t{2} << 20;

}  // namespace wideload::tuning
