// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/thread/cache_policy.cuh>

#include <cstddef>
#include <cstdint>

namespace wideload::tuning {

/// How a reduction is launched. Measured by bench/library/reduce_tuning.cu and reduce_bench.cu; see
/// bench/library/NOTES.md.
struct ReduceTuning {
    int compute_capability;         ///< the row holds from this one on
    std::size_t up_to_bytes;        ///< and for inputs of at most this size
    bool small;                     ///< kReduceFewThreads a block, and one warp collects
    bool many_words;                ///< kReduceManyWords a thread; only where small
    int blocks_per_multiprocessor;  ///< at most
};

/// Where blocks add to one sum. Of long work there are more blocks than fit at once:
/// multiprocessors of some cards are not equally fast, by 2 to 3 %.
inline constexpr ReduceTuning kReduceSumTuning[] = {
    // from  up to bytes      small  words  blocks
    {0, std::size_t{2} << 20, true, false, 1},
    {0, std::size_t{16} << 20, false, false, 2},
    {0, SIZE_MAX, false, false, 4},
    {90, std::size_t{2} << 20, true, false, 1},
    {90, std::size_t{4} << 20, true, false, 2},
    {90, std::size_t{16} << 20, false, false, 2},
    {90, std::size_t{256} << 20, false, false, 4},
    {90, SIZE_MAX, false, false, 12},
};
/// Where one block collects the others' results.
inline constexpr ReduceTuning kReduceMailboxTuning[] = {
    // from  up to bytes      small  words  blocks
    {0, std::size_t{2} << 20, true, false, 1},
    {0, std::size_t{16} << 20, false, false, 2},
    {0, SIZE_MAX, false, false, 4},
    {90, std::size_t{2} << 20, true, false, 1},
    {90, std::size_t{4} << 20, true, true, 1},
    {90, std::size_t{8} << 20, true, true, 2},
    {90, std::size_t{64} << 20, false, false, 2},
    {90, std::size_t{256} << 20, false, false, 4},
    {90, SIZE_MAX, false, false, 12},
};

/// The most mailboxes that a lane collects of a small input's: those of one block for each of 160
/// multiprocessors, and of two for each of 144. More take longer even where there are fewer.
inline constexpr int kReduceMailboxesOfLane = 5, kReduceManyMailboxesOfLane = 9;
/// Which of these it is for so many blocks a multiprocessor.
constexpr int reduce_mailboxes_of_lane(int blocks_per_multiprocessor) {
    return blocks_per_multiprocessor > 1 ? kReduceManyMailboxesOfLane : kReduceMailboxesOfLane;
}

/// 16-byte words that a thread has in flight: mostly, and where the table says many.
inline constexpr int kReduceWords = 4, kReduceManyWords = 8;
/// Threads of a block of a small input, and of others: elements of 8 bytes and more were measured
/// to want 256 always, and twice as many blocks.
inline constexpr int kReduceFewThreads = 256;
template <int Size>
inline constexpr int kReduceManyThreads = Size >= 8 ? 256 : 512;
/// A reduction that keeps the order needs more registers: so many threads and blocks fit at once,
/// and have enough bytes in flight.
inline constexpr int kReduceInOrderThreads = 256;
inline constexpr int kReduceInOrderBlocksPerMultiprocessor = 4;
/// Elements of `Size` bytes that a thread has in flight where no words fit them: as registers
/// allow.
template <int Size>
inline constexpr int kReduceInOrderElements = Size <= 16   ? 4
                                              : Size <= 32 ? 2
                                                           : 1;
/// Up to so many blocks a multiprocessor the next launch's may begin beside them. Beside longer
/// work they would be many on one multiprocessor, few on another, and stay so.
inline constexpr int kReduceInOrderOverlapBlocks = 2;
/// Up to so many bytes a multiprocessor it has one block on each, with `kReduceWords` words a
/// thread in flight, else `kReduceManyWords`.
inline constexpr std::size_t kReduceInOrderFewBytes = std::size_t{1} << 14;
/// Up to so many it has one block on each all the same.
inline constexpr std::size_t kReduceInOrderOneBlockBytes = std::size_t{1} << 15;
/// And up to so many two, whose results one warp collects as well.
inline constexpr std::size_t kReduceInOrderTwoBlocksBytes = std::size_t{1} << 19;
/// But in between, where warps of two blocks have one or two tiles, those of four one each.
inline constexpr std::size_t kReduceInOrderOneTileFromBytes = std::size_t{76} << 10,
                             kReduceInOrderOneTileToBytes = std::size_t{96} << 10;
/// Blocks a multiprocessor, 1 or 2, that reduce so many bytes on each in order, and whose results
/// one warp collects; 0: as many as fit.
constexpr int reduce_in_order_few_blocks(std::size_t each) {
    if (each <= kReduceInOrderOneBlockBytes) return 1;
    const bool one_tile =
        each >= kReduceInOrderOneTileFromBytes && each <= kReduceInOrderOneTileToBytes;
    return each <= kReduceInOrderTwoBlocksBytes && !one_tile ? 2 : 0;
}
/// From this size on there are twice as many as fit at once; see kReduceSumTuning.
inline constexpr std::size_t kReduceInOrderTwiceBytes = std::size_t{256} << 20;
/// Elements that go through shared memory: threads of a block, its shared memory for tiles, and for
/// lanes' results beside them, at most, and bytes of a lane's run in a tile, at most, which it
/// takes from there together or, where rows end in it, in parts of so many. Shorter runs are more
/// tiles to start.
inline constexpr int kReduceStagedThreads = 128, kReduceStagedSharedBytes = 40 << 10;
inline constexpr int kReduceStagedMostSharedBytes = 47 << 10;
inline constexpr int kReduceStagedRunBytes = 144, kReduceStagedPartBytes = 64;
/// Blocks a multiprocessor: more have more results to collect. In order warps have more to combine,
/// and are to be more from so many bytes a multiprocessor on.
inline constexpr int kReduceStagedBlocks = 2, kReduceStagedManyBlocks = 4;
inline constexpr std::size_t kReduceStagedManyBlocksBytes = std::size_t{1} << 19;
/// Where two tiles of each warp fit half a block alone, it has more results to collect for its
/// tiles: up to so many bytes a multiprocessor, each has one. With half of the warps, whatever for,
/// blocks are many from half as many bytes on.
inline constexpr std::size_t kReduceStagedOneBlockBytes = std::size_t{96} << 10;
/// In order results of several parts a lane are combined over lanes more rarely if more tiles'
/// results find room: warps of a block at least, for results of so many parts. A total of more than
/// so many is kept in shared memory.
constexpr int reduce_staged_least_warps(int parts) { return parts > 32 ? 2 : parts > 24 ? 3 : 4; }
inline constexpr int kReduceStagedHeldParts = 32;
/// In order results up to so many bytes are combined by warps that have a tile each, if so many
/// fit; others are longer collected than combined.
inline constexpr int kReduceStagedInOrderBytes = 32;
/// Columns that go through shared memory: bytes of a lane's run of them, at least and at most, and
/// of its results, at most; four parts of up to so many bytes are worked on together, two of
/// others.
inline constexpr int kReduceColumnsRunBytes = 12, kReduceColumnsMostRunBytes = 44;
inline constexpr int kReduceColumnsResultBytes = 64, kReduceColumnsFourPartsBytes = 704;
/// The most blocks of a reduction: as many partial results fit the scratch memory.
inline constexpr int kReduceMaxBlocks = 2048;

using ReduceLoadPolicy = cached;

}  // namespace wideload::tuning
