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

    /// A thread's words of a tile on their way to shared memory.
    struct words {
        uint4 loaded[kItems / Threads][Tile::kRowsPerUnit];
    };

    /// Reads the tile whose first element is `tile` from a matrix of `pitch` elements a row, of
    /// which only `valid_rows` × `valid_columns` exist. All threads call; a barrier must follow
    /// before `drain`.
    template <class Policy = cached>
    static WIDELOAD_DEVICE void stage(storage& shared, const T* tile, std::size_t pitch,
                                      int valid_rows, int valid_columns, int thread) {
        words held;
        fetch<Policy>(held, tile, pitch, valid_rows, valid_columns, thread);
        put(shared, held, thread);
    }

    /// The first half of `stage`: the loads.
    template <class Policy = cached>
    static WIDELOAD_DEVICE void fetch(words& held, const T* tile, std::size_t pitch, int valid_rows,
                                      int valid_columns, int thread) {
        const int unit = first_unit(thread), chunk = own_chunk(thread);
        const T* source = tile + unit * Tile::kRowsPerUnit * pitch + chunk * Tile::kPerWord;
        const bool exists = chunk * Tile::kPerWord < valid_columns;
#pragma unroll
        for (int i = 0; i < kItems / Threads; ++i) {
#pragma unroll
            for (int k = 0; k < Tile::kRowsPerUnit; ++k) {
                const int row = i * kUnitStep * Tile::kRowsPerUnit + k;
                if (exists && unit * Tile::kRowsPerUnit + row < valid_rows) {
                    held.loaded[i][k] = wideload::detail::access<Policy>::template load<kWideBytes>(
                        source + row * pitch);
                }
            }
        }
    }

    /// The second half: into shared memory.
    static WIDELOAD_DEVICE void put(storage& shared, const words& held, int thread) {
#pragma unroll
        for (int i = 0; i < kItems / Threads; ++i)
            Tile::put(shared, first_unit(thread) + i * kUnitStep, own_chunk(thread),
                      held.loaded[i]);
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

private:
    // Warps cover 8 chunks of 4 row units; a thread's next item is a whole number of row units
    // further down.
    static constexpr int kWarpsAcross = Tile::kRowChunks / Tile::kWarpChunks;
    static_assert(Threads / kWarpLanes % kWarpsAcross == 0,
                  "block::swizzled_transpose: the warps must fill whole rows");
    static constexpr int kUnitStep = Threads / kWarpLanes / kWarpsAcross * Tile::kWarpUnits;
    static WIDELOAD_DEVICE int first_unit(int thread) {
        return thread / kWarpLanes / kWarpsAcross * Tile::kWarpUnits +
               thread % kWarpLanes / Tile::kWarpChunks;
    }
    static WIDELOAD_DEVICE int own_chunk(int thread) {
        return thread / kWarpLanes % kWarpsAcross * Tile::kWarpChunks +
               thread % kWarpLanes % Tile::kWarpChunks;
    }
};

}  // namespace wideload::block
