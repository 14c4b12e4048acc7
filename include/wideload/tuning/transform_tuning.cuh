// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/thread/cache_policy.cuh>

#include <cstddef>

namespace wideload::tuning {

/// Threads of a block of `transform`; from which size of the output on, from which size of a lane's
/// elements on, and from how many words of them on smaller blocks are faster, which they are for
/// misaligned inputs of any size. Measured by bench/library/copy_tuning.cu and transform_bench.cu;
/// see bench/library/NOTES.md.
inline constexpr int kTransformThreads = 256;
inline constexpr int kTransformSmallerThreads = 128;
inline constexpr std::size_t kTransformLargeBytes = std::size_t{256} << 20;
inline constexpr int kTransformWideLaneBytes = 80;
inline constexpr int kTransformManyWords = 7;
/// Structs of up to so many words of 1, 2, 4 or 8 bytes, an odd number, go by narrow accesses;
/// where they are many, in outputs of up to so many bytes.
inline constexpr int kTransformNarrowWords = 9;
inline constexpr std::size_t kTransformNarrowBytes = std::size_t{20} << 20;

using TransformLoadPolicy = cached;
using TransformStorePolicy = cached;

}  // namespace wideload::tuning
