// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/kernel/held_pieces.cuh>
#include <wideload/thread/store.cuh>

#include <climits>
#include <cstring>

namespace wideload::WIDELOAD_DETAIL {

/// So many elements of `size` bytes leave together along a line of the output, where rows are runs
/// of so many: 4 bytes of narrow elements, unless their runs are as wide and so leave their rows
/// too few places to begin at.
constexpr int held_line_unit(int size, int run) { return size < 4 && run <= 2 ? 4 / size : 1; }

/// The columns of a tile: what 8 words hold of a row wherever it begins, or whole steps of warps.
constexpr int held_tile_columns(int size, int run) {
    return 7 * kWideBytes / size + (held_line_unit(size, run) > 1 ? 0 : run);
}

/// Pieces of all rectangles but those of `HeldWords`: rows come as the words that hold them, and
/// leave element by element or, if those are narrow, 4 bytes of a line of the output at a time,
/// gathered from as many rows.
///
/// Rows are an odd number of runs of `Run` elements, or whole words of 16 bytes, and runs lie at
/// multiples of their size: as many rows as a word has runs begin at as many places within one, and
/// each such group of rows has an order of words of its own. So lanes meet no banks twice which
/// read a run of a row each, or an element of every second or fourth row at `Run` places 4 bytes
/// apart.
template <class T, int Run>
class HeldElements : public HeldCut<T, held_tile_columns(sizeof(T), Run)> {
    using Cut = HeldCut<T, held_tile_columns(sizeof(T), Run)>;
    using Cut::plan_;

public:
    using Cut::Cut;
    using Cut::kPerWord;
    using Cut::kTileColumns;
    using Cut::kTileRows;
    using Cut::kTileWords;
    static constexpr int kRun = Run;  ///< the matrix' rows are a multiple of this
    /// What lanes store along a line of the output, and so many rows together.
    static constexpr int kLineUnit = held_line_unit(sizeof(T), Run);
    static constexpr int kLineRows = kLineUnit > 1 ? kWarpLanes / Run* kLineUnit : kWarpLanes;
    /// Columns of a block are a multiple of this: so what moves is as far into a unit before and
    /// after, and rows of all blocks are as far into 4 bytes if they are kLineUnit apart.
    static constexpr int kColumnUnit = Run * kLineUnit;
    static constexpr std::size_t words_of_row(std::size_t columns) {
        return (columns + 2 * kPerWord - Run - 1) / kPerWord;
    }

    WIDELOAD_DEVICE void load(unsigned step, unsigned piece, uint4* slot, HeldRows which) const {
        if (piece < plan_.panel_tiles) {
            load_tile(step, piece, slot, which);
        } else if (which == HeldRows::others) {
            const auto copy = [&](const T* from, const T*, unsigned along, unsigned word) {
                load_word(slot + word, from, from + plan_.columns_of_block, along);
            };
            Cut::for_moving_words(step, piece, copy);
        }
    }

    WIDELOAD_DEVICE void store(unsigned step, unsigned piece, const uint4* slot) const {
        const auto* const elements = reinterpret_cast<const T*>(slot);
        if (piece >= plan_.panel_tiles) {
            store_moving(Cut::moving(step, piece), elements);
        } else if constexpr (kLineUnit > 1) {
            store_tile_by_units(step, piece, elements);
        } else {
            store_tile_by_runs(step, piece, elements);
        }
    }

private:
    static constexpr unsigned kWarps = kHeldThreads / kWarpLanes;
    static constexpr int kRunBytes = Run * static_cast<int>(sizeof(T));
    static constexpr unsigned kUnit = kColumnUnit;
    static constexpr int kUnitBytes = kColumnUnit * static_cast<int>(sizeof(T));

    /// Elements in front of one within its word.
    static WIDELOAD_DEVICE unsigned shift_of(const T* element) {
        return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(element) % kWideBytes) /
               sizeof(T);
    }

    /// Copies what belongs to a row of the word that the matrix begins or ends in.
    static WIDELOAD_DEVICE void load_elements(uint4* to, const T* word, const T* begin,
                                              const T* end) {
#pragma unroll 1
        for (int i = 0; i < kPerWord; i += Run) {
            if (word + i < begin || word + i >= end) continue;
            T* const run = reinterpret_cast<T*>(to) + i;
            if constexpr (kRunBytes >= 4) {
                async_copy<kRunBytes>(run, word + i);
            } else {
#pragma unroll
                for (int k = 0; k < Run; ++k) run[k] = word[i + k];
            }
        }
    }
    /// Starts copying word number `along` of a row, whole unless the matrix begins or ends in it.
    WIDELOAD_DEVICE void load_word(uint4* to, const T* begin, const T* end, unsigned along) const {
        const T* word = begin - shift_of(begin) + along * kPerWord;
        if (word >= end) return;
        const T* behind = plan_.data + std::size_t{plan_.rows} * plan_.columns;
        if (word >= plan_.data && word + kPerWord <= behind) {
            async_copy<kWideBytes>(to, word);
        } else {
            load_elements(to, word, begin, end);
        }
    }

    WIDELOAD_DEVICE unsigned columns_from(unsigned column) const {
        const unsigned rest = plan_.columns_of_block - column;
        return rest < kTileColumns ? rest : kTileColumns;
    }

    static WIDELOAD_DEVICE unsigned order_of(unsigned row) { return row / (kPerWord / Run); }

    WIDELOAD_DEVICE void load_tile(unsigned step, unsigned piece, uint4* slot,
                                   HeldRows which) const {
        const auto first = Cut::tile(piece);
        const unsigned columns = columns_from(first.column);
        Cut::for_tile_rows(step, first, which, [&](unsigned row, const T* begin, unsigned word) {
            load_word(slot + Cut::place(row, word, order_of(row)), begin, begin + columns, word);
        });
    }

    /// Where a lane reads what lies in a row of a tile: `at` its column is the element.
    class Row {
    public:
        Row() = default;
        WIDELOAD_DEVICE Row(const HeldElements& pieces, unsigned step, unsigned row,
                            const typename Cut::Tile& first)
            : begin_(row * kTileWords * kPerWord +
                     shift_of(pieces.source(step, first.row + row, first.column).element)),
              order_(order_of(row) % kTileWords * kPerWord) {}
        WIDELOAD_DEVICE unsigned at(unsigned column) const { return (begin_ + column) ^ order_; }

    private:
        unsigned begin_, order_;
    };

    /// A warp along as many lines of the output as a run has elements.
    WIDELOAD_DEVICE void store_tile_by_runs(unsigned step, unsigned piece, const T* slot) const {
        const auto first = Cut::tile(piece);
        const unsigned lane = threadIdx.x % kWarpLanes, warp = threadIdx.x / kWarpLanes;
        const unsigned columns = columns_from(first.column);
        constexpr unsigned kStep = kWarps * Run;
#pragma unroll
        for (int i = 0; i < kTileRows / kWarpLanes; ++i) {
            const unsigned tile_row = lane + i * kWarpLanes;
            if (first.row + tile_row >= plan_.rows) break;
            const Row row(*this, step, tile_row, first);
            T* target = Cut::target(step, first.row + tile_row, first.column + warp * Run);
#pragma unroll(Run < 4 ? 4 / Run : 1)
            for (unsigned column = warp * Run; column < columns;
                 column += kStep, target += std::size_t{kStep} * plan_.rows) {
                const auto run =
                    *reinterpret_cast<const access_word_t<kRunBytes>*>(slot + row.at(column));
                T elements[Run];
                std::memcpy(elements, &run, sizeof(run));
#pragma unroll
                for (int k = 0; k < Run; ++k)
                    store_bytes<sizeof(T), sizeof(T), streaming>(
                        target + k * std::size_t{plan_.rows}, elements + k);
            }
        }
    }

    /// Lanes along `Run` lines of the output, whose words of 4 bytes they gather from as many rows.
    /// The lines of a warp begin equally far into 4 bytes. The last lane of a line has what is
    /// before the first of its words and behind the last one; the first lanes store that.
    WIDELOAD_DEVICE void store_tile_by_units(unsigned step, unsigned piece, const T* slot) const {
        constexpr unsigned kAlong = kWarpLanes / Run, kRows = kLineRows;
        constexpr unsigned kGroups = kTileRows / kRows, kTeam = kWarps / kGroups;
        constexpr unsigned kStep = kTeam * Run;
        const auto first = Cut::tile(piece);
        const unsigned lane = threadIdx.x % kWarpLanes, warp = threadIdx.x / kWarpLanes;
        const unsigned member = warp % kTeam, group = warp / kTeam * kRows;
        const unsigned own_column =
            member % kLineUnit + member / kLineUnit * kLineUnit * Run + lane / kAlong * kLineUnit;
        const unsigned columns = columns_from(first.column), left = plan_.rows - first.row;
        if (group >= left) return;

        T* target = Cut::target(step, first.row + group, first.column + own_column);
        const unsigned head = (0u - shift_of(target)) % kLineUnit, along = lane % kAlong;
        const auto row_of = [&](unsigned place) { return (head + place) % kRows; };
        Row rows[kLineUnit];
#pragma unroll
        for (int k = 0; k < kLineUnit; ++k)
            rows[k] = Row(*this, step, group + row_of(along * kLineUnit + k), first);
        const auto for_lines = [&](auto store) {
#pragma unroll 4
            for (unsigned column = own_column; column < columns;
                 column += kStep, target += std::size_t{kStep} * plan_.rows) {
                T unit[kLineUnit];
#pragma unroll
                for (int k = 0; k < kLineUnit; ++k) unit[k] = slot[rows[k].at(column)];
                store(unit);
            }
        };
        const unsigned row = row_of(along * kLineUnit);
        if (group + kRows > left) {
            for_lines([&](const T(&unit)[kLineUnit]) {
#pragma unroll
                for (unsigned k = 0; k < kLineUnit; ++k)
                    store_element(target, row_of(along * kLineUnit + k), left - group, unit[k]);
            });
        } else if (head == 0) {
            for_lines([&](const T(&unit)[kLineUnit]) {
                store_bytes<4, 4, streaming>(target + row, unit);
            });
        } else {
            const unsigned edge = row_of(kRows - kLineUnit + along);
            for_lines([&](const T(&unit)[kLineUnit]) {
                if (along < kAlong - 1) store_bytes<4, 4, streaming>(target + row, unit);
                std::uint32_t last;
                std::memcpy(&last, unit, sizeof(last));
                last = __shfl_sync(kFullWarp, last, kAlong - 1, kAlong);
                last >>= along * sizeof(T) * CHAR_BIT;
                if (along < kLineUnit) store_element(target, edge, kRows, static_cast<T>(last));
            });
        }
    }
    static WIDELOAD_DEVICE void store_element(T* target, unsigned row, unsigned rows,
                                              const T& element) {
        if (row < rows) store_bytes<sizeof(T), sizeof(T), streaming>(target + row, &element);
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
            // Both begin equally far into a unit, and are whole ones in all.
            unsigned head = 0;
            if constexpr (kLineUnit > 1) head = (0u - shift_of(to)) % kUnit;
            const unsigned columns = plan_.columns_of_block,
                           units = columns - (head != 0 ? kUnit : 0);
#pragma unroll 4
            for (unsigned i = lane * kUnit; i < units; i += kWarpLanes * kUnit) {
                const auto unit =
                    *reinterpret_cast<const access_word_t<kUnitBytes>*>(from + head + i);
                access<streaming>::store<kUnitBytes>(to + head + i, unit);
            }
            if (head != 0 && lane < kUnit) {
                const unsigned i = lane < head ? lane : columns - kUnit + lane;
                store_bytes<sizeof(T), sizeof(T), streaming>(to + i, from + i);
            }
        }
    }
};

}  // namespace wideload::WIDELOAD_DETAIL
