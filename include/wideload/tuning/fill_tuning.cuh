// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/thread/cache_policy.cuh>

#include <cstddef>
#include <cstdint>

namespace wideload::tuning {

/// How a fill is launched. Measured by bench/library/fill_tuning.cu; the figures stand in
/// bench/library/NOTES.md.
struct FillTuning {
    int compute_capability;   ///< the row holds from this one on
    std::size_t up_to_bytes;  ///< and for fills of at most this size
    int threads_per_block;
    int words_per_thread;  ///< 16-byte words; 1, 2 or 4
};

inline constexpr FillTuning kFillTuning[] = {
    // from  up to bytes  threads  words
    {0, SIZE_MAX, 256, 1},
    {90, SIZE_MAX, 256, 1},
};

using FillStorePolicy = cached;
/// 16-byte words per thread where the value's size does not divide 16: enough to pay for staging
/// the pattern.
inline constexpr int kFillPatternWords = 8;

}  // namespace wideload::tuning
