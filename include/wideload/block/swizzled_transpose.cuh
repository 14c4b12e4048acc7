// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/block/swizzled_tile.cuh>
#include <wideload/thread/access.cuh>

namespace wideload::block {

/// Transposes a tile of `Rows` × `Columns` elements on its way through shared memory, 16 bytes at a
/// time on both sides and without bank conflicts (see swizzled_tile.cuh).
///
/// `valid_rows` and `valid_columns` below may be anything above the tile's size.
///
/// Requirements, which the caller checks: both matrices' rows start at multiples of 16 bytes and
/// are whole 16-byte words.
template <class T, int Rows, int Columns, int Threads>
class swizzled_transpose {
    using Tile = swizzled_tile<T, Rows, Columns>;
    static constexpr int kItems = Tile::kRowUnits * Tile::kRowChunks;
    static_assert(kItems % Threads == 0 && Columns * Tile::kColumnGroups % Threads == 0,
                  "block::swizzled_transpose: the threads must divide the tile's 16-byte words");

public:
    using storage = typename Tile::storage;

    /// Reads the tile whose first element is `tile` from a matrix of `pitch` elements a row, of
    /// which only `valid_rows` × `valid_columns` exist. All threads call; a barrier must follow
    /// before `drain`.
    template <class Policy = cached>
    static WIDELOAD_DEVICE void stage(storage& shared, const T* tile, std::size_t pitch,
                                      int valid_rows, int valid_columns, int thread) {
        // Warps cover 8 chunks of 4 row units; a thread's next item is a whole number of row units
        // further down.
        constexpr int kWarpsAcross = Tile::kRowChunks / Tile::kWarpChunks;
        constexpr int kWarps = Threads / kWarpLanes;
        static_assert(kWarps % kWarpsAcross == 0,
                      "block::swizzled_transpose: the warps must fill whole rows");
        constexpr int kUnitStep = kWarps / kWarpsAcross * Tile::kWarpUnits;
        const int warp = thread / kWarpLanes, lane = thread % kWarpLanes;
        const int unit = warp / kWarpsAcross * Tile::kWarpUnits + lane / Tile::kWarpChunks;
        const int chunk = warp % kWarpsAcross * Tile::kWarpChunks + lane % Tile::kWarpChunks;
        const T* source = tile + unit * Tile::kRowsPerUnit * pitch + chunk * Tile::kPerWord;
        const bool exists = chunk * Tile::kPerWord < valid_columns;

        uint4 loaded[kItems / Threads][Tile::kRowsPerUnit];
#pragma unroll
        for (int i = 0; i < kItems / Threads; ++i) {
#pragma unroll
            for (int k = 0; k < Tile::kRowsPerUnit; ++k) {
                const int row = i * kUnitStep * Tile::kRowsPerUnit + k;
                if (exists && unit * Tile::kRowsPerUnit + row < valid_rows) {
                    loaded[i][k] = wideload::detail::access<Policy>::template load<kWideBytes>(
                        source + row * pitch);
                }
            }
        }
#pragma unroll
        for (int i = 0; i < kItems / Threads; ++i)
            Tile::put(shared, unit + i * kUnitStep, chunk, loaded[i]);
    }

    /// Writes the transposed tile, of which `valid_rows` × `valid_columns` (as read) exist, to the
    /// matrix of `pitch` elements a row whose element `tile` is the tile's first.
    template <class Policy = cached>
    static WIDELOAD_DEVICE void drain(const storage& shared, T* tile, std::size_t pitch,
                                      int valid_rows, int valid_columns, int thread) {
        constexpr int kSteps = Columns * Tile::kColumnGroups / Threads;
        constexpr int kColumnStep = Threads / Tile::kColumnGroups;
        static_assert(Threads % Tile::kColumnGroups == 0,
                      "block::swizzled_transpose: the threads must fill whole columns");
        const int column = thread / Tile::kColumnGroups, group = thread % Tile::kColumnGroups;
        T* destination = tile + column * pitch + group * Tile::kPerWord;
        if (group * Tile::kPerWord >= valid_rows) return;
        uint4 words[kSteps];
#pragma unroll
        for (int i = 0; i < kSteps; ++i)
            words[i] = Tile::get(shared, column + i * kColumnStep, group);
#pragma unroll
        for (int i = 0; i < kSteps; ++i) {
            if (column + i * kColumnStep < valid_columns) {
                wideload::detail::access<Policy>::template store<kWideBytes>(
                    destination + i * kColumnStep * pitch, words[i]);
            }
        }
    }
};

}  // namespace wideload::block
