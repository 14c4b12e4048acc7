// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/support/integer.cuh>
#include <wideload/support/turn.cuh>

#include <cstring>

namespace wideload::block {

/// A tile of `Rows` × `Columns` elements in shared memory that is written along its rows and read
/// along its columns, 16 bytes at a time on the outside of both, without bank conflicts.
///
/// A lane puts the 16 bytes it loaded from a row, one unit of at least 4 bytes per column (elements
/// narrower than that come from neighbouring rows, turned in registers), and gets 16 bytes of a
/// column. The groups of 16 bytes of a column lie in an order that is XORed with the number of the
/// 16-byte chunk of the row that the column belongs to, so that the lanes that shared memory serves
/// together meet different banks both ways. Source: XOR swizzles as in NVIDIA's CUTLASS.
///
/// @tparam T        1, 2, 4, 8 or 16 bytes
/// @tparam Corners  whether that holds as well where a matrix fills but a corner of the tile, and
///                  one or two groups of each column are wanted; costs a register
template <class T, int Rows, int Columns, bool Corners = true>
class swizzled_tile {
    static constexpr int kSize = static_cast<int>(sizeof(T));
    static_assert(is_power_of_two(sizeof(T)) && sizeof(T) <= kWideBytes,
                  "block::swizzled_tile: elements of 1, 2, 4, 8 or 16 bytes");
    static_assert(Rows * kSize % kLineBytes == 0 && Columns * kSize % kLineBytes == 0,
                  "block::swizzled_tile: rows and columns must be multiples of 128 bytes");

public:
    /// Elements of a row, or of a column, in 16 bytes.
    static constexpr int kPerWord = kWideBytes / kSize;
    /// Rows that a lane loads 16 bytes from before it can put them.
    static constexpr int kRowsPerUnit = kSize >= 4 ? 1 : 4 / kSize;
    /// Row units of the tile, and 16-byte chunks of a row: what `put` counts in.
    static constexpr int kRowUnits = Rows / kRowsPerUnit;
    static constexpr int kRowChunks = Columns / kPerWord;
    /// 16-byte groups of a column: what `get` counts in.
    static constexpr int kColumnGroups = Rows / kPerWord;

    /// Lanes that `put` together must be those of a warp in this order: 8 chunks of 4 row units
    /// each.
    static constexpr int kWarpChunks = 8, kWarpUnits = 4;

    struct storage {
        uint4 groups[Columns * kColumnGroups];
    };

    /// Places the 16 bytes of chunk `chunk` of each row of row unit `unit`.
    static WIDELOAD_DEVICE void put(storage& shared, unsigned unit, unsigned chunk,
                                    const uint4 (&rows)[kRowsPerUnit]) {
        Unit units[kPerWord];
        turn(rows, units);
        constexpr int kGroupUnits = kWideBytes / static_cast<int>(sizeof(Unit));
        Unit* base = reinterpret_cast<Unit*>(shared.groups);
        const unsigned even =
            place_of(chunk * kPerWord, unit / kGroupUnits) * kGroupUnits + unit % kGroupUnits;
        const unsigned odd = even ^ kOddTurn * kGroupUnits;
#pragma unroll
        for (int j = 0; j < kPerWord; ++j)
            base[(j % 2 ? odd : even) + j * kColumnGroups * kGroupUnits] = units[j];
    }

    /// The 16 bytes of group `group` of column `column`. Neighbouring lanes get neighbouring
    /// groups.
    static WIDELOAD_DEVICE uint4 get(const storage& shared, unsigned column, unsigned group) {
        return shared.groups[place_of(column, group)];
    }

private:
    template <int Bytes, int Dummy = 0>
    struct unit_of {
        using type = std::uint32_t;
    };
    template <int Dummy>
    struct unit_of<8, Dummy> {
        using type = uint2;
    };
    template <int Dummy>
    struct unit_of<16, Dummy> {
        using type = uint4;
    };
    using Unit = typename unit_of<kSize>::type;

    /// What the groups of odd columns are XORed with.
    static constexpr unsigned kOddTurn = Corners ? 2 : 0;

    /// Where a group lies. Those that a warp puts together, and those that it gets of neighbouring
    /// columns that end after a pair of groups, are in banks of their own.
    static WIDELOAD_DEVICE unsigned place_of(unsigned column, unsigned group) {
        return column * kColumnGroups +
               (group ^ (column / kPerWord & (kWarpChunks - 1)) ^ (column & 1) * kOddTurn);
    }

    /// Rows of 16 bytes to one unit per column.
    static WIDELOAD_DEVICE void turn(const uint4 (&rows)[kRowsPerUnit], Unit (&units)[kPerWord]) {
        if constexpr (kSize == 1) {
            detail::turn_bytes(rows[0].x, rows[1].x, rows[2].x, rows[3].x, units);
            detail::turn_bytes(rows[0].y, rows[1].y, rows[2].y, rows[3].y, units + 4);
            detail::turn_bytes(rows[0].z, rows[1].z, rows[2].z, rows[3].z, units + 8);
            detail::turn_bytes(rows[0].w, rows[1].w, rows[2].w, rows[3].w, units + 12);
        } else if constexpr (kSize == 2) {
            detail::turn_halves(rows[0].x, rows[1].x, units);
            detail::turn_halves(rows[0].y, rows[1].y, units + 2);
            detail::turn_halves(rows[0].z, rows[1].z, units + 4);
            detail::turn_halves(rows[0].w, rows[1].w, units + 6);
        } else {
            std::memcpy(units, &rows[0], kWideBytes);
        }
    }
};

}  // namespace wideload::block
