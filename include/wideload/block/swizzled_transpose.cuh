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
    using Order = typename Tile::template put_order<Threads>;
    static_assert(Columns * Tile::kColumnGroups % Threads == 0,
                  "block::swizzled_transpose: the threads must divide the tile's 16-byte words");

public:
    using storage = typename Tile::storage;

    /// A thread's words of a tile on their way to shared memory.
    struct words {
        uint4 loaded[Order::kPerThread][Tile::kRowsPerUnit];
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
        const int unit = Order::first_unit(thread), chunk = Order::own_chunk(thread);
        const T* source = tile + unit * Tile::kRowsPerUnit * pitch + chunk * Tile::kPerWord;
        const bool exists = chunk * Tile::kPerWord < valid_columns;
#pragma unroll
        for (int i = 0; i < Order::kPerThread; ++i) {
#pragma unroll
            for (int k = 0; k < Tile::kRowsPerUnit; ++k) {
                const int row = i * Order::kUnitStep * Tile::kRowsPerUnit + k;
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
        for (int i = 0; i < Order::kPerThread; ++i)
            Tile::put(shared, Order::first_unit(thread) + i * Order::kUnitStep,
                      Order::own_chunk(thread), held.loaded[i]);
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

    /// What a thread reads of a tile of one of the matrices of a batch, `matrix` elements behind
    /// its begin, of rows × columns elements. For batches that count below 2^32 with `Rows` rows
    /// more: in 32 bits it takes half the instructions, most of what small matrices wait for.
    class small_source {
    public:
        WIDELOAD_DEVICE small_source(unsigned matrix, unsigned rows, unsigned columns, unsigned row,
                                     unsigned column, unsigned thread)
            : columns_(columns) {
            const unsigned along = column + Order::own_chunk(thread) * Tile::kPerWord;
            first_ =
                matrix + (row + Order::first_unit(thread) * Tile::kRowsPerUnit) * columns + along;
            end_ = along < columns ? matrix + rows * columns : 0;
        }

        /// As the first half of `stage`.
        template <class Policy = cached>
        WIDELOAD_DEVICE void fetch(words& held, const T* batch) const {
#pragma unroll
            for (int i = 0; i < Order::kPerThread; ++i) {
#pragma unroll
                for (int k = 0; k < Tile::kRowsPerUnit; ++k) {
                    const unsigned place =
                        first_ + (i * Order::kUnitStep * Tile::kRowsPerUnit + k) * columns_;
                    if (place < end_) {
                        held.loaded[i][k] =
                            wideload::detail::access<Policy>::template load<kWideBytes>(batch +
                                                                                        place);
                    }
                }
            }
        }

    private:
        unsigned first_, end_, columns_;
    };

    /// Where it writes, to the transposed matrix; rows and columns, first row and column are those
    /// that were read.
    class small_target {
    public:
        WIDELOAD_DEVICE small_target(unsigned matrix, unsigned rows, unsigned columns, unsigned row,
                                     unsigned column, unsigned thread)
            : rows_(rows),
              column_(thread / Tile::kColumnGroups),
              group_(thread % Tile::kColumnGroups) {
            const unsigned along = row + group_ * Tile::kPerWord;
            first_ = matrix + (column + column_) * rows + along;
            end_ = along < rows ? matrix + rows * columns : 0;
            // Here, before a barrier, not behind it.
            asm volatile("" : "+r"(first_), "+r"(end_));
        }

        template <class Policy = cached>
        WIDELOAD_DEVICE void drain(const storage& shared, T* batch) const {
            constexpr int kSteps = Columns * Tile::kColumnGroups / Threads;
            constexpr int kStep = Threads / Tile::kColumnGroups;
            static_assert(Threads % Tile::kColumnGroups == 0,
                          "block::swizzled_transpose: the threads must fill whole columns");
            uint4 words[kSteps];
#pragma unroll
            for (int i = 0; i < kSteps; ++i)
                words[i] = Tile::get(shared, column_ + i * kStep, group_);
#pragma unroll
            for (int i = 0; i < kSteps; ++i) {
                const unsigned place = first_ + i * kStep * rows_;
                if (place < end_) {
                    wideload::detail::access<Policy>::template store<kWideBytes>(batch + place,
                                                                                 words[i]);
                }
            }
        }

    private:
        unsigned first_, end_, rows_, column_, group_;
    };
};

}  // namespace wideload::block
