// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/block/swizzled_tile.cuh>
#include <wideload/thread/access.cuh>
#include <wideload/thread/funnel.cuh>
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
    using Tile = swizzled_tile<T, Rows, Columns, false>;
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
    /// Columns), of the matrix of rows × columns elements at `matrix`, whose rows are `pitch`
    /// elements apart. Nothing outside [begin, end), the matrix or the batch it belongs to, is
    /// read; of what lies between rows, a word on either side.
    template <class Policy = cached>
    static WIDELOAD_DEVICE void stage(storage& shared, const char* matrix, std::size_t rows,
                                      std::size_t columns, std::size_t down,
                                      std::size_t first_column, const char* begin, const char* end,
                                      int thread, std::size_t pitch) {
        // May start before the matrix: such rows wrap round to huge numbers, as those behind it
        // are.
        const std::size_t first_row = down * (kWidthBytes / kSize) - Boundary / kSize;
        const char* first = matrix + (first_row * pitch + first_column) * kSize;
        const std::size_t step = pitch * kSize;
        const Part part{down == 0 ? Boundary / kSize : 0, at_most(rows - first_row, Rows),
                        at_most(columns - first_column, Columns), begin, end};
        const char* last = first + (part.last_row - 1) * step + part.columns * kSize;
        if (first + part.first_row * step - begin < kWideBytes || end - last < 2 * kWideBytes) {
            stage_words<Policy, kAtEnds>(shared, first, step, part, thread);
        } else if (part.first_row != 0 || part.last_row != Rows || part.columns != Columns) {
            stage_words<Policy, kPartial>(shared, first, step, part, thread);
        } else {
            stage_words<Policy, kInside>(shared, first, step, part, thread);
        }
    }

    template <class Policy = cached>
    static WIDELOAD_DEVICE void stage(storage& shared, const char* matrix, std::size_t rows,
                                      std::size_t columns, std::size_t down,
                                      std::size_t first_column, const char* begin, const char* end,
                                      int thread) {
        stage<Policy>(shared, matrix, rows, columns, down, first_column, begin, end, thread,
                      columns);
    }

    /// Writes the tile to the transposed matrix at `matrix`, of `columns` rows of `rows` elements,
    /// `pitch` elements apart. All lanes of a warp must call together.
    template <class Policy = cached>
    static WIDELOAD_DEVICE void drain(const storage& shared, char* matrix, std::size_t rows,
                                      std::size_t columns, std::size_t down,
                                      std::size_t first_column, int thread, std::size_t pitch) {
        const std::size_t row_bytes = rows * kSize, step_bytes = pitch * kSize;
        const std::size_t first_byte = down * kWidthBytes;
        char* first_row = matrix + first_column * step_bytes;
        if (down != 0 && first_byte + kWidthBytes <= row_bytes &&
            first_column + Columns <= columns) {
#pragma unroll
            for (int step = 0; step < kDrainSteps; ++step) {
                const Piece piece(shared, first_row + first_byte, step_bytes,
                                  thread + step * Threads);
                if (piece.exists) {
                    wideload::detail::access<Policy>::template store<kWideBytes>(piece.address,
                                                                                 piece.bytes);
                }
            }
            return;
        }
        const int valid_columns = at_most(columns - first_column, Columns);
        // May be negative: a row may end within the bytes by which its part starts early.
        const std::ptrdiff_t rest = static_cast<std::ptrdiff_t>(row_bytes - first_byte);
        const int end = rest < kWidthBytes ? static_cast<int>(rest) : kWidthBytes;
#pragma unroll
        for (int step = 0; step < kDrainSteps; ++step) {
            const int index = thread + step * Threads;
            if (index / kWarpLanes * kWarpColumns >= valid_columns) return;
            const Piece piece(shared, first_row + first_byte, step_bytes, index);
            const bool wanted = piece.column < valid_columns;
            if (wanted && piece.exists && (down != 0 || piece.first_byte() >= 0) &&
                piece.first_byte() + kWideBytes <= end) {
                wideload::detail::access<Policy>::template store<kWideBytes>(piece.address,
                                                                             piece.bytes);
            }
            if (down == 0) piece.template store_end<Policy>(wanted, 0, 0, end);
            if (end < kWidthBytes)
                piece.template store_end<Policy>(wanted, end, down == 0 ? 0 : -Boundary, end);
        }
    }
    template <class Policy = cached>
    static WIDELOAD_DEVICE void drain(const storage& shared, char* matrix, std::size_t rows,
                                      std::size_t columns, std::size_t down,
                                      std::size_t first_column, int thread) {
        drain<Policy>(shared, matrix, rows, columns, down, first_column, thread, rows);
    }

private:
    /// What of a tile's staged rows and columns is inside the matrix, and what may be read.
    struct Part {
        int first_row, last_row, columns;
        const char *begin, *end;
        WIDELOAD_DEVICE bool has_row(int row) const { return row >= first_row && row < last_row; }
    };
    static WIDELOAD_DEVICE int at_most(std::size_t value, int most) {
        return value < static_cast<std::size_t>(most) ? static_cast<int>(value) : most;
    }

    /// Tiles inside the matrix, of which nothing is tested, those partly inside, and those of them
    /// at the ends of what may be read.
    enum Place { kInside, kPartial, kAtEnds };

    /// `first` is the tile's first element.
    template <class Policy, Place At>
    static WIDELOAD_DEVICE void stage_words(storage& shared, const char* first, std::size_t pitch,
                                            const Part& part, int thread) {
        using Access = wideload::detail::access<Policy>;
        constexpr int kWarpsAcross = Tile::kRowChunks / Tile::kWarpChunks;
        constexpr int kUnitStep = Threads / kWarpLanes / kWarpsAcross * Tile::kWarpUnits;
        static_assert(Threads / kWarpLanes % kWarpsAcross == 0,
                      "block::shifted_transpose: the warps must fill whole rows");
        constexpr int kTogether = kItems / Threads % kInsideBatch == 0 ? kInsideBatch : 1;
        const Position own = position(thread);
        if (At != kInside && own.chunk * Tile::kPerWord >= part.columns) return;
        const int own_row = own.unit * Tile::kRowsPerUnit;
        const char* source = first + own_row * pitch + own.chunk * kWideBytes;
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
                    const char* word = address - shift[i][k];
                    bool reads_low = true, reads_high = true;
                    if constexpr (At != kInside) {
                        low[i][k] = high[i][k] = make_uint4(0, 0, 0, 0);
                        reads_low = reads_high = part.has_row(own_row + row);
                    }
                    if constexpr (At == kAtEnds) {
                        reads_low &= word >= part.begin && part.end - word >= kWideBytes;
                        reads_high &= part.end - word >= 2 * kWideBytes;
                    }
                    if (reads_low) low[i][k] = Access::template load<kWideBytes>(word);
                    if (reads_high)
                        high[i][k] = Access::template load<kWideBytes>(word + kWideBytes);
                }
            }
#pragma unroll
            for (int i = 0; i < kTogether; ++i) {
                uint4 loaded[Tile::kRowsPerUnit];
#pragma unroll
                for (int k = 0; k < Tile::kRowsPerUnit; ++k)
                    loaded[k] = funnel_shift_bytes(low[i][k], high[i][k], shift[i][k]);
                if constexpr (At == kAtEnds) {
#pragma unroll
                    for (int k = 0; k < Tile::kRowsPerUnit; ++k) {
                        const int row = (item + i) * kUnitStep * Tile::kRowsPerUnit + k;
                        const char* address = source + row * pitch;
                        if (part.has_row(own_row + row) &&
                            (address - part.begin < static_cast<int>(shift[i][k]) ||
                             part.end - address < 2 * kWideBytes - static_cast<int>(shift[i][k])))
                            loaded[k] = load_part(address, part.end);
                    }
                }
                Tile::put(shared, own.unit + (item + i) * kUnitStep, own.chunk, loaded);
            }
        }
    }

    /// The 16 bytes from `address`, which is inside, to `end`, one by one; those behind are zero.
    static WIDELOAD_DEVICE uint4 load_part(const char* address, const char* end) {
        std::uint32_t words[4] = {};
#pragma unroll
        for (int i = 0; i < kWideBytes; ++i) {
            if (i < end - address)
                words[i / 4] |= static_cast<std::uint8_t>(address[i]) << i % 4 * 8;
        }
        return make_uint4(words[0], words[1], words[2], words[3]);
    }

    static constexpr int kWarpColumns = kWarpLanes / Tile::kColumnGroups;
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
        int group;  ///< of the column
        int early;  ///< by how many bytes the column's part starts before the tile's first byte
        char* address;
        uint4 bytes;

        /// `first` is where the first column's part would start without shear.
        WIDELOAD_DEVICE Piece(const storage& shared, char* first, std::size_t step_bytes,
                              int index) {
            group = index % Tile::kColumnGroups;
            column = index / Tile::kColumnGroups;
            char* unsheared = first + column * step_bytes;
            early = static_cast<int>(reinterpret_cast<std::uintptr_t>(unsheared) & (Boundary - 1));
            exists = number() >= 0 && number() < kPieces;
            address = unsheared + first_byte();
            const uint4 low = Tile::get(shared, column, group);
            const uint4 high =
                wideload::warp::exchange_detail::shuffle(low, (index + 1) % kWarpLanes);
            bytes = funnel_shift_bytes(low, high, (Boundary - early) % kWideBytes);
        }
        /// Which one of the column's it is.
        WIDELOAD_DEVICE int number() const { return group - (Boundary - early) / kWideBytes; }
        /// Counted from the tile's first byte, without shear.
        WIDELOAD_DEVICE int first_byte() const { return number() * kWideBytes - early; }

        /// Stores what of bytes [begin, end) lies in the column's piece around byte `edge`, one of
        /// the two: all its lanes together, a byte or two each.
        template <class Policy>
        WIDELOAD_DEVICE void store_end(bool wanted, int edge, int begin, int end) const {
            using Access = wideload::detail::access<Policy>;
            constexpr int kLanes =
                Tile::kColumnGroups < kWideBytes ? Tile::kColumnGroups : kWideBytes;
            constexpr int kBytes = kWideBytes / kLanes;  // 1 or 2: a column is 128 bytes at least
            const int wanted_number = (edge + early) / kWideBytes;
            const int ahead = wanted_number - number();
            const uint4 word = wideload::warp::exchange_detail::shuffle(bytes, threadIdx.x + ahead);
            const int own = wanted_number * kWideBytes - early + group * kBytes;
            const std::uint32_t four = group & kLanes / 2 ? (group & kLanes / 4 ? word.w : word.z)
                                                          : (group & kLanes / 4 ? word.y : word.x);
            const std::uint32_t value = four >> group * kBytes % 4 * 8;
            wanted &= edge + early >= 0 && (edge + early) % kWideBytes != 0 &&
                      wanted_number < kPieces && group < kLanes;
            const bool first = wanted && own >= begin && own < end;
            char* to = address + (own - first_byte());
            if constexpr (kBytes == 1) {
                if (first) Access::template store<1>(to, static_cast<std::uint8_t>(value));
            } else {
                const bool second = wanted && own + 1 >= begin && own + 1 < end;
                if (first && second)
                    Access::template store<2>(to, static_cast<std::uint16_t>(value));
                if (first && !second)
                    Access::template store<1>(to, static_cast<std::uint8_t>(value));
                if (second && !first)
                    Access::template store<1>(to + 1, static_cast<std::uint8_t>(value >> 8));
            }
        }
    };
    static constexpr int kPieces = kWidthBytes / kWideBytes;

    /// Items whose words a thread of an inner tile has in flight together.
    static constexpr int kInsideBatch = Tile::kRowsPerUnit >= 4 ? 1 : 4 / Tile::kRowsPerUnit;
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
