// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/thread/cache_policy.cuh>

namespace wideload::tuning {

/// Tiles of the aligned transpose, by element size in bytes. Measured by bench/library/transpose_tuning.cu; see NOTES.md.
template <int Size>
struct SwizzledTile;
template <>
struct SwizzledTile<1> { static constexpr int kRows = 128, kColumns = 128, kThreads = 256; };
template <>
struct SwizzledTile<2> { static constexpr int kRows = 64, kColumns = 128, kThreads = 256; };
template <>
struct SwizzledTile<4> { static constexpr int kRows = 64, kColumns = 64, kThreads = 256; };
template <>
struct SwizzledTile<8> { static constexpr int kRows = 32, kColumns = 32, kThreads = 256; };
template <>
struct SwizzledTile<16> { static constexpr int kRows = 32, kColumns = 16, kThreads = 256; };

/// Tiles of the transpose for rows that start anywhere, by the size of a unit.
template <int UnitBytes, int Units>
struct ShearedTile {
    static constexpr int kElementBytes = UnitBytes * Units;
    static constexpr int kWidth = kElementBytes <= 4 ? 64 : kElementBytes <= 16 ? 32 : kElementBytes <= 64 ? 16 : 8;
    static constexpr int kHeight = kElementBytes <= 4 ? 64 : kElementBytes <= 16 ? 32 : kElementBytes <= 64 ? 16 : 8;
    static constexpr int kBoundary = 32;
    static constexpr int kThreads = 256;
};

/// Matrices of a batch up to this size go through `transpose_small_kernel`, several to a block.
inline constexpr std::size_t kSmallMatrixBytes = 4096;

using TransposeLoadPolicy = cached;
using TransposeStorePolicy = cached;

}  // namespace wideload::tuning
