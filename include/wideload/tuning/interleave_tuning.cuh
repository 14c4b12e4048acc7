// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/thread/cache_policy.cuh>

#include <cstddef>

namespace wideload::tuning {

using DeinterleaveLoadPolicy = read_line;
/// Sixteen streams of narrow fields are worth fetching ahead.
template <int FieldBytes, int Fields>
using InterleaveLoadPolicy =
    std::conditional_t<FieldBytes == 1 && Fields == 16, read_two_lines, cached>;
using StagedStructLoadPolicy = read_line;
using InterleaveStorePolicy = cached;
/// Rows of 64 bytes and more (InterleaveShape) go by tiles of so many bytes where the structs are
/// of so many in all at most.
inline constexpr int kSmallInterleaveTile = 4096;
inline constexpr std::size_t kSmallInterleaveBytes = std::size_t{8} << 20;
/// Those that are staged go by small blocks where they are of so many bytes in all at most.
inline constexpr std::size_t kSmallStagedBytes = std::size_t{5} << 20;
/// Units that do not all begin at sectors are staged where the structs are of more bytes in all: L2
/// no longer puts parts of sectors together then.
inline constexpr std::size_t kUnitsAnywhereBytes = std::size_t{48} << 20;
/// Memory that staged structs share, in percent: 164 of an H200's 228 KiB. With more, loads in
/// flight lack L1.
inline constexpr int kStagedSharedPercent = 71;

}  // namespace wideload::tuning
