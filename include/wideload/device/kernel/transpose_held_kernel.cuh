// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/block/cp_async.cuh>
#include <wideload/device/detail/grid_flags.cuh>
#include <wideload/support/fast_divide.cuh>
#include <wideload/thread/access.cuh>

#include <cstring>

namespace wideload::detail {

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

/// The pieces of each step. Words of a tile lie in shared memory row by row, XORed with the number
/// of the group of rows that make a word of the output: lanes that load a row, and lanes that
/// gather a word each from their group of rows, meet no banks twice.
template <class T>
class HeldPieces {
    static constexpr int kPerWord = kWideBytes / static_cast<int>(sizeof(T));

public:
    static constexpr int kThreads = 256;
    static constexpr int kWords = 1024;   ///< of a slot
    static constexpr int kTileWords = 8;  ///< of a tile's row
    static constexpr int kTileRows = kWords / kTileWords;
    static constexpr int kTileColumns = kTileWords * kPerWord;

    WIDELOAD_DEVICE explicit HeldPieces(const HeldPlan<T>& plan) : plan_(plan) {}

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

    /// Starts copying a piece, or those rows of it, to its slot.
    WIDELOAD_DEVICE void load(unsigned step, unsigned piece, uint4* slot, HeldRows which) const {
        if (piece < plan_.panel_tiles) {
            load_tile(step, piece, slot, which);
        } else if (which == HeldRows::others) {
            move(step, piece - plan_.panel_tiles, [&](const T* from, T*, unsigned word) {
                async_copy<kWideBytes>(slot + word, from);
            });
        }
    }

    /// Writes a piece where it belongs.
    WIDELOAD_DEVICE void store(unsigned step, unsigned piece, const uint4* slot) const {
        if (piece < plan_.panel_tiles) {
            store_tile(step, piece, slot);
        } else {
            move(step, piece - plan_.panel_tiles, [&](const T*, T* to, unsigned word) {
                access<streaming>::store<kWideBytes>(to, slot[word]);
            });
        }
    }

private:
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
    static WIDELOAD_DEVICE unsigned place(unsigned row, unsigned word) {
        return row * kTileWords + (word ^ (row / kPerWord & (kTileWords - 1)));
    }

    WIDELOAD_DEVICE void load_tile(unsigned step, unsigned piece, uint4* slot,
                                   HeldRows which) const {
        const Tile first = tile(piece);
        const unsigned word = threadIdx.x % kTileWords, own_row = threadIdx.x / kTileWords;
        const unsigned column = first.column + word * kPerWord;
        if (column >= plan_.columns_of_block) return;
        constexpr int kStep = kThreads / kTileWords;
#pragma unroll
        for (int i = 0; i < kTileRows / kStep; ++i) {
            const unsigned tile_row = own_row + i * kStep, row = first.row + tile_row;
            const unsigned block = plan_.rows_of_block.quotient(row);
            const HeldRows kind = block + 1 == step   ? HeldRows::before_last_step
                                  : block + 2 == step ? HeldRows::after_last_step
                                                      : HeldRows::others;
            if (row >= plan_.rows || kind != which) continue;
            const T* source = block + 1 >= step
                                  ? element(row, step * plan_.columns_of_block + column)
                                  : element(row + (step - block) * plan_.rows_of_block.divisor(),
                                            block * plan_.columns_of_block + column);
            async_copy<kWideBytes>(slot + place(tile_row, word), source);
        }
    }

    WIDELOAD_DEVICE void store_tile(unsigned step, unsigned piece, const uint4* slot) const {
        constexpr unsigned kGroups = kTileRows / kPerWord;
        const Tile first = tile(piece);
        const unsigned row = threadIdx.x % kGroups * kPerWord;
        if (first.row + row >= plan_.rows) return;
#pragma unroll
        for (unsigned word = threadIdx.x / kGroups; word < kTileWords; word += kThreads / kGroups) {
            const unsigned column = first.column + word * kPerWord;
            if (column >= plan_.columns_of_block) break;
            T square[kPerWord][kPerWord];
#pragma unroll
            for (int i = 0; i < kPerWord; ++i)
                std::memcpy(square[i], &slot[place(row + i, word)], kWideBytes);
            const std::size_t line = std::size_t{step} * plan_.columns_of_block + column;
            T* target = plan_.data + line * plan_.rows + first.row + row;
#pragma unroll
            for (int j = 0; j < kPerWord; ++j) {
                T turned[kPerWord];
#pragma unroll
                for (int i = 0; i < kPerWord; ++i) turned[i] = square[i][j];
                uint4 whole;
                std::memcpy(&whole, turned, kWideBytes);
                access<streaming>::store<kWideBytes>(target + std::size_t{unsigned(j)} * plan_.rows,
                                                     whole);
            }
        }
    }

    /// Calls `act` with where each word of a thread comes from, where it goes and its number.
    template <class Act>
    WIDELOAD_DEVICE void move(unsigned step, unsigned piece, Act act) const {
        unsigned behind = 0;
        const unsigned part = plan_.moves_of_block.remainder(piece, &behind);
        const unsigned block = step + 2 + behind, own = step, rows = plan_.rows_of_block.divisor();
        const unsigned first = part * plan_.move_rows;
        const unsigned valid = first + plan_.move_rows < rows ? plan_.move_rows : rows - first;
        const T* from = element(own * rows + first, block * plan_.columns_of_block);
        T* to = element(block * rows + first, own * plan_.columns_of_block);
#pragma unroll
        for (int i = 0; i < kWords / kThreads; ++i) {
            const unsigned word = threadIdx.x + i * kThreads;
            unsigned row = 0;
            const unsigned along = plan_.words_of_row.remainder(word, &row);
            if (row >= valid) break;
            const std::size_t offset = std::size_t{row} * plan_.columns + along * kPerWord;
            act(from + offset, to + offset, word);
        }
    }

    const HeldPlan<T>& plan_;
};

/// All blocks are there at once. They take the pieces of each step in turn, go on where the last
/// step ended, and wait for each other twice a step: with storing until all have read what the
/// step takes, and with reading block (p, p - 2) until step p - 2 is stored. Each says so half a
/// step before others ask.
template <class T, int Slots, int Blocks>
__global__ void __launch_bounds__(HeldPieces<T>::kThreads, Blocks)
    transpose_held_kernel(const __grid_constant__ HeldPlan<T> plan) {
    extern __shared__ uint4 held_slots[];
    constexpr int kWords = HeldPieces<T>::kWords;
    const HeldPieces<T> pieces(plan);
    const unsigned blocks = gridDim.x;
    const auto slot = [&](unsigned step, int i) {
        return held_slots + ((step & 1) * Slots + i) * kWords;
    };
    /// A step's first piece of this block, where the step begins with block number `begin`.
    const auto first_piece = [&](unsigned begin) { return (blockIdx.x + blocks - begin) % blocks; };
    struct Share {
        unsigned begin, first, count;
    };
    const auto share_of = [&](unsigned step, unsigned begin) {
        return Share{begin, first_piece(begin), pieces.count(step)};
    };
    const auto share_after = [&](unsigned step, const Share& last) {
        return share_of(step, (last.begin + last.count) % blocks);
    };

    Share now = share_of(0, 0), before{0, 0, 0};
    for (int i = 0; i < Slots; ++i) {
        const unsigned piece = now.first + i * blocks;
        if (piece < now.count) pieces.load(0, piece, slot(0, i), HeldRows::others);
    }
    async_commit();
    for (unsigned step = 0; step <= plan.panels; ++step) {
        // Here the last step is stored and the next one read; this one is on its way.
        const Share next = share_after(step + 1, now);
        const auto store = [&](int i) {
            const unsigned piece = before.first + i * blocks;
            if (piece >= before.count) return;
            pieces.store(step - 1, piece, slot(step + 1, i));
            __syncthreads();
        };
        if (step > 0) await_blocks(plan.loaded + step - 1, blocks);
        unsigned stored = 0;
        bool waits = false;
        for (int i = 0; i < Slots; ++i) {
            const unsigned piece = next.first + i * blocks, own = now.first + i * blocks;
            waits = waits || (own < now.count && pieces.touches(step, 2, own)) ||
                    (piece < next.count && pieces.touches(step + 1, 3, piece));
            if (piece >= next.count || !pieces.touches(step + 1, 1, piece)) continue;
            store(i);
            stored |= 1u << i;
            pieces.load(step + 1, piece, slot(step + 1, i), HeldRows::before_last_step);
        }
        if (waits) await_blocks(plan.stored + step - 2, blocks);
        for (int i = 0; i < Slots; ++i) {
            const unsigned piece = now.first + i * blocks;
            if (piece < now.count && pieces.touches(step, 2, piece))
                pieces.load(step, piece, slot(step, i), HeldRows::after_last_step);
        }
        async_commit();
#pragma unroll
        for (int i = 0; i < Slots; ++i) {
            constexpr int kHalf = Slots / 2;
            if (i == kHalf && step < plan.panels) {
                async_wait<kHalf>();
                __syncthreads();
                count_block(plan.loaded + step);
            }
            if ((stored >> i & 1) == 0) store(i);
            const unsigned piece = next.first + i * blocks;
            if (piece < next.count)
                pieces.load(step + 1, piece, slot(step + 1, i), HeldRows::others);
            async_commit();
        }
        __syncthreads();
        if (step > 0) count_block(plan.stored + step - 1);
        before = now;
        now = next;
    }
}

}  // namespace wideload::detail
