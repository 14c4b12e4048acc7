// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/block/rotated_transpose.cuh>
#include <wideload/device/dispatch/transpose_tiles_dispatch.cuh>
#include <wideload/tuning/transpose_tuning.cuh>

#include "sectors.cuh"

/// What the transposes move of matrices whose rows begin anywhere, by the ways that the headers of
/// wideload/block/ describe. The sizes of tiles are the library's tuning, which the test asks for.
namespace counts {

/// So many rows of so many elements of so many bytes, `offset` bytes past a line, with so many
/// elements between rows, its own and those that it is transposed to.
struct Matrix {
    std::size_t rows, columns, size, offset, gap = 0, transposed_gap = 0;

    std::size_t row_bytes() const { return columns * size; }
    std::size_t bytes() const { return rows * row_bytes(); }
    /// From its first byte to the last.
    std::size_t span() const { return bytes() + (rows - 1) * gap * size; }
    std::size_t address(std::size_t row, std::size_t column) const {
        return offset + (row * (columns + gap) + column) * size;
    }
    Matrix transposed() const { return {columns, rows, size, offset, transposed_gap, gap}; }

    /// Of all of it, each row by requests of so many bytes.
    std::size_t by_requests(std::size_t request) const { return by_parts(columns, request); }
    /// Each row in parts of so many elements, as tiles have them, by requests.
    std::size_t by_parts(std::size_t elements, std::size_t request) const {
        std::size_t sum = 0;
        for (std::size_t row = 0; row < rows; ++row) {
            for (std::size_t column = 0; column < columns; column += elements)
                sum += sectors_by_requests(address(row, column),
                                           address(row, std::min(column + elements, columns)),
                                           request);
        }
        return sum;
    }
    /// Parts of sheared tiles begin at sectors, so that no two requests meet within one.
    std::size_t by_rows() const { return by_requests(row_bytes()); }
};

/// Rows of whole words, which may begin in the middle of a sector: eight lanes read along a row,
/// and a tile's part of a column is one request.
template <class T>
Moved move_swizzled(const Matrix& from) {
    constexpr std::size_t kLanesAlong = wideload::block::swizzled_tile<T, 128, 128>::kWarpChunks;
    using Small = wideload::tuning::SmallSwizzledTile<sizeof(T)>;
    const std::size_t tile_rows = from.bytes() <= Small::kMostBytes
                                      ? Small::kRows
                                      : wideload::tuning::SwizzledTile<sizeof(T)>::kRows;
    return {from.by_requests(kLanesAlong * kWordBytes),
            from.transposed().by_requests(tile_rows * sizeof(T))};
}

/// Structs, by the units they consist of, and elements that are one: warps along rows, on both
/// sides.
template <int UnitBytes, int Units>
Moved move_by_units(const Matrix& from) {
    using Tile = wideload::tuning::PaddedTile<UnitBytes, Units>;
    using Small = wideload::tuning::SmallStructTile;
    const bool small =
        Units > 1 && Small::kWidth < Tile::kWidth &&
        wideload::detail::fits_small_struct_tiles(from.rows, from.columns, 1, UnitBytes * Units);
    static_assert(Tile::kWidth == Tile::kHeight && Small::kWidth == Small::kHeight,
                  "parts of rows and of columns are alike");
    const std::size_t side = small ? Small::kWidth : Tile::kWidth, request = kLanes * UnitBytes;
    return {from.by_parts(side, request), from.transposed().by_parts(side, request)};
}

/// Sheared tiles of width × height elements read as many rows before their own as a part of an
/// output row may begin early. `read(row, column)` gives the sectors of a row of a tile.
template <class Read>
std::size_t sectors_of_sheared_tiles(const Matrix& from, std::size_t width, std::size_t height,
                                     std::size_t early, Read read) {
    std::size_t sum = 0;
    for (std::size_t first = 0; first < from.rows + early; first += width) {
        for (std::size_t column = 0; column < from.columns; column += height) {
            for (std::size_t row = std::max(first, early) - early;
                 row < std::min(first + width, from.rows); ++row)
                sum += read(first, row, column);
        }
    }
    return sum;
}

/// A row of a tile element by element, warps along it.
inline std::size_t sectors_of_elements(const Matrix& from, std::size_t row, std::size_t column,
                                       std::size_t height) {
    return sectors_by_requests(from.address(row, column),
                               from.address(row, std::min(column + height, from.columns)),
                               kLanes * from.size);
}

/// The words that hold a row of a tile and one more, so many lanes along it.
inline std::size_t sectors_of_row_words(std::size_t address, std::size_t words, std::size_t lanes) {
    const std::size_t begin = round_down(address, kWordBytes);
    return sectors_by_requests(begin, begin + words * kWordBytes, lanes * kWordBytes);
}

/// Elements of 4 or 8 bytes at multiples of their size, in matrices of several tiles each way:
/// those that lie inside read words.
template <class T>
Moved move_rotated(const Matrix& from) {
    using Tuned = wideload::tuning::RotatedTile<sizeof(T)>;
    using Tile = wideload::block::rotated_transpose<T, Tuned::kWidth, Tuned::kWords, Tuned::kLanes,
                                                    Tuned::kBoundary, Tuned::kThreads>;
    constexpr std::size_t kLeast = wideload::tuning::kRotatedLeastTiles;
    if (from.rows < kLeast * Tuned::kWidth || from.columns < kLeast * Tile::kHeight)
        return move_by_units<sizeof(T), 1>(from);
    const auto read = [&](std::size_t first, std::size_t row, std::size_t column) {
        return Tile::is_inside(from.rows, from.columns, first, column)
                   ? sectors_of_row_words(from.address(row, column), Tuned::kWords, Tuned::kLanes)
                   : sectors_of_elements(from, row, column, Tile::kHeight);
    };
    return {sectors_of_sheared_tiles(from, Tuned::kWidth, Tile::kHeight,
                                     Tuned::kBoundary / sizeof(T) - 1, read),
            from.transposed().by_rows()};
}

/// Rows of whole words of 8 bytes that begin anywhere in sectors: lanes read a line's bytes of a
/// row.
template <class T>
Moved move_sheared(const Matrix& from) {
    using Tuned = wideload::tuning::ShearedTile<sizeof(T)>;
    using Tile = wideload::detail::ShearedTranspose<T>;
    const auto read = [&](std::size_t, std::size_t row, std::size_t column) {
        const std::size_t end = std::min<std::size_t>(column + Tuned::kColumns, from.columns);
        return sectors_by_requests(from.address(row, column), from.address(row, end),
                                   wideload::kLineBytes);
    };
    return {sectors_of_sheared_tiles(from, Tile::kWidth, Tuned::kColumns, Tile::kMaxShift, read),
            from.transposed().by_rows()};
}

/// Squares in place. Pairs of tiles that lie inside the matrix read the words that hold their rows,
/// and write whole words and what shares one with a neighbour apart; others go by elements.
template <class T, class Tuned>
Moved move_rotated_in_place(const Matrix& square) {
    constexpr std::size_t kSide = (Tuned::kWords - 1) * kWordBytes / sizeof(T);
    static_assert(Tuned::kWords == Tuned::kLanes, "the words of a row are one request");
    using Tile = wideload::block::rotated_transpose<T, kSide, Tuned::kWords, Tuned::kLanes, 1,
                                                    Tuned::kThreads>;
    const auto inside = [&](std::size_t row, std::size_t column) {
        return row != column && Tile::is_inside(square.rows, square.rows, row, column) &&
               Tile::is_inside(square.rows, square.rows, column, row);
    };
    Moved moved;
    for (std::size_t row = 0; row < square.rows; ++row) {
        for (std::size_t column = 0; column < square.columns; column += kSide) {
            const std::size_t begin = square.address(row, column);
            if (inside(round_down(row, kSide), column)) {
                moved.read += sectors_of_row_words(begin, Tuned::kWords, Tuned::kLanes);
                moved.written += sectors_of_range(begin, begin + kSide * sizeof(T));
            } else {
                moved.read += sectors_of_elements(square, row, column, kSide);
                moved.written += sectors_of_elements(square, row, column, kSide);
            }
        }
    }
    return moved;
}

}  // namespace counts
