// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/block/swizzled_tile.cuh>

namespace wideload::block {

/// Transposes tiles of matrices whose rows are whole words of `WordBytes`, but begin anywhere
/// within sectors, a word at a time on both sides and without bank conflicts (see
/// swizzled_tile.cuh).
///
/// The tile is *sheared*: its part of each output row starts at a sector, wherever that row starts,
/// so that no two blocks write to one, except at the ends of rows. For that it stages a sector less
/// a word of each column more than it writes, which its neighbour has just read and L2 holds.
/// Source: this library; see bench/library/notes/transpose.md.
///
/// Requirements, which the caller checks: both matrices' rows start at multiples of a word and are
/// whole words.
///
/// @tparam Rows  staged rows; a tile writes the whole sectors of a column that are left of them
/// without the spare ones
template <class T, int Rows, int Columns, int Threads, int WordBytes>
class sheared_transpose {
    using Tile = swizzled_tile<T, Rows, Columns, true, WordBytes>;
    using Word = typename Tile::word;
    using Order = typename Tile::template put_order<Threads>;
    static constexpr int kSize = static_cast<int>(sizeof(T)), kPerWord = Tile::kPerWord;

public:
    /// The most elements by which a row starts behind the begin of a sector.
    static constexpr int kMaxShift = (kSectorBytes - WordBytes) / kSize;
    /// Elements of an output row that a tile writes, and words.
    static constexpr int kWidth = (Rows - kMaxShift) * kSize / kSectorBytes * kSectorBytes / kSize;
    static constexpr int kWidthWords = kWidth / kPerWord;
    using storage = typename Tile::storage;

    /// Tiles that cover an output row of `rows` elements wherever it starts.
    static WIDELOAD_HOST_DEVICE std::size_t tiles_along_output(std::size_t rows) {
        return divide_up<std::size_t>(rows + kMaxShift, kWidth);
    }

    /// Reads tile number `down` along the output rows, columns [first_column, first_column +
    /// Columns), of the matrix of rows × columns elements at `matrix`, whose rows are `pitch`
    /// elements apart. All threads call; a barrier must follow before `drain`.
    template <class Policy = cached>
    static WIDELOAD_DEVICE void stage(storage& shared, const T* matrix, unsigned pitch,
                                      unsigned rows, unsigned columns, unsigned down,
                                      unsigned first_column, unsigned thread) {
        constexpr int kRowsPerUnit = Tile::kRowsPerUnit;
        const unsigned unit = Order::first_unit(thread), chunk = Order::own_chunk(thread);
        const unsigned column = first_column + chunk * kPerWord;
        // Before the matrix it wraps round to huge numbers, as `place` may.
        const unsigned first_row = down * kWidth - kMaxShift + unit * kRowsPerUnit;
        const unsigned exist = column < columns ? rows : 0;
        const unsigned place = first_row * pitch + column;
        Word words[Order::kPerThread][kRowsPerUnit];
#pragma unroll
        for (int i = 0; i < Order::kPerThread; ++i) {
#pragma unroll
            for (int k = 0; k < kRowsPerUnit; ++k) {
                const unsigned row = i * Order::kUnitStep * kRowsPerUnit + k;
                // Only the last ones reach behind what the parts consist of.
                const bool needed =
                    i + 1 < Order::kPerThread || unit * kRowsPerUnit + row < kWidth + kMaxShift;
                if (first_row + row < exist && needed)
                    words[i][k] = wideload::detail::access<Policy>::template load<WordBytes>(
                        matrix + (place + row * pitch));
            }
        }
#pragma unroll
        for (int i = 0; i < Order::kPerThread; ++i)
            Tile::put(shared, unit + i * Order::kUnitStep, chunk, words[i]);
    }

    /// Writes the tile to the transposed matrix at `matrix`, of `columns` rows of `rows` elements,
    /// `pitch` elements apart.
    template <class Policy = cached>
    static WIDELOAD_DEVICE void drain(const storage& shared, T* matrix, unsigned pitch,
                                      unsigned rows, unsigned columns, unsigned down,
                                      unsigned first_column, unsigned thread) {
        constexpr unsigned kLanes = power_of_two_from(kWidthWords);
        constexpr unsigned kPerSector = kSectorBytes / kSize;
        constexpr int kStep = Threads / kLanes, kSteps = Columns * kLanes / Threads;
        static_assert(
            Threads % kLanes == 0 && Columns * kLanes % Threads == 0 && kLanes >= Tile::kWarpChunks,
            "block::sheared_transpose: the threads must fill whole columns");
        const unsigned own = thread % kLanes, column = thread / kLanes;
        if (own >= kWidthWords) return;
        const unsigned begin =
            static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(matrix)) / kSize;
        const unsigned place = (first_column + column) * pitch + down * kWidth;
#pragma unroll
        for (int i = 0; i < kSteps; ++i) {
            if (first_column + column + i * kStep >= columns) break;
            const unsigned shift = (begin + place + i * kStep * pitch) % kPerSector;
            const Word word =
                Tile::get(shared, column + i * kStep, own + (kMaxShift - shift) / kPerWord);
            const unsigned along = own * kPerWord - shift;
            if (down * kWidth + along < rows)
                wideload::detail::access<Policy>::template store<WordBytes>(
                    matrix + (place + i * kStep * pitch + along), word);
        }
    }
};

}  // namespace wideload::block
