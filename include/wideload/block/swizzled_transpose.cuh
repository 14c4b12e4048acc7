// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/block/swizzled_tile.cuh>
#include <wideload/thread/access.cuh>

namespace wideload::block {

/// Transposes a tile of `Rows` × `Columns` elements on its way through shared memory, 16 bytes at a time on both sides and
/// without bank conflicts (see swizzled_tile.cuh).
///
/// Requirements, which the caller checks: both matrices' rows start at multiples of 16 bytes and are whole 16-byte words.
template <class T, int Rows, int Columns, int Threads>
class swizzled_transpose {
    using Tile = swizzled_tile<T, Rows, Columns>;
    static constexpr int kItems = Tile::kRowUnits * Tile::kRowChunks;
    static_assert(kItems % Threads == 0 && Columns * Tile::kColumnGroups % Threads == 0,
                  "block::swizzled_transpose: the threads must divide the tile's 16-byte words");

   public:
    using storage = typename Tile::storage;

    /// Reads the tile whose first element is `tile` from a matrix of `pitch` elements a row, of which only
    /// `valid_rows` × `valid_columns` exist. All threads call; a barrier must follow before `drain`.
    template <class Policy = cached>
    static WIDELOAD_DEVICE void stage(storage& shared, const T* tile, std::size_t pitch, std::size_t valid_rows,
                                      std::size_t valid_columns, int thread) {
        uint4 loaded[kItems / Threads][Tile::kRowsPerUnit];
#pragma unroll
        for (int i = 0; i < kItems / Threads; ++i) {
            const Position at = position(thread + i * Threads);
            const T* source = tile + at.unit * Tile::kRowsPerUnit * pitch + at.chunk * Tile::kPerWord;
#pragma unroll
            for (int k = 0; k < Tile::kRowsPerUnit; ++k) {
                if (at.unit * Tile::kRowsPerUnit + k < valid_rows && at.chunk * Tile::kPerWord < valid_columns) {
                    loaded[i][k] = wideload::detail::access<Policy>::template load<kWideBytes>(source + k * pitch);
                }
            }
        }
#pragma unroll
        for (int i = 0; i < kItems / Threads; ++i) {
            const Position at = position(thread + i * Threads);
            Tile::put(shared, at.unit, at.chunk, loaded[i]);
        }
    }

    /// Writes the transposed tile, of which `valid_rows` × `valid_columns` (as read) exist, to the matrix of `pitch`
    /// elements a row whose element `tile` is the tile's first.
    template <class Policy = cached>
    static WIDELOAD_DEVICE void drain(const storage& shared, T* tile, std::size_t pitch, std::size_t valid_rows,
                                      std::size_t valid_columns, int thread) {
#pragma unroll
        for (int index = thread; index < Columns * Tile::kColumnGroups; index += Threads) {
            const int column = index / Tile::kColumnGroups, group = index % Tile::kColumnGroups;
            if (column < valid_columns && group * Tile::kPerWord < valid_rows) {
                wideload::detail::access<Policy>::template store<kWideBytes>(
                    tile + column * pitch + group * Tile::kPerWord, Tile::get(shared, column, group));
            }
        }
    }

   private:
    struct Position {
        int unit, chunk;
    };
    /// The item of a thread: warps cover 8 chunks of 4 row units, as the tile wants them.
    static WIDELOAD_DEVICE Position position(int item) {
        constexpr int kWarpsAcross = Tile::kRowChunks / Tile::kWarpChunks;
        const int warp = item / kWarpLanes, lane = item % kWarpLanes;
        return {warp / kWarpsAcross * Tile::kWarpUnits + lane / Tile::kWarpChunks,
                warp % kWarpsAcross * Tile::kWarpChunks + lane % Tile::kWarpChunks};
    }
};

}  // namespace wideload::block
