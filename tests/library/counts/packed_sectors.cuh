// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/dispatch/transpose_structs_dispatch.cuh>

#include <map>

#include "transpose_sectors.cuh"

/// What block::packed_transpose moves, and block::grouped_transpose, request by request: words of 4
/// bytes on both sides.
namespace counts {

/// Of a tile that goes by words: so many elements along the output's rows and the input's. As many
/// elements as a `group` begin alike within words; those of the batch that are no whole words are
/// read and written by so many bytes.
struct WordTile {
    std::size_t width, height, size, group, unit;
    std::size_t rows;         ///< that it stages, from group - 1 before its own
    std::size_t lanes;        ///< words that one request has of a row
    bool sheared = true;      ///< or its part of an output row begins at its first row
    bool ends_apart = false;  ///< the batch's first units and its last by a request each

    template <class T, class Tuned, bool Sheared = true>
    static WordTile packed() {
        using Tile = wideload::block::packed_transpose<T, Tuned::kLanes, Tuned::kThreads, Sheared>;
        constexpr std::size_t kPerWord = kWord / sizeof(T);
        return {Tile::kWidth,  Tile::kHeight, sizeof(T),
                kPerWord,      sizeof(T),     Tile::kWidth + kPerWord - 1,
                Tuned::kLanes, Sheared};
    }
    template <int Size>
    static WordTile grouped() {
        using Tile = wideload::detail::GroupedTranspose<Size>;
        constexpr std::size_t kGroup = Size % 2 == 0 ? 2 : 4;
        return {Tile::kWidth,          Tile::kHeight, Size, kGroup, 1,
                Tile::kWidth + kGroup, kLanes,        true, true};
    }

    static constexpr std::size_t kWord = 4;
    /// Rows that one request reads, and columns that one writes.
    std::size_t together() const { return kLanes / lanes; }
};

class WordTiles {
    static constexpr std::size_t kWord = WordTile::kWord;

public:
    static Moved moved(const Matrix& from, const WordTile& tile) {
        WordTiles tiles(from, tile);
        const std::size_t early = tile.sheared ? tile.group - 1 : 0;
        for (std::size_t row = 0; row < from.rows + early; row += tile.width) {
            for (std::size_t column = 0; column < from.columns; column += tile.height)
                tiles.move(row, column);
        }
        return tiles.moved_;
    }

private:
    WordTiles(const Matrix& from, const WordTile& tile)
        : from_(from), to_(from.transposed()), tile_(tile) {}

    /// Addresses, by the requests that ask for them.
    using Requests = std::map<std::size_t, std::set<std::size_t>>;
    static std::size_t sectors_of(const Requests& requests) {
        std::size_t sum = 0;
        for (const auto& [number, addresses] : requests) {
            std::set<std::size_t> touched;
            for (std::size_t address : addresses) touched.insert(address / kSectorBytes);
            sum += touched.size();
        }
        return sum;
    }
    /// Which request of a row's, whose first word is `first`, has a word.
    std::size_t number(std::size_t word, std::size_t first) const {
        return (word - first) / (tile_.lanes * kWord);
    }

    void move(std::size_t first_row, std::size_t column) {
        const std::size_t last_column = std::min<std::size_t>(column + tile_.height, from_.columns);
        const std::size_t early = tile_.group - 1;
        Requests cut;
        for (std::size_t first = 0; first < tile_.rows; first += tile_.together()) {
            Requests words;
            for (std::size_t i = first; i < std::min(first + tile_.together(), tile_.rows); ++i) {
                const bool needed = tile_.sheared || i >= early;
                const std::size_t row = first_row + i - early;
                if (needed && first_row + i >= early && row < from_.rows)
                    read_row(from_.address(row, column), from_.address(row, last_column), words,
                             cut);
            }
            moved_.read += sectors_of(words);
        }
        moved_.read += sectors_of(cut);
        for (std::size_t first = column; first < last_column; ++first) {
            if ((first - column) / tile_.group % tile_.together() == 0)
                write_rows(first_row, first, last_column);
        }
    }

    /// The words that hold [begin, end); of those that reach over the matrix the units within.
    void read_row(std::size_t begin, std::size_t end, Requests& words, Requests& cut) const {
        const std::size_t first = from_.address(0, 0);
        const std::size_t last = from_.address(from_.rows - 1, from_.columns);
        for (std::size_t word = round_down(begin, kWord); word < end; word += kWord) {
            if (word >= first && word + kWord <= last) {
                words[number(word, round_down(begin, kWord))].insert(word);
                continue;
            }
            for (std::size_t at = std::max(word, begin); at < std::min(word + kWord, end);
                 at += tile_.unit)
                cut[tile_.ends_apart && word >= first].insert(at);
        }
    }

    /// The tile's parts of as many output rows as go together: whole words, and the others' units
    /// by one request for each place within a word.
    void write_rows(std::size_t first_row, std::size_t column, std::size_t last_column) {
        Requests words, units[kWord];
        for (std::size_t i = 0; i < tile_.together(); ++i) {
            if (column + i * tile_.group >= last_column) break;
            const std::size_t row = to_.address(column + i * tile_.group, 0);
            std::size_t part = row + first_row * tile_.size;
            while (tile_.sheared && part % kWord != 0) part -= tile_.size;
            const std::size_t begin = first_row == 0 ? row : part;  // part may lie before 0
            const std::size_t end =
                std::min(part + tile_.width * tile_.size, row + from_.rows * tile_.size);
            for (std::size_t word = round_down(begin, kWord); word < end; word += kWord) {
                const std::size_t request = number(word, round_down(part, kWord));
                if (word >= begin && word + kWord <= end) {
                    words[request].insert(word);
                    continue;
                }
                for (std::size_t k = 0; k < kWord; k += tile_.unit) {
                    if (word + k >= begin && word + k < end) units[k][request].insert(word + k);
                }
            }
        }
        moved_.written += sectors_of(words);
        for (const auto& places : units) moved_.written += sectors_of(places);
    }

    Matrix from_, to_;
    WordTile tile_;
    Moved moved_;
};

template <class T, class Tuned, bool Sheared = true>
Moved move_packed_by(const Matrix& from) {
    return WordTiles::moved(from, WordTile::packed<T, Tuned, Sheared>());
}

/// Elements of 1 or 2 bytes at multiples of their size, by the tiles that fit a matrix.
template <int Size>
Moved move_packed(const Matrix& from) {
    using T = wideload::detail::access_word_t<Size>;
    const wideload::detail::PackedUse<T> packed(from.rows, from.columns, 1);
    return wideload::detail::with_packed_tile<T>(
        packed.kind, [&](auto tile) { return move_packed_by<T, decltype(tile)>(from); });
}

}  // namespace counts
