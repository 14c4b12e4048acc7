// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/thread/cache_policy.cuh>

namespace wideload::tuning {

/// Threads of a block of `transform`. Measured by bench/library/transform_bench.cu; see bench/library/NOTES.md.
inline constexpr int kTransformThreads = 256;

using TransformLoadPolicy = cached;
using TransformStorePolicy = cached;

}  // namespace wideload::tuning
