// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/thread/cache_policy.cuh>

#include <cstddef>

namespace wideload::tuning {

/// Threads of a block of `transform`; from which size of the output on, from which size of a lane's
/// elements on, and from how many words of them on, in how many bytes at most, smaller blocks are
/// faster. Measured by bench/library/copy_tuning.cu and transform_bench.cu;
/// see bench/library/NOTES.md.
inline constexpr int kTransformThreads = 256;
inline constexpr int kTransformSmallerThreads = 128;
inline constexpr std::size_t kTransformLargeBytes = std::size_t{256} << 20;
inline constexpr int kTransformWideLaneBytes = 80;
inline constexpr int kTransformManyWords = 7;
constexpr bool transform_words_are_many(int words, std::size_t bytes) {
    return words >= 9 || (words >= kTransformManyWords && bytes < std::size_t{3} << 20);
}
/// Structs of up to so many words of 1, 2, 4 or 8 bytes, an odd number, go by narrow accesses;
/// where they are many, in outputs of up to so many bytes.
inline constexpr int kTransformNarrowWords = 9;
inline constexpr std::size_t kTransformNarrowBytes = std::size_t{20} << 20;

/// Warps take two tiles where a lane loads less than 8 bytes of an input, in outputs of more bytes
/// than the first and no more than the second.
inline constexpr std::size_t kTransformPairedFrom = std::size_t{2} << 20;
inline constexpr std::size_t kTransformPairedBytes = std::size_t{24} << 20;

/// Whether outputs of which no element begins at a word are faster by way of shared memory than
/// shifted by lanes, each of which has so many words of several elements.
constexpr bool transform_shifts_slowly(int words, std::size_t bytes) {
    return words >= 5 && bytes > std::size_t{2} << 20 &&
           bytes < std::size_t{words < kTransformManyWords ? 10u : 20u} << 20;
}

/// Elements that lanes cannot take as words go by way of shared memory, in outputs of more bytes
/// than the first, so many bytes a block at a time, by larger blocks where an element of all
/// streams has many. So do those of so many wide words, whatever their address.
inline constexpr std::size_t kTransformUnstagedBytes = 4 << 10;
inline constexpr int kTransformStagedBytes = 8 << 10;
inline constexpr int kTransformManyStagedBytes = 160;
/// In outputs of more bytes than the first, blocks of up to 256 elements of odd sizes take twice as
/// much where that is more of them, and leave registers for so many like them.
inline constexpr std::size_t kTransformLargeStagedFrom = std::size_t{20} << 20;
inline constexpr int kTransformLargeStagedBytes = 2 * kTransformStagedBytes;
inline constexpr int kTransformLargeStagedBlocks = 12;
inline constexpr int kTransformStagedWords = 6;

using TransformLoadPolicy = cached;
using TransformStorePolicy = cached;

}  // namespace wideload::tuning
