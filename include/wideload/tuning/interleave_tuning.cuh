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
constexpr std::size_t small_staged_bytes(int fields) {
    const int halves = fields <= 4 ? 6 : fields == 8 ? 7 : fields == 10 || fields == 12 ? 10 : 9;
    return static_cast<std::size_t>(halves) << 19;
}
/// Units that do not all begin at sectors are staged where the structs are of more bytes in all: L2
/// no longer puts parts of sectors together then.
inline constexpr std::size_t kUnitsAnywhereBytes = std::size_t{48} << 20;
/// A block that stages structs: its warps, the bytes of structs that it takes at most, and the
/// threads for which a multiprocessor is to have registers; how many percent of the bytes tiles
/// must fill to begin alike in a line.
struct StagedBlock {
    int warps, bytes, threads, filled = 0;
};
/// Large blocks for more than 4 arrays that begin anywhere: the ranges of a tile are to be dealt
/// evenly to the warps, one or two each. Rows of many units take more registers than others.
///
/// @param units  of 4 bytes, that a lane moves at a time
/// @param size   of a field, in bytes
constexpr StagedBlock staged_block_of_many(int fields, int units, int size) {
    const bool at_once = units <= 16;
    const int others = units <= 44 ? 1152 : 1024;
    switch (fields) {
        case 5:
            return {5, 10240, units < 30 ? 1280 : 1152};
        case 6:
            return {6, 12288, units < 24 ? 1536 : 1152};
        case 7:
            return {7, 14336, units < 24 ? 1536 : 1152};
        case 8:
            return {8, 16384, 1280};
        case 9:
            return {5, 10240, at_once ? 1536 : others};
        case 10:
            return units <= 40 ? StagedBlock{10, 20480, 1280} : StagedBlock{5, 10240, 1152};
        case 11:
            return {6, 12288, at_once && size < 4 ? 1536 : others};
        case 12:
            return units <= 24 ? StagedBlock{12, 18432, 1536} : StagedBlock{6, 12288, 1152};
        case 13:
            return {7, 14336, at_once ? 1536 : others};
        case 14:
            return {7, 14336, at_once && size < 4 ? 1536 : others};
        case 15:
            return {8, 16384, units <= 30 ? 1280 : 1024};
        default:
            return {8, 16384, units <= 48 ? 1280 : 1024};
    }
}
/// Blocks for structs of up to 256 bytes, of any fields; measured, as is the above, by
/// bench/library/staged_bench.cu: see bench/library/NOTES.md.
///
/// @param small       of `small_staged_bytes` in all at most
/// @param at_sectors  whether all arrays begin at sectors
constexpr StagedBlock staged_block(bool small, bool at_sectors, bool to_fields, int fields,
                                   int units, int size) {
    const bool long_rows = units > 40 || size % 16 == 0;
    StagedBlock block{4, small ? 4096 : 8192, long_rows ? 1024 : 1152};
    if (small) {
        if (fields > 4) block = staged_block_of_many(fields, units, size);
        const int bytes = (fields == 8 ? 512 : 1024) * block.warps, least = 32 * size * fields;
        block.bytes = bytes > least ? bytes : least;
    } else if (at_sectors) {
        if (fields > 11) block = {8, 16384, fields % 2 == 0 ? 1280 : 1024};
        if (fields == 8 && to_fields && long_rows) block = {5, 8192, 1152};
    } else if (fields > 4) {
        const bool few_bytes = (units <= 12 && fields == 8) || (units <= 36 && fields == 12);
        if (few_bytes && to_fields && size != 8) return block;
        block = staged_block_of_many(fields, units, size);
        block.filled = 75;
    }
    return block;
}

/// Memory that staged structs share, in percent: 164 of an H200's 228 KiB. With more, loads in
/// flight lack L1.
inline constexpr int kStagedSharedPercent = 71;

}  // namespace wideload::tuning
