// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/thread/load.cuh>
#include <wideload/thread/store.cuh>

namespace wideload::block {

/// Transposes tiles of matrices whose rows start anywhere, for elements of any size.
///
/// Elements move as `Units` accesses of the type `Unit`, consecutive lanes at consecutive addresses. A tile of the output
/// is `Width` elements wide and sheared: each of its rows starts at a multiple of `Boundary` bytes, wherever the rows of
/// the matrix start, so that no two blocks ever write to one sector. The few input rows that a tile reads besides its own
/// are its neighbour's, and come from L2.
///
/// Shared memory is padded so that consecutive units of an output row lie in different banks.
/// Source: padding as in Ruetsch and Micikevicius (see swizzled_transpose.cuh); the shear is this library's.
///
/// @tparam Unit      an unsigned integer or vector of 1, 2, 4, 8 or 16 bytes
/// @tparam Units     units per element
/// @tparam Width     elements of a tile along the output's rows
/// @tparam Height    elements of a tile along the input's rows
/// @tparam Boundary  bytes; a row of the output's tile starts at a multiple, if whole elements reach one. 1: no shear
template <class Unit, int Units, int Width, int Height, int Boundary, int Threads>
class sheared_transpose {
    static constexpr int kUnitBytes = sizeof(Unit);
    static constexpr int kElementBytes = kUnitBytes * Units;

   public:
    /// Whether elements can be moved on to a boundary at all: 3 floats do not reach every one.
    static constexpr bool kSheared = Units == 1 && Boundary > kElementBytes;
    /// The most elements by which a row of the tile starts early.
    static constexpr int kMaxShift = kSheared ? Boundary / kElementBytes - 1 : 0;
    static constexpr int kStagedRows = Width + kMaxShift;

   private:
    static constexpr int kRowUnits = Height * Units;
    /// Units of padding make the pitch congruent to one element, rounded up to words, modulo all banks.
    static constexpr int kWantedBytes = (kElementBytes + 3) / 4 * 4;
    static constexpr int kPitchUnits = [] {
        int pitch = kRowUnits;
        while (pitch * kUnitBytes % kLineBytes != kWantedBytes % kLineBytes) ++pitch;
        return pitch;
    }();

   public:
    struct storage {
        Unit units[kStagedRows * kPitchUnits];
    };

    /// Tiles that cover an output row of `rows` elements.
    static WIDELOAD_HOST_DEVICE std::size_t tiles_along_output(std::size_t rows) {
        return divide_up<std::size_t>(rows + kMaxShift, Width);
    }

    /// Elements by which the tile's part of the output row that starts at `row` begins early.
    static WIDELOAD_DEVICE int shift_of(const Unit* row) {
        if constexpr (!kSheared) return 0;
        return static_cast<int>(reinterpret_cast<std::uintptr_t>(row) % Boundary / kElementBytes);
    }

    /// Reads input rows [first_row - kMaxShift, first_row + Width) and columns [first_column, first_column + Height) of a
    /// matrix of `rows` × `columns` elements.
    template <class Policy = cached>
    static WIDELOAD_DEVICE void stage(storage& shared, const Unit* matrix, std::size_t rows, std::size_t columns,
                                      std::size_t first_row, std::size_t first_column, int thread) {
        const std::size_t left = (columns - first_column) * Units;
        const int valid_units = left < kRowUnits ? static_cast<int>(left) : kRowUnits;
        const Unit* corner = matrix + first_column * Units;
        constexpr int kTotal = kStagedRows * kRowUnits;
#pragma unroll
        for (int begin = 0; begin < kTotal; begin += Threads * kBatch) {
            Unit held[kBatch];
#pragma unroll
            for (int i = 0; i < kBatch; ++i) {
                const int index = begin + i * Threads + thread;
                const int unit = index % kRowUnits;
                // Rows before the matrix wrap round to huge numbers and fail the test like those behind it.
                const std::size_t row = first_row + (index / kRowUnits) - kMaxShift;
                if ((kTotal % (Threads * kBatch) == 0 || index < kTotal) && row < rows && unit < valid_units) {
                    detail::load_bytes<kUnitBytes, kUnitBytes, Policy>(corner + row * columns * Units + unit, &held[i]);
                }
            }
#pragma unroll
            for (int i = 0; i < kBatch; ++i) {
                const int index = begin + i * Threads + thread;
                if (kTotal % (Threads * kBatch) == 0 || index < kTotal) {
                    shared.units[index / kRowUnits * kPitchUnits + index % kRowUnits] = held[i];
                }
            }
        }
    }

    /// Writes the tile to the transposed matrix, of `columns` rows of `rows` elements.
    template <class Policy = cached>
    static WIDELOAD_DEVICE void drain(const storage& shared, Unit* matrix, std::size_t rows, std::size_t columns,
                                      std::size_t first_row, std::size_t first_column, int thread) {
        constexpr int kWidthUnits = Width * Units;
        constexpr int kTotal = kWidthUnits * Height;
#pragma unroll 8
        for (int begin = 0; begin < kTotal; begin += Threads) {
            const int index = begin + thread;
            if (kTotal % Threads != 0 && index >= kTotal) break;
            const int column = index / kWidthUnits, unit = index % kWidthUnits;
            const std::size_t output_row = first_column + column;
            if (output_row >= columns) continue;
            Unit* row_begin = matrix + output_row * rows * Units;
            const int shift = shift_of(row_begin);
            const int element = unit / Units;
            const std::size_t row = first_row + element - shift;
            if (row < rows) {
                const Unit value =
                    shared.units[(element + kMaxShift - shift) * kPitchUnits + column * Units + unit % Units];
                detail::store_bytes<kUnitBytes, kUnitBytes, Policy>(row_begin + row * Units + unit % Units, &value);
            }
        }
    }

   private:
    /// Units that a thread holds at once, so that their loads are in flight together.
    static constexpr int kBatch = kUnitBytes <= 4 ? 8 : kUnitBytes == 8 ? 4 : 2;
};

}  // namespace wideload::block
