// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/support/integer.cuh>
#include <wideload/support/turn.cuh>
#include <wideload/thread/access.cuh>

#include <cstring>

namespace wideload::block {

/// A tile of `Rows` × `Columns` elements in shared memory that is written along its rows and read
/// along its columns, a word at a time on the outside of both, without bank conflicts.
///
/// A lane puts the word it loaded from a row, one unit of at least 4 bytes per column (elements
/// narrower than that come from neighbouring rows, turned in registers), and gets a word of a
/// column. The words of a column, its groups, lie in an order that is XORed with the number of the
/// row's word, its chunk, that the column belongs to, so that the lanes that shared memory serves
/// together meet different banks both ways. Source: XOR swizzles as in NVIDIA's CUTLASS.
///
/// @tparam T          1, 2, 4, 8 or 16 bytes
/// @tparam Corners    whether that holds as well where a matrix fills but a corner of the tile, and
///                    one or two groups of each column are wanted; costs a register
/// @tparam WordBytes  16, or 8 for narrower elements
template <class T, int Rows, int Columns, bool Corners = true, int WordBytes = kWideBytes>
class swizzled_tile {
    static constexpr int kSize = static_cast<int>(sizeof(T));
    static_assert(is_power_of_two(sizeof(T)) && sizeof(T) <= kWideBytes,
                  "block::swizzled_tile: elements of 1, 2, 4, 8 or 16 bytes");
    static_assert(Rows * kSize % kLineBytes == 0 && Columns * kSize % kLineBytes == 0,
                  "block::swizzled_tile: rows and columns must be multiples of 128 bytes");
    static_assert(WordBytes == kWideBytes || (WordBytes == 8 && WordBytes > kSize),
                  "block::swizzled_tile: words of 16 bytes, or of 8 and several elements");

public:
    using word = detail::access_word_t<WordBytes>;
    /// Elements of a row, or of a column, in a word.
    static constexpr int kPerWord = WordBytes / kSize;
    /// Rows that a lane loads a word from before it can put them.
    static constexpr int kRowsPerUnit = kSize >= 4 ? 1 : 4 / kSize;
    /// Row units of the tile, and words of a row, its chunks: what `put` counts in.
    static constexpr int kRowUnits = Rows / kRowsPerUnit;
    static constexpr int kRowChunks = Columns / kPerWord;
    /// Words of a column, its groups: what `get` counts in.
    static constexpr int kColumnGroups = Rows / kPerWord;

    /// Lanes that `put` together must be those of a warp in this order: the chunks that make a
    /// line, of each of so many row units.
    static constexpr int kWarpChunks = kLineBytes / WordBytes;
    static constexpr int kWarpUnits = kWarpLanes / kWarpChunks;

    /// Where the threads of a block put: warps cover a line of each of their row units, and a
    /// thread's next item is a whole number of row units further down.
    template <int Threads>
    struct put_order {
        static constexpr int kItems = kRowUnits * kRowChunks;
        static_assert(Threads > 0 && Threads % kWarpLanes == 0,
                      "block::swizzled_tile: whole warps of threads");
        static_assert(kItems % Threads == 0,
                      "block::swizzled_tile: the threads must divide the tile's words");
        static constexpr int kWarpsAcross = kRowChunks / kWarpChunks;
        static_assert(Threads / kWarpLanes % kWarpsAcross == 0,
                      "block::swizzled_tile: the warps must fill whole rows");
        static constexpr int kPerThread = kItems / Threads;
        static constexpr int kUnitStep = Threads / kWarpLanes / kWarpsAcross * kWarpUnits;
        static WIDELOAD_DEVICE unsigned first_unit(unsigned thread) {
            return thread / kWarpLanes / kWarpsAcross * kWarpUnits +
                   thread % kWarpLanes / kWarpChunks;
        }
        static WIDELOAD_DEVICE unsigned own_chunk(unsigned thread) {
            return thread / kWarpLanes % kWarpsAcross * kWarpChunks +
                   thread % kWarpLanes % kWarpChunks;
        }
    };

    struct storage {
        word groups[Columns * kColumnGroups];
    };

    /// Places chunk `chunk` of each row of row unit `unit`.
    static WIDELOAD_DEVICE void put(storage& shared, unsigned unit, unsigned chunk,
                                    const word (&rows)[kRowsPerUnit]) {
        Unit units[kPerWord];
        turn(rows, units);
        constexpr int kGroupUnits = WordBytes / static_cast<int>(sizeof(Unit));
        Unit* base = reinterpret_cast<Unit*>(shared.groups);
        const unsigned even =
            place_of(chunk * kPerWord, unit / kGroupUnits) * kGroupUnits + unit % kGroupUnits;
        const unsigned odd = even ^ kOddTurn * kGroupUnits;
#pragma unroll
        for (int j = 0; j < kPerWord; ++j)
            base[(j % 2 ? odd : even) + j * kColumnGroups * kGroupUnits] = units[j];
    }

    /// Group `group` of column `column`. Neighbouring lanes get neighbouring groups.
    static WIDELOAD_DEVICE word get(const storage& shared, unsigned column, unsigned group) {
        return shared.groups[place_of(column, group)];
    }

private:
    using Unit = detail::access_word_t<(kSize < 4 ? 4 : kSize)>;

    /// What the groups of odd columns are XORed with.
    static constexpr unsigned kOddTurn = Corners ? 2 : 0;

    /// Where a group lies. Those that a warp puts together, and those that it gets of neighbouring
    /// columns that end after a pair of groups, are in banks of their own.
    static WIDELOAD_DEVICE unsigned place_of(unsigned column, unsigned group) {
        return column * kColumnGroups +
               (group ^ (column / kPerWord & (kWarpChunks - 1)) ^ (column & 1) * kOddTurn);
    }

    /// A word of each row to one unit per column.
    static WIDELOAD_DEVICE void turn(const word (&rows)[kRowsPerUnit], Unit (&units)[kPerWord]) {
        if constexpr (kSize >= 4) {
            std::memcpy(units, &rows[0], WordBytes);
        } else {
            constexpr int kParts = WordBytes / 4;
            std::uint32_t parts[kRowsPerUnit][kParts];
            std::memcpy(parts, rows, sizeof(parts));
#pragma unroll
            for (int i = 0; i < kParts; ++i) {
                if constexpr (kSize == 1) {
                    detail::turn_bytes(parts[0][i], parts[1][i], parts[2][i], parts[3][i],
                                       units + 4 * i);
                } else {
                    detail::turn_halves(parts[0][i], parts[1][i], units + 2 * i);
                }
            }
        }
    }
};

}  // namespace wideload::block
