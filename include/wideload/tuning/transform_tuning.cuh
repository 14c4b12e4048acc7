// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/thread/cache_policy.cuh>

#include <cstddef>

namespace wideload::tuning {

/// Threads of a block of `transform`; from which size of the output on, and from which size of a
/// lane's elements on, smaller blocks are faster. Measured by bench/library/copy_tuning.cu and
/// transform_bench.cu; see bench/library/NOTES.md.
inline constexpr int kTransformThreads = 256;
inline constexpr int kTransformSmallerThreads = 128;
inline constexpr std::size_t kTransformLargeBytes = std::size_t{256} << 20;
inline constexpr int kTransformWideLaneBytes = 80;

using TransformLoadPolicy = cached;
using TransformStorePolicy = cached;

}  // namespace wideload::tuning
