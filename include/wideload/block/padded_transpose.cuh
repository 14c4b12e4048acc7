// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/thread/load.cuh>
#include <wideload/thread/store.cuh>

namespace wideload::block {

/// Transposes tiles of matrices whose rows start anywhere, element by element: elements move as `Units` accesses of the type
/// `Unit`, each warp along one row at a time. Shared memory is padded so that consecutive units of an output row lie in
/// different banks.
///
/// Elements of one unit can be *sheared*: the tile's part of each output row starts at a multiple of `Boundary` bytes,
/// wherever that row starts, so that no two blocks write to one such piece of memory. For that a tile stages a few input
/// rows more, which its neighbour has just read and L2 holds.
/// Source: G. Ruetsch, P. Micikevicius, "Optimizing matrix transpose in CUDA", 2009; the shear is this library's.
///
/// @tparam Unit      an unsigned integer or vector of 1, 2, 4, 8 or 16 bytes
/// @tparam Units     units per element
/// @tparam Width     elements of a tile along the output's rows
/// @tparam Height    elements of a tile along the input's rows
/// @tparam Boundary  bytes; 1: no shear
template <class Unit, int Units, int Width, int Height, int Boundary, int Threads>
class padded_transpose {
    static constexpr int kUnitBytes = sizeof(Unit);
    static constexpr int kElementBytes = kUnitBytes * Units;
    static_assert(Boundary == 1 || (Units == 1 && Boundary >= kElementBytes),
                  "block::padded_transpose: only elements of one unit can start at a boundary");
    static constexpr int kRowUnits = Height * Units;
    static constexpr int kWidthUnits = Width * Units;
    static constexpr int kWarps = Threads / kWarpLanes;
    static constexpr int kRounds = (kRowUnits + kWarpLanes - 1) / kWarpLanes;
    /// The most elements by which a row of the tile starts early.
    static constexpr int kMaxShift = Boundary == 1 ? 0 : Boundary / kElementBytes - 1;
    static constexpr int kStagedRows = Width + kMaxShift;
    /// Units of padding make the pitch congruent to one element, rounded up to words, modulo all banks.
    static constexpr int kPitchUnits = [] {
        constexpr int kWantedBytes = (kElementBytes + 3) / 4 * 4;
        int pitch = kRowUnits;
        while (pitch * kUnitBytes % kLineBytes != kWantedBytes % kLineBytes) ++pitch;
        return pitch;
    }();

   public:
    struct storage {
        Unit units[kStagedRows * kPitchUnits];
    };

    /// Tiles that cover an output row of `rows` elements wherever it starts.
    static WIDELOAD_HOST_DEVICE std::size_t tiles_along_output(std::size_t rows) {
        return divide_up<std::size_t>(rows + kMaxShift, Width);
    }

    /// Reads rows [first_row - kMaxShift, first_row + Width) and columns [first_column, first_column + Height) of a matrix
    /// of rows × columns elements.
    template <class Policy = cached>
    static WIDELOAD_DEVICE void stage(storage& shared, const Unit* matrix, std::size_t rows, std::size_t columns,
                                      std::size_t first_row, std::size_t first_column, int thread) {
        const int lane = thread % kWarpLanes;
        const int valid_units = clamp((columns - first_column) * Units, kRowUnits);
        const std::ptrdiff_t before = kMaxShift - static_cast<std::ptrdiff_t>(first_row);
        const int skipped_rows = before > 0 ? static_cast<int>(before) : 0;
        const int valid_rows = clamp(rows + kMaxShift - first_row, kStagedRows);
        const Unit* source = matrix + ((first_row - kMaxShift) * columns + first_column) * Units;
#pragma unroll kUnroll
        for (int row = thread / kWarpLanes; row < kStagedRows; row += kWarps) {
            const Unit* row_begin = source + row * columns * Units;
            const int units = row >= skipped_rows && row < valid_rows ? valid_units : 0;
            Unit held[kRounds];
#pragma unroll
            for (int i = 0; i < kRounds; ++i) {
                const int unit = lane + i * kWarpLanes;
                if (unit < units) wideload::detail::load_bytes<kUnitBytes, kUnitBytes, Policy>(row_begin + unit, &held[i]);
            }
#pragma unroll
            for (int i = 0; i < kRounds; ++i) {
                const int unit = lane + i * kWarpLanes;
                if (unit < units) shared.units[row * kPitchUnits + unit] = held[i];
            }
        }
    }

    /// Writes the tile to the transposed matrix, of `columns` rows of `rows` elements.
    template <class Policy = cached>
    static WIDELOAD_DEVICE void drain(const storage& shared, Unit* matrix, std::size_t rows, std::size_t columns,
                                      std::size_t first_row, std::size_t first_column, int thread) {
        const int lane = thread % kWarpLanes;
        const int valid_columns = clamp(columns - first_column, Height);
#pragma unroll kUnroll
        for (int column = thread / kWarpLanes; column < valid_columns; column += kWarps) {
            Unit* row_begin = matrix + (first_column + column) * rows * Units;
            const int shift = shift_of(row_begin);
            const int begin = static_cast<std::size_t>(shift) > first_row ? shift - static_cast<int>(first_row) : 0;
            const int end = clamp((rows + shift - first_row) * Units, kWidthUnits);
            Unit* destination = row_begin + (first_row - shift) * Units;
            const Unit* staged = shared.units + (kMaxShift - shift) * kPitchUnits + column * Units;
#pragma unroll
            for (int i = 0; i < (kWidthUnits + kWarpLanes - 1) / kWarpLanes; ++i) {
                const int unit = lane + i * kWarpLanes;
                if (unit >= begin * Units && unit < end) {
                    const Unit value = staged[unit / Units * kPitchUnits + unit % Units];
                    wideload::detail::store_bytes<kUnitBytes, kUnitBytes, Policy>(destination + unit, &value);
                }
            }
        }
    }

   private:
    /// Rows of a warp that are in flight together: as many as make some 8 accesses.
    static constexpr int kUnroll = kRounds >= 8 ? 1 : kRounds >= 4 ? 2 : 4;

    static WIDELOAD_DEVICE int shift_of(const Unit* row) {
        if constexpr (kMaxShift == 0) return 0;
        return static_cast<int>(reinterpret_cast<std::uintptr_t>(row) % Boundary / kElementBytes);
    }
    static WIDELOAD_DEVICE int clamp(std::size_t value, int most) {
        return value < static_cast<std::size_t>(most) ? static_cast<int>(value) : most;
    }
};

}  // namespace wideload::block
