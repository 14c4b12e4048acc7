// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/block/cp_async.cuh>
#include <wideload/support/fast_divide.cuh>
#include <wideload/support/integer.cuh>
#include <wideload/support/turn.cuh>
#include <wideload/thread/store.cuh>

#include <cstring>

namespace wideload::detail {

inline constexpr int kHeldThreads = 256;
inline constexpr int kHeldSlotWords = 1024;  ///< of 16 bytes

/// A rectangle that is transposed in place by blocks which hold a panel at a time in the shared
/// memory of all multiprocessors. It is cut as device/dispatch/transpose_rectangle_dispatch.cuh
/// describes; step p takes panel p, and moves the blocks that lie where it belongs.
///
/// Both are cut into pieces of up to 16 KiB, which fill a slot of shared memory each: tiles of
/// the panel, and rows of the blocks that move. While a block stores those of one step, it reads
/// those of the step after next into the slots that become free.
template <class T>
struct HeldPlan {
    T* data;
    unsigned* loaded;  ///< how many blocks have read all of a step, of each
    unsigned* stored;  ///< how many have stored it
    unsigned rows, columns;
    unsigned panels, columns_of_block;
    unsigned panel_tiles;        ///< of each panel
    unsigned move_rows;          ///< of a piece that moves
    fast_divide rows_of_block;   ///< to find a row's block
    fast_divide tiles_across;    ///< of a panel
    fast_divide moves_of_block;  ///< pieces of a block that moves
    fast_divide words_of_row;    ///< of such a piece
};

/// Which rows of a panel a block loads. Those of block (p - 1, p) are read from there before step
/// p - 1 stores its panel over them, so that block never moves; those of block (p, p - 2) when
/// step p - 2 has stored them.
enum class HeldRows { before_last_step, after_last_step, others };

/// What pieces there are, whatever is done with them; tiles of `TileWords` words a row.
template <class T, int TileWords, int TileColumns>
class HeldCut {
public:
    using value_type = T;
    static constexpr int kPerWord = kWideBytes / static_cast<int>(sizeof(T));
    static constexpr int kTileWords = TileWords, kTileColumns = TileColumns;
    static constexpr int kTileRows = kHeldSlotWords / TileWords;

    WIDELOAD_DEVICE explicit HeldCut(const HeldPlan<T>& plan) : plan_(plan) {}

    /// How many a step has.
    WIDELOAD_DEVICE unsigned count(unsigned step) const {
        if (step >= plan_.panels) return 0;
        const unsigned moving = step + 2 < plan_.panels ? plan_.panels - 2 - step : 0;
        return plan_.panel_tiles + moving * plan_.moves_of_block.divisor();
    }

    /// Whether a piece has rows that belong to blocks number step - `back` of the panel.
    WIDELOAD_DEVICE bool touches(unsigned step, unsigned back, unsigned piece) const {
        if (step < back || piece >= plan_.panel_tiles) return false;
        const unsigned first = plan_.tiles_across.quotient(piece) * kTileRows;
        const unsigned begin = (step - back) * plan_.rows_of_block.divisor();
        return first < begin + plan_.rows_of_block.divisor() && first + kTileRows > begin;
    }

protected:
    struct Tile {
        unsigned row, column;
    };
    WIDELOAD_DEVICE Tile tile(unsigned piece) const {
        unsigned down = 0;
        const unsigned across = plan_.tiles_across.remainder(piece, &down);
        return {down * kTileRows, across * kTileColumns};
    }
    WIDELOAD_DEVICE T* element(unsigned row, unsigned column) const {
        return plan_.data + std::size_t{row} * plan_.columns + column;
    }

    /// Where an element of a panel is read, and when.
    struct Source {
        const T* element;
        HeldRows rows;
    };
    WIDELOAD_DEVICE Source source(unsigned step, unsigned row, unsigned column) const {
        const unsigned block = plan_.rows_of_block.quotient(row);
        return {block + 1 >= step ? element(row, step * plan_.columns_of_block + column)
                                  : element(row + (step - block) * plan_.rows_of_block.divisor(),
                                            block * plan_.columns_of_block + column),
                block + 1 == step   ? HeldRows::before_last_step
                : block + 2 == step ? HeldRows::after_last_step
                                    : HeldRows::others};
    }
    /// Calls `act` with the first element of each of a thread's rows of a tile that are `which`,
    /// and the place of its word of that row, number threadIdx.x % kTileWords.
    template <class Act>
    WIDELOAD_DEVICE void for_tile_rows(unsigned step, const Tile& first, HeldRows which,
                                       Act act) const {
        const unsigned word = threadIdx.x % kTileWords, own_row = threadIdx.x / kTileWords;
        constexpr int kStep = kHeldThreads / kTileWords;
#pragma unroll
        for (int i = 0; i < kTileRows / kStep; ++i) {
            const unsigned tile_row = own_row + i * kStep, row = first.row + tile_row;
            const Source from = source(step, row, first.column);
            if (row < plan_.rows && from.rows == which) act(from.element, place(tile_row, word));
        }
    }
    /// Where an element of the transposed panel is written.
    WIDELOAD_DEVICE T* target(unsigned step, unsigned row, unsigned column) const {
        const std::size_t line = std::size_t{step} * plan_.columns_of_block + column;
        return plan_.data + line * plan_.rows + row;
    }

    /// Rows of a block that move: the first element's place, before and after, and how many.
    struct Moving {
        T *from, *to;
        unsigned rows;
    };
    WIDELOAD_DEVICE Moving moving(unsigned step, unsigned piece) const {
        unsigned behind = 0;
        const unsigned part = plan_.moves_of_block.remainder(piece - plan_.panel_tiles, &behind);
        const unsigned block = step + 2 + behind, rows = plan_.rows_of_block.divisor();
        const unsigned first = part * plan_.move_rows;
        return {element(step * rows + first, block * plan_.columns_of_block),
                element(block * rows + first, step * plan_.columns_of_block),
                first + plan_.move_rows < rows ? plan_.move_rows : rows - first};
    }
    /// Calls `act` with the row and the number in it of each of a thread's words of such a piece,
    /// and its number in the slot.
    template <class Act>
    WIDELOAD_DEVICE void for_words(const Moving& moving, Act act) const {
#pragma unroll
        for (int i = 0; i < kHeldSlotWords / kHeldThreads; ++i) {
            const unsigned word = threadIdx.x + i * kHeldThreads;
            unsigned row = 0;
            const unsigned along = plan_.words_of_row.remainder(word, &row);
            if (row >= moving.rows) break;
            act(row, along, word);
        }
    }

    /// A tile's words lie row by row, XORed with the number of the group of rows that make a word
    /// of the output: lanes that write a row, and lanes that read words or elements of a column of
    /// a tile, meet no banks twice.
    static WIDELOAD_DEVICE unsigned place(unsigned row, unsigned word) {
        return row * kTileWords + (word ^ (row / kPerWord & 7));
    }

    const HeldPlan<T>& plan_;
};

/// Pieces of rectangles whose rows and columns are whole 16-byte words: those on both sides.
template <class T>
class HeldWords : public HeldCut<T, 8, 8 * kWideBytes / static_cast<int>(sizeof(T))> {
    using Cut = HeldCut<T, 8, 8 * kWideBytes / static_cast<int>(sizeof(T))>;
    using Cut::plan_;

public:
    using Cut::Cut;
    using Cut::kPerWord;
    using Cut::kTileRows;
    using Cut::kTileWords;
    /// Columns of a block are a multiple of this.
    static constexpr int kColumnUnit = Cut::kPerWord;
    static constexpr std::size_t words_of_row(std::size_t columns) { return columns / kPerWord; }

    /// Starts copying a piece, or those rows of it, to its slot.
    WIDELOAD_DEVICE void load(unsigned step, unsigned piece, uint4* slot, HeldRows which) const {
        if (piece < plan_.panel_tiles) {
            load_tile(step, piece, slot, which);
        } else if (which == HeldRows::others) {
            const auto moving = Cut::moving(step, piece);
            Cut::for_words(moving, [&](unsigned row, unsigned along, unsigned word) {
                const T* from = moving.from + std::size_t{row} * plan_.columns + along * kPerWord;
                async_copy<kWideBytes>(slot + word, from);
            });
        }
    }

    /// Writes a piece where it belongs.
    WIDELOAD_DEVICE void store(unsigned step, unsigned piece, const uint4* slot) const {
        if (piece < plan_.panel_tiles) {
            store_tile(step, piece, slot);
        } else {
            const auto moving = Cut::moving(step, piece);
            Cut::for_words(moving, [&](unsigned row, unsigned along, unsigned word) {
                T* to = moving.to + std::size_t{row} * plan_.columns + along * kPerWord;
                access<streaming>::store<kWideBytes>(to, slot[word]);
            });
        }
    }

private:
    WIDELOAD_DEVICE void load_tile(unsigned step, unsigned piece, uint4* slot,
                                   HeldRows which) const {
        const auto first = Cut::tile(piece);
        const unsigned along = threadIdx.x % kTileWords * kPerWord;
        if (first.column + along >= plan_.columns_of_block) return;
        Cut::for_tile_rows(step, first, which, [&](const T* row, unsigned place) {
            async_copy<kWideBytes>(slot + place, row + along);
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
                parts[k] = reinterpret_cast<const Part*>(&slot[Cut::place(row + k, word)])[part];
            uint4 lines[kPartColumns];
            turn(parts, lines);
            T* target = Cut::target(step, first.row + row, column);
#pragma unroll
            for (int j = 0; j < kPartColumns; ++j, target += plan_.rows)
                access<streaming>::store<kWideBytes>(target, lines[j]);
        }
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

/// Pieces of rectangles with an odd number of columns, at any element: rows come as the words that
/// hold them, and leave element by element. As many rows as a word has elements begin at as many
/// places within a word, so lanes that read a column meet no banks twice.
template <class T>
class HeldElements : public HeldCut<T, 8, 7 * kWideBytes / static_cast<int>(sizeof(T)) + 1> {
    using Cut = HeldCut<T, 8, 7 * kWideBytes / static_cast<int>(sizeof(T)) + 1>;
    using Cut::plan_;

public:
    using Cut::Cut;
    using Cut::kPerWord;
    using Cut::kTileColumns;
    using Cut::kTileRows;
    using Cut::kTileWords;
    static constexpr int kColumnUnit = 1;
    static constexpr std::size_t words_of_row(std::size_t columns) {
        return (columns + 2 * kPerWord - 2) / kPerWord;
    }

    WIDELOAD_DEVICE void load(unsigned step, unsigned piece, uint4* slot, HeldRows which) const {
        if (piece < plan_.panel_tiles) {
            load_tile(step, piece, slot, which);
        } else if (which == HeldRows::others) {
            const auto moving = Cut::moving(step, piece);
            Cut::for_words(moving, [&](unsigned row, unsigned along, unsigned word) {
                const T* begin = moving.from + std::size_t{row} * plan_.columns;
                load_word(slot + word, begin, begin + plan_.columns_of_block, along);
            });
        }
    }

    WIDELOAD_DEVICE void store(unsigned step, unsigned piece, const uint4* slot) const {
        if (piece < plan_.panel_tiles) {
            store_tile(step, piece, reinterpret_cast<const T*>(slot));
        } else {
            store_moving(Cut::moving(step, piece), reinterpret_cast<const T*>(slot));
        }
    }

private:
    static constexpr unsigned kWarps = kHeldThreads / kWarpLanes;

    /// Elements in front of one within its word.
    static WIDELOAD_DEVICE unsigned shift_of(const T* element) {
        return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(element) % kWideBytes) /
               sizeof(T);
    }

    /// Starts copying word number `along` of a run, whole unless the matrix begins or ends in it.
    WIDELOAD_DEVICE void load_word(uint4* to, const T* begin, const T* end, unsigned along) const {
        const T* word = begin - shift_of(begin) + along * kPerWord;
        if (word >= end) return;
        const T* behind = plan_.data + std::size_t{plan_.rows} * plan_.columns;
        if (word >= plan_.data && word + kPerWord <= behind) {
            async_copy<kWideBytes>(to, word);
            return;
        }
#pragma unroll
        for (int i = 0; i < kPerWord; ++i) {
            if (word + i >= begin && word + i < end)
                async_copy<sizeof(T)>(reinterpret_cast<T*>(to) + i, word + i);
        }
    }

    WIDELOAD_DEVICE unsigned columns_from(unsigned column) const {
        const unsigned rest = plan_.columns_of_block - column;
        return rest < kTileColumns ? rest : kTileColumns;
    }

    WIDELOAD_DEVICE void load_tile(unsigned step, unsigned piece, uint4* slot,
                                   HeldRows which) const {
        const auto first = Cut::tile(piece);
        const unsigned columns = columns_from(first.column);
        Cut::for_tile_rows(step, first, which, [&](const T* row, unsigned place) {
            load_word(slot + place, row, row + columns, threadIdx.x % kTileWords);
        });
    }

    /// A warp along a line of the output, to every kWarps-th.
    WIDELOAD_DEVICE void store_tile(unsigned step, unsigned piece, const T* slot) const {
        const auto first = Cut::tile(piece);
        const unsigned lane = threadIdx.x % kWarpLanes, warp = threadIdx.x / kWarpLanes;
        const unsigned columns = columns_from(first.column);
#pragma unroll
        for (int i = 0; i < kTileRows / kWarpLanes; ++i) {
            const unsigned tile_row = lane + i * kWarpLanes, row = first.row + tile_row;
            if (row >= plan_.rows) break;
            unsigned at = shift_of(Cut::source(step, row, first.column).element) + warp;
            T* target = Cut::target(step, row, first.column + warp);
            const std::size_t lines = std::size_t{kWarps} * plan_.rows;
#pragma unroll 4
            for (unsigned column = warp; column < columns;
                 column += kWarps, at += kWarps, target += lines) {
                const T value =
                    slot[Cut::place(tile_row, at / kPerWord) * kPerWord + at % kPerWord];
                store_bytes<sizeof(T), sizeof(T), streaming>(target, &value);
            }
        }
    }

    /// A warp along a row, to every kWarps-th.
    template <class Moving>
    WIDELOAD_DEVICE void store_moving(const Moving& moving, const T* slot) const {
        const unsigned lane = threadIdx.x % kWarpLanes, warp = threadIdx.x / kWarpLanes;
        const unsigned pitch = plan_.words_of_row.divisor() * kPerWord;
        for (unsigned row = warp; row < moving.rows; row += kWarps) {
            const std::size_t begin = std::size_t{row} * plan_.columns;
            const T* from = slot + row * pitch + shift_of(moving.from + begin);
            T* to = moving.to + begin;
#pragma unroll 4
            for (unsigned i = lane; i < plan_.columns_of_block; i += kWarpLanes)
                store_bytes<sizeof(T), sizeof(T), streaming>(to + i, from + i);
        }
    }
};

}  // namespace wideload::detail
