// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/block/packed_transpose.cuh>

#include "transpose_sectors.cuh"

/// What block::packed_transpose moves, request by request.
namespace counts {

template <class T, class Tuned, bool Sheared = true>
class PackedTiles {
    using Tile = wideload::block::packed_transpose<T, Tuned::kLanes, Tuned::kThreads, Sheared>;
    static constexpr std::size_t kSize = sizeof(T), kWord = 4, kPerWord = kWord / kSize;
    /// Rows that one request reads, and columns that one writes.
    static constexpr std::size_t kTogether = kLanes / Tuned::kLanes;

public:
    static Moved moved(const Matrix& from) {
        PackedTiles tiles(from);
        for (std::size_t down = 0; down < Tile::tiles_along_output(from.rows); ++down) {
            for (std::size_t column = 0; column < from.columns; column += Tile::kHeight)
                tiles.move(down, column);
        }
        return tiles.moved_;
    }

private:
    explicit PackedTiles(const Matrix& from) : from_(from), to_(from.transposed()) {}

    /// One request for what is at such addresses.
    static std::size_t request(const std::set<std::size_t>& addresses) {
        std::set<std::size_t> touched;
        for (std::size_t address : addresses) touched.insert(address / kSectorBytes);
        return touched.size();
    }

    void move(std::size_t down, std::size_t column) {
        const std::size_t last_column =
            std::min<std::size_t>(column + Tile::kHeight, from_.columns);
        // Staged rows are counted from kPerWord - 1 before the tile's own, which sheared ones need.
        const std::size_t own = down * Tile::kWidth + 1, staged = Tile::kWidth + kPerWord - 1;
        std::set<std::size_t> cut;
        for (std::size_t first = 0; first < staged; first += kTogether) {
            std::set<std::size_t> words;
            for (std::size_t i = first; i < std::min(first + kTogether, staged); ++i) {
                const std::size_t row = own + i - kPerWord;
                const bool needed = Sheared || i >= kPerWord - 1;
                if (needed && own + i >= kPerWord && row < from_.rows)
                    read_row(from_.address(row, column), from_.address(row, last_column), words,
                             cut);
            }
            moved_.read += request(words);
        }
        moved_.read += request(cut);
        for (std::size_t first = column; first < last_column; ++first) {
            if ((first - column) / kPerWord % kTogether == 0) write_rows(down, first, last_column);
        }
    }

    /// The words that hold [begin, end); of those that reach over the matrix the elements within.
    void read_row(std::size_t begin, std::size_t end, std::set<std::size_t>& words,
                  std::set<std::size_t>& cut) const {
        const std::size_t first = from_.address(0, 0), last = from_.address(from_.rows, 0);
        for (std::size_t word = round_down(begin, kWord); word < end; word += kWord) {
            if (word >= first && word + kWord <= last) {
                words.insert(word);
                continue;
            }
            for (std::size_t at = std::max(word, begin); at < std::min(word + kWord, end);
                 at += kSize)
                cut.insert(at);
        }
    }

    /// The tile's parts of as many output rows as go together: whole words, and the others'
    /// elements by one request for each place within a word.
    void write_rows(std::size_t down, std::size_t column, std::size_t last_column) {
        std::set<std::size_t> words, elements[kPerWord];
        for (std::size_t i = 0; i < kTogether && column + i * kPerWord < last_column; ++i) {
            const std::size_t row = to_.address(column + i * kPerWord, 0);
            const std::size_t first = row + down * Tile::kWidth * kSize;
            const std::size_t part = Sheared ? first - row % kWord : first;
            const std::size_t begin = Sheared ? std::max(row, part) : part;
            const std::size_t end = std::min(part + Tile::kWidth * kSize, row + from_.rows * kSize);
            for (std::size_t word = round_down(begin, kWord); word < end; word += kWord) {
                if (word >= begin && word + kWord <= end) {
                    words.insert(word);
                    continue;
                }
                for (std::size_t k = 0; k < kPerWord; ++k) {
                    const std::size_t at = word + k * kSize;
                    if (at >= begin && at < end) elements[k].insert(at);
                }
            }
        }
        moved_.written += request(words);
        for (const auto& places : elements) moved_.written += request(places);
    }

    Matrix from_, to_;
    Moved moved_;
};

/// Elements of 1 or 2 bytes at multiples of their size, by the tiles that fit a matrix.
template <int Size>
Moved move_packed(const Matrix& from) {
    using T = wideload::detail::access_word_t<Size>;
    using Tiles = wideload::tuning::PackedTiles<Size>;
    const wideload::detail::PackedUse<T> packed(from.rows, from.columns, 1);
    if (packed.large) return PackedTiles<T, typename Tiles::Large>::moved(from);
    return packed.use.tiles <= wideload::tuning::kFewPackedTiles
               ? PackedTiles<T, typename Tiles::Few>::moved(from)
               : PackedTiles<T, typename Tiles::Small>::moved(from);
}

}  // namespace counts
