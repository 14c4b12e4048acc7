// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/thread/load.cuh>
#include <wideload/thread/store.cuh>

namespace wideload::block {

/// Transposes tiles of elements whose size is no power of two, or that a block can only touch one by one: elements move as
/// `Units` accesses of the type `Unit`, each warp along one row at a time. Shared memory is padded so that consecutive units
/// of an output row lie in different banks.
/// Source: G. Ruetsch, P. Micikevicius, "Optimizing matrix transpose in CUDA", 2009.
///
/// @tparam Unit    an unsigned integer or vector of 1, 2, 4, 8 or 16 bytes
/// @tparam Units   units per element
/// @tparam Width   elements of a tile along the output's rows
/// @tparam Height  elements of a tile along the input's rows
template <class Unit, int Units, int Width, int Height, int Threads>
class padded_transpose {
    static constexpr int kUnitBytes = sizeof(Unit);
    static constexpr int kElementBytes = kUnitBytes * Units;
    static constexpr int kRowUnits = Height * Units;
    static constexpr int kWidthUnits = Width * Units;
    static constexpr int kWarps = Threads / kWarpLanes;
    /// Units of padding make the pitch congruent to one element, rounded up to words, modulo all banks.
    static constexpr int kPitchUnits = [] {
        constexpr int kWantedBytes = (kElementBytes + 3) / 4 * 4;
        int pitch = kRowUnits;
        while (pitch * kUnitBytes % kLineBytes != kWantedBytes % kLineBytes) ++pitch;
        return pitch;
    }();

   public:
    struct storage {
        Unit units[Width * kPitchUnits];
    };

    /// Reads rows [first_row, first_row + Width) and columns [first_column, first_column + Height) of a matrix of
    /// rows × columns elements.
    template <class Policy = cached>
    static WIDELOAD_DEVICE void stage(storage& shared, const Unit* matrix, std::size_t rows, std::size_t columns,
                                      std::size_t first_row, std::size_t first_column, int thread) {
        const int lane = thread % kWarpLanes;
        const int valid_units = clamp((columns - first_column) * Units, kRowUnits);
        const int valid_rows = clamp(rows - first_row, Width);
        const Unit* source = matrix + (first_row * columns + first_column) * Units;
        constexpr int kRounds = (kRowUnits + kWarpLanes - 1) / kWarpLanes;
#pragma unroll 2
        for (int row = thread / kWarpLanes; row < valid_rows; row += kWarps) {
            const Unit* row_begin = source + row * columns * Units;
            Unit held[kRounds];
#pragma unroll
            for (int i = 0; i < kRounds; ++i) {
                const int unit = lane + i * kWarpLanes;
                if (unit < valid_units) wideload::detail::load_bytes<kUnitBytes, kUnitBytes, Policy>(row_begin + unit, &held[i]);
            }
#pragma unroll
            for (int i = 0; i < kRounds; ++i) {
                const int unit = lane + i * kWarpLanes;
                if (unit < valid_units) shared.units[row * kPitchUnits + unit] = held[i];
            }
        }
    }

    /// Writes the tile to the transposed matrix, of `columns` rows of `rows` elements.
    template <class Policy = cached>
    static WIDELOAD_DEVICE void drain(const storage& shared, Unit* matrix, std::size_t rows, std::size_t columns,
                                      std::size_t first_row, std::size_t first_column, int thread) {
        const int lane = thread % kWarpLanes;
        const int valid_units = clamp((rows - first_row) * Units, kWidthUnits);
        const int valid_columns = clamp(columns - first_column, Height);
        Unit* destination = matrix + (first_column * rows + first_row) * Units;
#pragma unroll 2
        for (int column = thread / kWarpLanes; column < valid_columns; column += kWarps) {
            Unit* row_begin = destination + column * rows * Units;
#pragma unroll
            for (int i = 0; i < (kWidthUnits + kWarpLanes - 1) / kWarpLanes; ++i) {
                const int unit = lane + i * kWarpLanes;
                if (unit < valid_units) {
                    const Unit value = shared.units[unit / Units * kPitchUnits + column * Units + unit % Units];
                    wideload::detail::store_bytes<kUnitBytes, kUnitBytes, Policy>(row_begin + unit, &value);
                }
            }
        }
    }

   private:
    static WIDELOAD_DEVICE int clamp(std::size_t value, int most) {
        return value < static_cast<std::size_t>(most) ? static_cast<int>(value) : most;
    }
};

}  // namespace wideload::block
