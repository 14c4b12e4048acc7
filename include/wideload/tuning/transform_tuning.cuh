// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/thread/cache_policy.cuh>

#include <cstddef>

namespace wideload::tuning {

/// Threads of a block of `transform`, and from which size of the output on smaller blocks are
/// faster. Measured by bench/library/copy_tuning.cu; see bench/library/NOTES.md.
inline constexpr int kTransformThreads = 256;
inline constexpr int kTransformLargeThreads = 128;
inline constexpr std::size_t kTransformLargeBytes = std::size_t{256} << 20;

using TransformLoadPolicy = cached;
using TransformStorePolicy = cached;

}  // namespace wideload::tuning
