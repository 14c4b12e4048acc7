// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/detail/bank_swizzle.cuh>
#include <wideload/thread/access.cuh>

#include <cstring>

namespace wideload::WIDELOAD_DETAIL {

/// Bytes from a sector on that hold `bytes` bytes, which begin there or anywhere in it.
WIDELOAD_HOST_DEVICE constexpr int staged_bytes(int bytes, bool at_sectors) {
    return bytes + (at_sectors ? 0 : kSectorBytes);
}
/// Rows of 32 words of 16 bytes that hold them.
WIDELOAD_HOST_DEVICE constexpr int staged_rows(int bytes, bool at_sectors) {
    return divide_up(staged_bytes(bytes, at_sectors), kWarpLanes * kWideBytes);
}

/// One side of what a block moves through shared memory: `Ranges` ranges of `Held` items of `Item`
/// bytes. A range lies there as in global memory, as far into a sector, but for the `late` bytes by
/// which that is no whole vector.
///
/// @tparam Units      4-byte units of a range that a lane accesses; the next lane's are next to
/// them
/// @tparam AtSectors  whether all ranges begin at sectors
template <int Item, int Ranges, int Units, int Held, int Warps, bool AtSectors>
struct StagedSide {
    static constexpr int kItem = Item, kRanges = Ranges, kUnits = Units, kWarps = Warps;
    static constexpr bool kAtSectors = AtSectors;
    /// Units of an access: lanes are then an odd number of vectors apart and share no bank, or the
    /// vectors are words of 16 bytes, which a swizzle moves whole.
    static constexpr int kVector = Units % 4 == 0 ? 4 : Units % 2 == 0 ? 2 : 1;
    static constexpr int kVectorBytes = 4 * kVector;
    static constexpr BankSwizzle kSwizzle = BankSwizzle::for_stride(kVectorBytes, 4 * Units);

    /// Bytes of a range in shared memory, whole lines.
    static constexpr int kBytes =
        divide_up(staged_bytes(Held * Item, AtSectors), kLineBytes) * kLineBytes;
    static constexpr int kRows = staged_rows(Held * Item, AtSectors);
    /// Turns in which the block's warps take the rows of all ranges.
    static constexpr int kTurns = divide_up(Ranges * kRows, Warps);

    /// Bytes from the sector in which a range begins to its first.
    static WIDELOAD_DEVICE int bytes_past_sector(const void* base) {
        if constexpr (AtSectors) return 0;
        return static_cast<int>(reinterpret_cast<std::uintptr_t>(base) % kSectorBytes);
    }
};

/// Ranges of a side of which a warp moves the ends.
template <class Side>
inline constexpr int kRangesOfWarp = divide_up(Side::kRanges, Side::kWarps);

/// Which items a block moves: `held` from `first` on, of `left` until the end.
///
/// @tparam AtEdge  whether words that hold bytes of these may reach outside the whole ranges
template <class ShapeType, bool AtEdge>
struct StagedTile {
    using Shape = ShapeType;
    static constexpr bool kAtEdge = AtEdge;
    /// Turns of a loop to write out: all where that decides which rows are whole.
    static constexpr int kUnroll = AtEdge ? 1 : 16;
    std::size_t first, left;

    WIDELOAD_DEVICE int held() const {
        return AtEdge && left < Shape::kHeld ? static_cast<int>(left) : Shape::kHeld;
    }
};

/// One of the ranges of a side, by offsets from the sector in which the tile's bytes begin: bytes
/// past to last - 1.
template <class SideType, class Byte>
struct StagedRange {
    using Side = SideType;
    Byte* sector;
    int past, last;

    template <class Tile>
    WIDELOAD_DEVICE StagedRange(Byte* base, const Tile& tile) {
        static_assert(Tile::Shape::kTileStructs * Side::kItem % kSectorBytes == 0,
                      "all begin alike");
        past = Side::bytes_past_sector(base);
        last = past + tile.held() * Side::kItem;
        sector = base - past + tile.first * Side::kItem;
    }
    WIDELOAD_DEVICE int late() const { return past % Side::kVectorBytes; }
    /// Whether words must be put together from two. Where vectors are single units it costs less to
    /// do so always than to ask.
    WIDELOAD_DEVICE bool is_shifted() const {
        return (Side::kVector == 1 && !Side::kAtSectors) || late() != 0;
    }
};

/// The 16 bytes from byte `from` on, less than `Extra` units or a single one, of neighbouring
/// units.
template <int Extra>
WIDELOAD_DEVICE uint4 word_within(std::uint32_t (&units)[4 + Extra], int from) {
#pragma unroll
    for (int step = Extra / 2; step >= 1; step /= 2) {
#pragma unroll
        for (int i = 0; i < 4 + Extra - step; ++i)
            units[i] = from & 4 * step ? units[i + step] : units[i];
    }
    const unsigned bits = (Extra == 1 ? from : from & 3) * 8;
    return make_uint4(
        __funnelshift_rc(units[0], units[1], bits), __funnelshift_rc(units[1], units[2], bits),
        __funnelshift_rc(units[2], units[3], bits), __funnelshift_rc(units[3], units[4], bits));
}

/// Bytes of a row of words that a warp accesses together.
inline constexpr int kRowBytes = kWarpLanes * kWideBytes;

/// Where in its range a row begins, and the least and most that this is in any warp, which the
/// compiler knows.
struct RowPlace {
    int byte, least, most;
};

/// A row of 32 words on its way to or from shared memory: this lane's, and at the row's end, the
/// last lane's or the first's, the vector beside it.
template <int Vector>
struct StagedRow {
    uint4 word;
    access_word_t<4 * Vector> beside;
};

/// Whether a block has all words of a row whatever its warp.
template <class Side, class Tile>
WIDELOAD_DEVICE constexpr bool is_whole(const RowPlace& row) {
    return !Tile::kAtEdge && row.most + kRowBytes <= Tile::Shape::kHeld * Side::kItem;
}

/// Reads those words of a warp's row that are wanted, but for words at the ends of the whole range
/// that are not all in it.
template <class Policy, class Range, class Tile>
WIDELOAD_DEVICE auto read_row(const Range& range, const Tile& tile, const RowPlace& row, int lane) {
    using Side = typename Range::Side;
    const auto is_wanted = [&](int byte, int bytes) {
        if (is_whole<Side, Tile>(row)) return true;
        if (byte >= range.last) return false;
        if (!Tile::kAtEdge) return true;
        const std::size_t left = tile.left * Side::kItem + range.past;
        return (tile.first != 0 || byte >= range.past) && byte + bytes <= left;
    };
    const int own = row.byte + lane * kWideBytes, next = own + kWideBytes;
    StagedRow<Side::kVector> read{};
    if (is_wanted(own, kWideBytes))
        read.word = access<Policy>::template load<kWideBytes>(range.sector + own);
    if (range.late() != 0 && lane == kWarpLanes - 1 && is_wanted(next, Side::kVectorBytes))
        read.beside = access<Policy>::template load<Side::kVectorBytes>(range.sector + next);
    return read;
}

/// Puts them there. The whole warp must call.
template <class Tile, class Row, class Range>
WIDELOAD_DEVICE void put_row(const Row& read, char* staged, const Range& range, const RowPlace& row,
                             int lane) {
    using Side = typename Range::Side;
    constexpr int kVector = Side::kVector;
    constexpr BankSwizzle kSwizzle = Side::kSwizzle;
    uint4 word = read.word;
    if (range.is_shifted()) {
        std::uint32_t units[4 + kVector], after[kVector];
        std::memcpy(units, &word, sizeof(word));
        std::memcpy(after, &read.beside, sizeof(after));
#pragma unroll
        for (int i = 0; i < kVector; ++i) {
            const std::uint32_t next = __shfl_down_sync(kFullWarp, units[i], 1);
            units[4 + i] = lane == kWarpLanes - 1 ? after[i] : next;
        }
        word = word_within<kVector>(units, range.late());
    }
    const int own = row.byte + lane * kWideBytes;
    if (is_whole<Side, Tile>(row) || own < range.last) put_word(staged, own, word, kSwizzle);
}

/// The byte, from the sector on, that is a lane's of the words at both ends of which only some
/// bytes are meant, those from `begin` to `end` - 1: lanes 0 to 15 have the first word's, the
/// others the last one's. Below 0 where a lane has none.
WIDELOAD_DEVICE int edge_byte(int begin, int end, int lane) {
    const int edge = lane < kWideBytes ? begin : end;
    const int own = edge - edge % kWideBytes + lane % kWideBytes;
    return edge % kWideBytes != 0 && own >= begin && own < end ? own : -1;
}

/// Those of a range that `read_row` leaves out, since their words reach outside.
template <class Range, class Tile>
WIDELOAD_DEVICE int read_edge_byte(const Range& range, const Tile& tile, int lane) {
    constexpr std::size_t kFar = 1 << 20;  // more than a tile has
    const std::size_t left = tile.left * Range::Side::kItem;
    const int own = edge_byte(tile.first == 0 ? range.past : 0,
                              range.past + static_cast<int>(left < kFar ? left : kFar), lane);
    return own >= range.past && own < range.last ? own : -1;
}

/// Reads them. All of a warp's ranges' are asked for before any is put, so that they are under way
/// together.
template <class Policy, class Range, class Tile>
WIDELOAD_DEVICE std::uint8_t read_edges(const Range& range, const Tile& tile, int lane) {
    const int own = read_edge_byte(range, tile, lane);
    return own < 0 ? 0 : access<Policy>::template load<1>(range.sector + own);
}

/// Calls `use()` in the lanes that have a byte of the first end, then in those of the last one's:
/// bytes of both may meet in the banks.
template <class Use>
WIDELOAD_DEVICE void end_by_end(int lane, bool has_byte, const Use& use) {
    if (has_byte && lane < kWideBytes) use();
    __syncwarp();
    if (has_byte && lane >= kWideBytes) use();
}

/// Puts them there. The whole warp must call.
template <class Range, class Tile>
WIDELOAD_DEVICE void put_edges(std::uint8_t read, char* staged, const Range& range,
                               const Tile& tile, int lane) {
    constexpr BankSwizzle kSwizzle = Range::Side::kSwizzle;
    const int own = read_edge_byte(range, tile, lane);
    end_by_end(lane, own >= 0,
               [&] { staged[kSwizzle.place(own - range.late())] = static_cast<char>(read); });
}

/// The bytes of `range` that a tile writes: those in sectors whose first byte is the tile's own,
/// and the first bytes of all.
template <class Range, class Tile>
struct WrittenBytes {
    int begin, end;

    WIDELOAD_DEVICE WrittenBytes(const Range& range, const Tile& tile) {
        constexpr int kTileStructs = Tile::Shape::kTileStructs;
        const int sector = range.past == 0 ? 0 : kSectorBytes;
        begin = sector;
        end = sector + kTileStructs * Range::Side::kItem;
        if (Tile::kAtEdge) {
            if (tile.first == 0) begin = range.past;
            if (tile.left <= kTileStructs || range.last < end) end = range.last;
        }
    }
};

/// Gets from shared memory what `write_row` writes.
template <class Range, class Tile>
WIDELOAD_DEVICE auto get_row(const char* staged, const Range& range, const Tile& tile,
                             const RowPlace& row, int lane) {
    using Side = typename Range::Side;
    constexpr BankSwizzle kSwizzle = Side::kSwizzle;
    const int own = row.byte + lane * kWideBytes;
    StagedRow<Side::kVector> got{};
    if (is_whole<Side, Tile>(row) || own < WrittenBytes(range, tile).end) {
        got.word = get_word(staged, own, kSwizzle);
        if (range.late() != 0 && lane == 0 && row.byte != 0) {
            std::memcpy(&got.beside, staged + kSwizzle.place(own - Side::kVectorBytes),
                        sizeof(got.beside));
        }
    }
    return got;
}

/// Writes the words of a warp's row that are the tile's alone. The whole warp must call.
template <class Policy, class Row, class Range, class Tile>
WIDELOAD_DEVICE void write_row(const Row& got, const Range& range, const Tile& tile,
                               const RowPlace& row, int lane) {
    using Side = typename Range::Side;
    constexpr int kVector = Side::kVector;
    const auto [begin, end] = WrittenBytes(range, tile);
    const int own = row.byte + lane * kWideBytes, late = range.late();
    uint4 word = got.word;
    if (range.is_shifted()) {
        std::uint32_t units[4 + kVector];
        std::memcpy(units, &got.beside, sizeof(got.beside));
        std::memcpy(units + kVector, &word, sizeof(word));
#pragma unroll
        for (int i = 0; i < kVector; ++i) {
            const std::uint32_t last = __shfl_up_sync(kFullWarp, units[4 + i], 1);
            if (lane != 0) units[i] = last;
        }
        word = word_within<kVector>(units, Side::kVectorBytes - late);
    }
    constexpr int kSure = Tile::Shape::kTileStructs * Side::kItem;  // bytes, of more
    const bool begun = !Tile::kAtEdge && row.least >= kSectorBytes;
    const bool ends = Tile::kAtEdge || row.most + kRowBytes > kSure;
    if ((begun || own >= begin) && (!ends || own + (Tile::kAtEdge ? kWideBytes : 1) <= end))
        access<Policy>::template store<kWideBytes>(range.sector + own, word);
}

/// Writes the bytes of words at both ends of a range that `write_row` leaves out. The whole warp
/// must call.
template <class Policy, class Range, class Tile>
WIDELOAD_DEVICE void write_edges(const char* staged, const Range& range, const Tile& tile,
                                 int lane) {
    constexpr BankSwizzle kSwizzle = Range::Side::kSwizzle;
    const auto [begin, end] = WrittenBytes(range, tile);
    const int own = edge_byte(begin, end, lane);
    char byte = 0;
    end_by_end(lane, own >= 0,
               [&, own = own] { byte = staged[kSwizzle.place(own - range.late())]; });
    if (own >= 0)
        access<Policy>::template store<1>(range.sector + own, static_cast<std::uint8_t>(byte));
}

/// Deals a side's rows of 32 words to the block's warps: calls `use(turn, range, row)` for this
/// warp's next `Turns` from turn `first` on. Where they can be, a warp's rows are neighbours of as
/// few ranges as can be, so that addresses of one follow from another's.
template <class Side, int Turns, class Use>
WIDELOAD_DEVICE void for_rows(int first, const Use& use) {
    constexpr int kRows = Side::kRows, kTurns = Side::kTurns, kWarps = Side::kWarps;
    const int warp = threadIdx.x / kWarpLanes % kWarps;  // which tells the compiler its bound
#pragma unroll
    for (int i = 0; i < Turns; ++i) {
        const int turn = first + i;
        int range = 0, row = turn * kWarps + warp, least = 0, most = kRows - 1;
        if constexpr (Side::kRanges == 1) {
            least = turn * kWarps;
            most = least + kWarps - 1;
        } else if constexpr (kRows > 1 && kTurns % kRows == 0) {
            range = warp * (kTurns / kRows) + turn / kRows;
            row = least = most = turn % kRows;
        } else if constexpr (kRows % kTurns == 0) {
            range = warp / (kRows / kTurns);
            row = warp % (kRows / kTurns) * kTurns + turn;
            least = turn;
            most = kRows - kTurns + turn;
        } else {
            range = row / kRows;
            row %= kRows;
        }
        if (turn < kTurns && range < Side::kRanges && row < kRows)
            use(i, range, RowPlace{row * kRowBytes, least * kRowBytes, most * kRowBytes});
    }
}

}  // namespace wideload::WIDELOAD_DETAIL
