// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/kernel/held_pieces.cuh>
#include <wideload/support/turn.cuh>
#include <wideload/thread/access.cuh>

#include <cstring>

namespace wideload::WIDELOAD_DETAIL {

/// Pieces of rectangles whose rows and columns are whole 16-byte words: those on both sides.
template <class T>
class HeldWords : public HeldCut<T, 8 * kWideBytes / static_cast<int>(sizeof(T))> {
    using Cut = HeldCut<T, 8 * kWideBytes / static_cast<int>(sizeof(T))>;
    using Cut::plan_;

public:
    using Cut::Cut;
    using Cut::kPerWord;
    using Cut::kTileRows;
    using Cut::kTileWords;
    /// Columns of a block are a multiple of this, and rows of the matrix.
    static constexpr int kColumnUnit = kPerWord, kRun = kPerWord;
    /// What lanes store along a line of the output, and so many rows together.
    static constexpr int kLineUnit = kPerWord, kLineRows = kTileRows;
    static constexpr std::size_t words_of_row(std::size_t columns) { return columns / kPerWord; }

    /// Starts copying a piece, or those rows of it, to its slot.
    WIDELOAD_DEVICE void load(unsigned step, unsigned piece, uint4* slot, HeldRows which) const {
        if (piece < plan_.panel_tiles) {
            load_tile(step, piece, slot, which);
        } else if (which == HeldRows::others) {
            const auto copy = [&](const T* from, const T*, unsigned along, unsigned word) {
                async_copy<kWideBytes>(slot + word, from + along * kPerWord);
            };
            Cut::for_moving_words(step, piece, copy);
        }
    }

    /// Writes a piece where it belongs.
    WIDELOAD_DEVICE void store(unsigned step, unsigned piece, const uint4* slot) const {
        if (piece < plan_.panel_tiles) {
            store_tile(step, piece, slot);
        } else {
            const auto copy = [&](const T*, T* to, unsigned along, unsigned word) {
                access<streaming>::store<kWideBytes>(to + along * kPerWord, slot[word]);
            };
            Cut::for_moving_words(step, piece, copy);
        }
    }

private:
    WIDELOAD_DEVICE void load_tile(unsigned step, unsigned piece, uint4* slot,
                                   HeldRows which) const {
        const auto first = Cut::tile(piece);
        const unsigned along = threadIdx.x % kTileWords * kPerWord;
        if (first.column + along >= plan_.columns_of_block) return;
        Cut::for_tile_rows(step, first, which, [&](unsigned row, const T* begin, unsigned word) {
            async_copy<kWideBytes>(slot + place(row, word), begin + along);
        });
    }

    /// A thread turns the elements of a word of as many rows, of 2 bytes those of half a word, of 1
    /// byte of a quarter.
    WIDELOAD_DEVICE void store_tile(unsigned step, unsigned piece, const uint4* slot) const {
        constexpr unsigned kGroups = kTileRows / kPerWord;
        const auto first = Cut::tile(piece);
        const unsigned group = threadIdx.x % kGroups, row = group * kPerWord;
        if (first.row + row >= plan_.rows) return;
#pragma unroll
        for (unsigned i = threadIdx.x / kGroups; i < kTileWords * kParts;
             i += kHeldThreads / kGroups) {
            // Groups whose words lie in the same banks take different halves.
            const unsigned word = i / kParts, part = (i ^ group / kTileWords) % kParts;
            const unsigned column = first.column + word * kPerWord + part * kPartColumns;
            if (column >= plan_.columns_of_block) break;
            Part parts[kPerWord];
#pragma unroll
            for (int k = 0; k < kPerWord; ++k)
                parts[k] = reinterpret_cast<const Part*>(&slot[place(row + k, word)])[part];
            uint4 lines[kPartColumns];
            turn(parts, lines);
            T* target = Cut::target(step, first.row + row, column);
#pragma unroll
            for (int j = 0; j < kPartColumns; ++j, target += plan_.rows)
                access<streaming>::store<kWideBytes>(target, lines[j]);
        }
    }

    /// As many rows as make a word of the output are in one order.
    static WIDELOAD_DEVICE unsigned place(unsigned row, unsigned word) {
        return Cut::place(row, word, row / kPerWord);
    }

    static constexpr int kParts = sizeof(T) == 1 ? 4 : sizeof(T) == 2 ? 2 : 1;
    static constexpr int kPartColumns = kPerWord / kParts;
    using Part = access_word_t<kWideBytes / kParts>;

    /// Rows of a part of a word to the words of its columns.
    static WIDELOAD_DEVICE void turn(const Part (&rows)[kPerWord], uint4 (&lines)[kPartColumns]) {
        if constexpr (sizeof(T) == 1) {
            std::uint32_t turned[4][4];
#pragma unroll
            for (int i = 0; i < 4; ++i)
                turn_bytes(rows[4 * i], rows[4 * i + 1], rows[4 * i + 2], rows[4 * i + 3],
                           turned[i]);
#pragma unroll
            for (int j = 0; j < 4; ++j)
                lines[j] = {turned[0][j], turned[1][j], turned[2][j], turned[3][j]};
        } else {
            T square[kPerWord][kPartColumns];
            std::memcpy(square, rows, sizeof(square));
#pragma unroll
            for (int j = 0; j < kPartColumns; ++j) {
                T turned[kPerWord];
#pragma unroll
                for (int k = 0; k < kPerWord; ++k) turned[k] = square[k][j];
                std::memcpy(&lines[j], turned, kWideBytes);
            }
        }
    }
};

}  // namespace wideload::WIDELOAD_DETAIL
