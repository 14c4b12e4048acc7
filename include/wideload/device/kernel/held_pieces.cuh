// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/block/cp_async.cuh>
#include <wideload/support/fast_divide.cuh>
#include <wideload/support/integer.cuh>

#include <cstddef>

namespace wideload::WIDELOAD_DETAIL {

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

/// What pieces there are, whatever is done with them; tiles of 8 words a row.
template <class T, int TileColumns>
class HeldCut {
public:
    using value_type = T;
    static constexpr int kPerWord = kWideBytes / static_cast<int>(sizeof(T));
    static constexpr int kTileWords = 8, kTileColumns = TileColumns;
    static constexpr int kTileRows = kHeldSlotWords / kTileWords;

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
    /// Calls `act` with the number in the tile of each of a thread's rows that are `which`, with
    /// its first element, and with the thread's word of it.
    template <class Act>
    WIDELOAD_DEVICE void for_tile_rows(unsigned step, const Tile& first, HeldRows which,
                                       Act act) const {
        const unsigned word = threadIdx.x % kTileWords, own_row = threadIdx.x / kTileWords;
        constexpr int kStep = kHeldThreads / kTileWords;
#pragma unroll
        for (int i = 0; i < kTileRows / kStep; ++i) {
            const unsigned tile_row = own_row + i * kStep, row = first.row + tile_row;
            const Source from = source(step, row, first.column);
            if (row < plan_.rows && from.rows == which) act(tile_row, from.element, word);
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
    /// Calls `act` for each of a thread's words of such a piece: with the places of its row, before
    /// and after, its number in the row and that in the slot.
    template <class Act>
    WIDELOAD_DEVICE void for_moving_words(unsigned step, unsigned piece, Act act) const {
        const Moving moving = this->moving(step, piece);
#pragma unroll
        for (int i = 0; i < kHeldSlotWords / kHeldThreads; ++i) {
            const unsigned word = threadIdx.x + i * kHeldThreads;
            unsigned row = 0;
            const unsigned along = plan_.words_of_row.remainder(word, &row);
            if (row >= moving.rows) break;
            const std::size_t begin = std::size_t{row} * plan_.columns;
            act(moving.from + begin, moving.to + begin, along, word);
        }
    }

    /// Where a word of a tile lies in its slot: row by row, XORed with a number of 3 bits that
    /// tells rows apart whose words would meet in the banks.
    static WIDELOAD_DEVICE unsigned place(unsigned row, unsigned word, unsigned turn) {
        return row * kTileWords + (word ^ (turn & 7));
    }

    const HeldPlan<T>& plan_;
};

}  // namespace wideload::WIDELOAD_DETAIL
