// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/block/swizzled_tile.cuh>
#include <wideload/thread/window.cuh>
#include <wideload/warp/exchange.cuh>

namespace wideload::block {

/// Transposes tiles of matrices whose rows start anywhere, down to single bytes, and still moves 16
/// bytes at a time.
///
/// Loads are funnel-shifted into place, so that shared memory holds whole elements at their
/// columns. On the other side the tile is *sheared*: its part of each output row starts at a
/// multiple of `Boundary` bytes, wherever that row starts, and is funnel-shifted out of shared
/// memory. So no two blocks ever write to one sector, except at the ends of rows. For the shear, a
/// tile stages `Boundary` bytes of each column more than it writes, which its neighbour has just
/// read and L2 holds. Source: this library; see bench/library/NOTES.md for what each part is worth.
///
/// @tparam Rows  staged rows: what a tile writes along an output row is Rows * sizeof(T) - Boundary
/// bytes
template <class T, int Rows, int Columns, int Boundary, int Threads>
class shifted_transpose {
    using Tile = swizzled_tile<T, Rows, Columns>;
    static constexpr int kSize = static_cast<int>(sizeof(T));
    static constexpr int kItems = Tile::kRowUnits * Tile::kRowChunks;
    static_assert(Boundary % kWideBytes == 0 && is_power_of_two(Boundary) &&
                      Rows * kSize % Boundary == 0,
                  "block::shifted_transpose: the boundary must be a power of two from 16 bytes "
                  "that divides the rows");
    static_assert(kItems % Threads == 0,
                  "block::shifted_transpose: the threads must divide the tile's 16-byte words");

public:
    using storage = typename Tile::storage;
    /// Bytes of an output row that a tile writes.
    static constexpr int kWidthBytes = Rows * kSize - Boundary;

    /// Tiles that cover an output row of `rows` elements wherever it starts.
    static WIDELOAD_HOST_DEVICE std::size_t tiles_along_output(std::size_t rows) {
        return divide_up<std::size_t>(rows * kSize + Boundary - 1, kWidthBytes);
    }

    /// Reads tile number `down` along the output rows, columns [first_column, first_column +
    /// Columns), of the matrix of rows × columns elements at `matrix`. Nothing outside [begin,
    /// end), the matrix or the batch it belongs to, is read.
    template <class Policy = cached>
    static WIDELOAD_DEVICE void stage(storage& shared, const char* matrix, std::size_t rows,
                                      std::size_t columns, std::size_t down,
                                      std::size_t first_column, const char* begin, const char* end,
                                      int thread) {
        // May start before the matrix: such rows wrap round to huge numbers and fail the test like
        // those behind it.
        const std::size_t first_row = down * (kWidthBytes / kSize) - Boundary / kSize;
        if (down != 0 && first_row + Rows <= rows && first_column + Columns <= columns) {
            const char* first = matrix + (first_row * columns + first_column) * kSize;
            const char* last = first + ((Rows - 1) * columns + Columns) * kSize;
            if (first - begin >= kWideBytes && end - last >= 2 * kWideBytes)
                return stage_inside<Policy>(shared, first, columns * kSize, thread);
        }
        using Window = wideload::detail::Window<Policy>;
        const typename Window::Bounds bounds(begin, end);
#pragma unroll 1
        for (int first = 0; first < kItems / Threads; first += kBatch) {
            Window windows[kBatch][Tile::kRowsPerUnit];
#pragma unroll
            for (int i = 0; i < kBatch; ++i) {
                const Position at = position(thread + (first + i) * Threads);
                const std::size_t column = first_column + at.chunk * Tile::kPerWord;
#pragma unroll
                for (int k = 0; k < Tile::kRowsPerUnit; ++k) {
                    const std::size_t row = first_row + at.unit * Tile::kRowsPerUnit + k;
                    windows[i][k].fetch(matrix + (row * columns + column) * kSize,
                                        row < rows && column < columns, bounds);
                }
            }
#pragma unroll
            for (int i = 0; i < kBatch; ++i) {
                const Position at = position(thread + (first + i) * Threads);
                uint4 loaded[Tile::kRowsPerUnit];
#pragma unroll
                for (int k = 0; k < Tile::kRowsPerUnit; ++k)
                    loaded[k] = windows[i][k].value(bounds);
                Tile::put(shared, at.unit, at.chunk, loaded);
            }
        }
    }

    /// Writes the tile to the transposed matrix at `matrix`, of `columns` rows of `rows` elements.
    /// All lanes of a warp must call together.
    template <class Policy = cached>
    static WIDELOAD_DEVICE void drain(const storage& shared, char* matrix, std::size_t rows,
                                      std::size_t columns, std::size_t down,
                                      std::size_t first_column, int thread) {
        const std::size_t row_bytes = rows * kSize;
        const std::size_t first_byte = down * kWidthBytes;
        char* first_row = matrix + first_column * row_bytes;
        if (down != 0 && first_byte + kWidthBytes <= row_bytes &&
            first_column + Columns <= columns) {
#pragma unroll
            for (int step = 0; step < kDrainSteps; ++step) {
                const Piece piece(shared, first_row + first_byte, row_bytes,
                                  thread + step * Threads);
                if (piece.exists) {
                    wideload::detail::access<Policy>::template store<kWideBytes>(piece.address,
                                                                                 piece.bytes);
                }
            }
            return;
        }
#pragma unroll kUnroll
        for (int step = 0; step < kDrainSteps; ++step) {
            const Piece piece(shared, first_row + first_byte, row_bytes, thread + step * Threads);
            if (!piece.exists || first_column + piece.column >= columns) continue;
            char* row_begin = first_row + piece.column * row_bytes;
            const std::ptrdiff_t byte = piece.address - row_begin;
            if (byte >= 0 && byte + kWideBytes <= static_cast<std::ptrdiff_t>(row_bytes)) {
                wideload::detail::access<Policy>::template store<kWideBytes>(piece.address,
                                                                             piece.bytes);
            } else if (byte > -kWideBytes && byte < static_cast<std::ptrdiff_t>(row_bytes)) {
                const char* row_end = row_begin + row_bytes;
                if (((reinterpret_cast<std::uintptr_t>(row_begin) | row_bytes) & 3) == 0) {
                    wideload::detail::store_window_words(piece.address, piece.bytes, row_begin,
                                                         row_end);
                } else {
                    wideload::detail::store_window_part(piece.address, piece.bytes, row_begin,
                                                        row_end);
                }
            }
        }
    }

private:
    /// `stage` of a tile that lies inside the matrix with words to spare on all sides: nothing to
    /// test. `first` is its first element.
    template <class Policy>
    static WIDELOAD_DEVICE void stage_inside(storage& shared, const char* first, std::size_t pitch,
                                             int thread) {
        constexpr int kWarpsAcross = Tile::kRowChunks / Tile::kWarpChunks;
        constexpr int kUnitStep = Threads / kWarpLanes / kWarpsAcross * Tile::kWarpUnits;
        static_assert(Threads / kWarpLanes % kWarpsAcross == 0,
                      "block::shifted_transpose: the warps must fill whole rows");
        constexpr int kTogether = kItems / Threads % kInsideBatch == 0 ? kInsideBatch : 1;
        const Position own = position(thread);
        const char* source = first + own.unit * Tile::kRowsPerUnit * pitch + own.chunk * kWideBytes;
#pragma unroll
        for (int item = 0; item < kItems / Threads; item += kTogether) {
            uint4 low[kTogether][Tile::kRowsPerUnit], high[kTogether][Tile::kRowsPerUnit];
            unsigned shift[kTogether][Tile::kRowsPerUnit];
#pragma unroll
            for (int i = 0; i < kTogether; ++i) {
#pragma unroll
                for (int k = 0; k < Tile::kRowsPerUnit; ++k) {
                    const int row = (item + i) * kUnitStep * Tile::kRowsPerUnit + k;
                    const char* address = source + row * pitch;
                    shift[i][k] = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(address) &
                                                        (kWideBytes - 1));
                    using Access = wideload::detail::access<Policy>;
                    low[i][k] = Access::template load<kWideBytes>(address - shift[i][k]);
                    high[i][k] =
                        Access::template load<kWideBytes>(address - shift[i][k] + kWideBytes);
                }
            }
#pragma unroll
            for (int i = 0; i < kTogether; ++i) {
                uint4 loaded[Tile::kRowsPerUnit];
#pragma unroll
                for (int k = 0; k < Tile::kRowsPerUnit; ++k)
                    loaded[k] = funnel_shift_bytes(low[i][k], high[i][k], shift[i][k]);
                Tile::put(shared, own.unit + (item + i) * kUnitStep, own.chunk, loaded);
            }
        }
    }

    static constexpr int kDrainSteps = Columns * Tile::kColumnGroups / Threads;
    static_assert(Columns * Tile::kColumnGroups % Threads == 0 &&
                      kWarpLanes % Tile::kColumnGroups == 0,
                  "block::shifted_transpose: the threads must divide the tile's columns, and lanes "
                  "of one warp share one");

    /// 16 bytes of what a tile writes, at a multiple of 16. A lane gets one group of a column and
    /// what follows it from the next lane: two groups from shared memory would put lanes of two
    /// columns into the same banks.
    struct Piece {
        bool exists;  ///< a column has more groups than pieces
        int column;
        char* address;
        uint4 bytes;

        /// `first` is where the first column's part would start without shear.
        WIDELOAD_DEVICE Piece(const storage& shared, char* first, std::size_t row_bytes,
                              int index) {
            const int group = index % Tile::kColumnGroups;
            column = index / Tile::kColumnGroups;
            char* unsheared = first + column * row_bytes;
            const int early =
                static_cast<int>(reinterpret_cast<std::uintptr_t>(unsheared) & (Boundary - 1));
            const int staged = Boundary - early;
            const int piece = group - staged / kWideBytes;
            exists = piece >= 0 && piece < kWidthBytes / kWideBytes;
            address = unsheared - early + piece * kWideBytes;
            const uint4 low = Tile::get(shared, column, group);
            const uint4 high =
                wideload::warp::exchange_detail::shuffle(low, (index + 1) % kWarpLanes);
            bytes = funnel_shift_bytes(low, high, staged % kWideBytes);
        }
    };

    /// Items whose words a thread of an inner tile has in flight together.
    static constexpr int kInsideBatch = Tile::kRowsPerUnit >= 4 ? 1 : 4 / Tile::kRowsPerUnit;
    /// Items whose words a thread has in flight together.
    static constexpr int kBatch = Tile::kRowsPerUnit == 1 && kItems / Threads % 2 == 0 ? 2 : 1;
    static constexpr int kUnroll = 2;
    struct Position {
        int unit, chunk;
    };
    static WIDELOAD_DEVICE Position position(int item) {
        constexpr int kWarpsAcross = Tile::kRowChunks / Tile::kWarpChunks;
        const int warp = item / kWarpLanes, lane = item % kWarpLanes;
        return {warp / kWarpsAcross * Tile::kWarpUnits + lane / Tile::kWarpChunks,
                warp % kWarpsAcross * Tile::kWarpChunks + lane % Tile::kWarpChunks};
    }
};

}  // namespace wideload::block
