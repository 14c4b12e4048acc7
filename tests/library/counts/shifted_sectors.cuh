// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/block/shifted_transpose.cuh>
#include <wideload/tuning/transpose_tuning.cuh>

#include "transpose_sectors.cuh"

/// What wideload/block/shifted_transpose.cuh moves: rows that begin at any byte, by words.
namespace counts {

/// A warp's lanes read 16 bytes each from any address: the aligned word around the first byte, then
/// the one around the last. A lane that has nothing to read, or whose words reach outside of the
/// matrix, reads the matrix's first word instead; in the latter case its bytes come one by one.
class WindowRequest {
public:
    /// @param inner  all lanes' words lie inside: both are read even where one would do
    WindowRequest(const Matrix& from, bool inner)
        : begin_(from.offset), end_(from.offset + from.bytes()), inner_(inner) {}

    void add(std::size_t address, bool wanted) {
        const std::size_t first = round_down(address, kWordBytes);
        const std::size_t last = first == address && !inner_ ? first : first + kWordBytes;
        const bool inside = wanted && first >= begin_ && last + kWordBytes <= end_;
        const std::size_t spare = round_up(begin_, kWordBytes);
        first_.insert((inside ? first : spare) / kSectorBytes);
        last_.insert((inside ? last : spare) / kSectorBytes);
        for (std::size_t i = 0; wanted && !inside && i < kWordBytes && address + i < end_; ++i)
            bytes_[i].insert((address + i) / kSectorBytes);
    }
    std::size_t sectors() const {
        std::size_t sum = first_.size() + last_.size();
        for (const auto& byte : bytes_) sum += byte.size();
        return sum;
    }

private:
    std::size_t begin_, end_;
    bool inner_;
    std::set<std::size_t> first_, last_, bytes_[kWordBytes];
};

/// Of the rows of a tile from `first` on that a warp reads together: eight lanes along each of four
/// rows at a time, from `byte` of the row on. The numbers of rows before the first wrap around.
template <class T>
std::size_t sectors_of_windows(const Matrix& from, std::size_t first, std::size_t byte,
                               bool inner) {
    using Tile = wideload::block::swizzled_tile<T, 128, 128>;
    std::size_t sum = 0;
    for (std::size_t k = 0; k < Tile::kRowsPerUnit; ++k) {
        WindowRequest request(from, inner);
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            const std::size_t row = first + lane / Tile::kWarpChunks * Tile::kRowsPerUnit + k;
            const std::size_t own = byte + lane % Tile::kWarpChunks * kWordBytes;
            request.add(from.address(row, 0) + own, row < from.rows && own < from.row_bytes());
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
    const std::size_t behind = from.address(row + Tuned::kRows - 1, column + Tuned::kColumns);
    const bool inner = down != 0 && row + Tuned::kRows <= from.rows &&
                       column + Tuned::kColumns <= from.columns &&
                       from.address(row, column) >= from.offset + kWordBytes &&
                       behind + 2 * kWordBytes <= from.offset + from.bytes();
    std::size_t sum = 0;
    for (std::size_t r = 0; r < Tuned::kRows; r += kRowsTogether) {
        for (std::size_t b = 0; b < kBytes; b += kBytesTogether)
            sum += sectors_of_windows<T>(from, row + r, byte + b, inner);
    }
    return sum;
}

/// Output rows are written by words, in sheared parts; what fills none at a row's ends moves by
/// words of 4 bytes where rows begin at such, byte by byte elsewhere, in requests of their own.
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
    const Matrix to = from.transposed();
    for (std::size_t row = 0; row < to.rows; ++row) {
        const std::size_t begin = to.address(row, 0), end = to.address(row + 1, 0);
        const std::size_t first = round_up(begin, kWordBytes), last = round_down(end, kWordBytes);
        const std::size_t unit = begin % 4 == 0 && end % 4 == 0 ? 4 : 1;
        moved.written += sectors_between(first, last) + (first - begin + end - last) / unit;
    }
    return moved;
}

/// The way that fits a matrix whose rows begin anywhere.
template <int Size>
Moved move_anywhere(const Matrix& from) {
    constexpr int kUnit = wideload::lowest_power_of_two(Size);
    if constexpr (kUnit != Size) {
        return move_by_units<kUnit, Size / kUnit>(from);
    } else if constexpr (Size == kWordBytes) {
        return move_swizzled<wideload::detail::access_word_t<Size>>(from);
    } else {
        using T = wideload::detail::access_word_t<Size>;
        if constexpr (Size >= 4) {
            if (from.offset % Size == 0) return move_rotated<T>(from);
        }
        return move_shifted<T>(from);
    }
}

}  // namespace counts
