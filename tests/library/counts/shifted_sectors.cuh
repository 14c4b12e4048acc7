// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/transpose.cuh>
#include <wideload/tuning/transpose_tuning.cuh>

#include "packed_sectors.cuh"
#include "transpose_sectors.cuh"

/// What wideload/block/shifted_transpose.cuh moves: rows that begin at any byte, by words.
namespace counts {

/// A warp's lanes read 16 bytes each from any address: the aligned word around the first byte, and
/// the next, of which there are those that lie inside the matrix. Bytes of a lane's 16 come one by
/// one where a word that is partly inside holds them.
class WindowRequest {
public:
    explicit WindowRequest(const Matrix& from)
        : begin_(from.offset), end_(from.offset + from.span()) {}

    void add(std::size_t address) {
        const std::size_t word = round_down(address, kWordBytes), next = word + kWordBytes;
        if (word >= begin_ && next <= end_) low_.insert(word / kSectorBytes);
        if (next + kWordBytes <= end_) high_.insert(next / kSectorBytes);
        if (word >= begin_ && next + kWordBytes <= end_) return;
        for (std::size_t i = 0; i < kWordBytes && address + i < end_; ++i)
            bytes_[i].insert((address + i) / kSectorBytes);
    }
    std::size_t sectors() const {
        std::size_t sum = low_.size() + high_.size();
        for (const auto& byte : bytes_) sum += byte.size();
        return sum;
    }

private:
    std::size_t begin_, end_;
    std::set<std::size_t> low_, high_, bytes_[kWordBytes];
};

/// Of the rows of a tile from `first` on that a warp reads together: eight lanes along each of four
/// rows at a time, from `byte` of the row on. The numbers of rows before the first wrap around.
template <class T>
std::size_t sectors_of_windows(const Matrix& from, std::size_t first, std::size_t byte) {
    using Tile = wideload::block::swizzled_tile<T, 128, 128>;
    std::size_t sum = 0;
    for (std::size_t k = 0; k < Tile::kRowsPerUnit; ++k) {
        WindowRequest request(from);
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            const std::size_t row = first + lane / Tile::kWarpChunks * Tile::kRowsPerUnit + k;
            const std::size_t own = byte + lane % Tile::kWarpChunks * kWordBytes;
            if (row < from.rows && own < from.row_bytes()) request.add(from.address(row, 0) + own);
        }
        sum += request.sectors();
    }
    return sum;
}

/// Of a tile, which begins to read as many rows before those that it writes as a part of an output
/// row may begin early.
template <class T>
std::size_t sectors_of_shifted_tile(const Matrix& from, std::size_t down, std::size_t column) {
    using Tuned = wideload::tuning::ShiftedTile<sizeof(T)>;
    using Tile = wideload::block::swizzled_tile<T, Tuned::kRows, Tuned::kColumns>;
    constexpr std::size_t kEarly = Tuned::kBoundary / sizeof(T),
                          kBytes = Tuned::kColumns * sizeof(T);
    constexpr std::size_t kRowsTogether = Tile::kWarpUnits * Tile::kRowsPerUnit;
    constexpr std::size_t kBytesTogether = Tile::kWarpChunks * kWordBytes;
    const std::size_t row = down * (Tuned::kRows - kEarly) - kEarly, byte = column * sizeof(T);
    std::size_t sum = 0;
    for (std::size_t r = 0; r < Tuned::kRows; r += kRowsTogether) {
        for (std::size_t b = 0; b < kBytes; b += kBytesTogether)
            sum += sectors_of_windows<T>(from, row + r, byte + b);
    }
    return sum;
}

/// Output rows are written by words, in sheared parts. What fills none at a row's ends moves by the
/// lanes that share a part, a byte each, or by eight of them, pairs and what is left.
template <class T>
Moved move_shifted(const Matrix& from) {
    using Tuned = wideload::tuning::ShiftedTile<sizeof(T)>;
    using Tile = wideload::block::shifted_transpose<T, Tuned::kRows, Tuned::kColumns,
                                                    Tuned::kBoundary, Tuned::kThreads>;
    Moved moved;
    for (std::size_t down = 0; down < Tile::tiles_along_output(from.rows); ++down) {
        for (std::size_t column = 0; column < from.columns; column += Tuned::kColumns)
            moved.read += sectors_of_shifted_tile<T>(from, down, column);
    }
    const bool by_pairs = Tuned::kRows * sizeof(T) < kWordBytes * kWordBytes;
    const auto sectors_of_end = [&](std::size_t bytes) -> std::size_t {
        if (!by_pairs) return bytes != 0;
        return (bytes >= 2) + bytes % 2;
    };
    const Matrix to = from.transposed();
    for (std::size_t row = 0; row < to.rows; ++row) {
        const std::size_t begin = to.address(row, 0), end = begin + to.row_bytes();
        const std::size_t first = round_up(begin, kWordBytes), last = round_down(end, kWordBytes);
        moved.written += sectors_between(first, last) + sectors_of_end(first - begin) +
                         sectors_of_end(end - last);
    }
    return moved;
}

/// The way that fits a matrix whose rows begin anywhere.
template <int Size>
Moved move_anywhere(const Matrix& from) {
    constexpr int kUnit = wideload::lowest_power_of_two(Size);
    if constexpr (kUnit != Size) {
        if constexpr (wideload::detail::kMayBeGrouped<Size>) {
            if (wideload::detail::prefers_grouped_tiles<Size>(from.rows, from.columns, 1))
                return WordTiles::moved(from, WordTile::grouped<Size>());
        }
        return move_by_units<kUnit, Size / kUnit>(from);
    } else if constexpr (Size == kWordBytes) {
        return move_swizzled<wideload::detail::access_word_t<Size>>(from);
    } else {
        using T = wideload::detail::access_word_t<Size>;
        if (from.offset % Size != 0) return move_shifted<T>(from);
        if constexpr (Size <= 2) {
            return wideload::detail::prefers_shifted_tiles<T>(from.rows, from.columns, 1)
                       ? move_shifted<T>(from)
                       : move_packed<Size>(from);
        } else {
            return from.bytes() <= wideload::tuning::SmallPaddedTile<Size>::kMostBytes
                       ? move_by_units<Size, 1>(from)
                       : move_rotated<T>(from);
        }
    }
}

}  // namespace counts
