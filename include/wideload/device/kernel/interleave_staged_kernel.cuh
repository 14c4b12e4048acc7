// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/detail/stream_order.cuh>
#include <wideload/device/kernel/interleave_kernel.cuh>
#include <wideload/device/kernel/staged_ranges.cuh>
#include <wideload/device/kernel/staged_vector.cuh>
#include <wideload/support/turn.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// How structs whose fields are no whole words, or lie at any address, are split or joined: a block
/// reads its part of one side as ranges of bytes, moves the fields to a second copy in shared
/// memory, and writes that as ranges of bytes. Both sides go by aligned words of 16 bytes whatever
/// their addresses.
///
/// @tparam AtSectors  whether all ranges begin at sectors
/// @tparam Small      whether the structs are at most `tuning::small_staged_bytes` in all: blocks
///                    take less each
template <int Size, int Fields, bool ToFields, bool AtSectors, bool Small>
struct StagedInterleave {
    static constexpr int kFields = Fields, kStructBytes = Size * Fields;
    static constexpr bool kToFields = ToFields;
    /// Whether there are small ones.
    static constexpr bool kHasSmall = kStructBytes <= 256, kMayBeFew = Small || !kHasSmall;

    /// A lane moves a row of structs: the fewest of which a field's bytes fill units of 4 bytes.
    static constexpr int kRowStructs = 4 / greatest_common_divisor(Size, 4);
    static constexpr int kFieldUnits = Size * kRowStructs / 4, kRowUnits = kFieldUnits * Fields;
    static constexpr tuning::StagedBlock kBlock =
        kHasSmall ? tuning::staged_block(Small, AtSectors, ToFields, Fields, kRowUnits, Size)
                  : tuning::StagedBlock{4, 16384, 1024};
    static constexpr int kWarps = kBlock.warps, kThreads = kWarps * kWarpLanes;
    /// Bytes of the structs that a block takes, at most: of large ones, 32.
    static constexpr int kStageBytes = kBlock.bytes;
    static constexpr bool kFits = kStructBytes * kWarpLanes <= kStageBytes;
    static_assert(!Small || kHasSmall, "only these");

    /// Units of a row that a lane writes at a time, and rows of which it does.
    static constexpr int kPart = kRowUnits <= 16 ? kRowUnits : Size % 4 == 0 ? 16 : 12;
    static constexpr int kParts = divide_up(kRowUnits, kPart);
    static constexpr int kRows = kPart < 8 ? 8 / kPart : 1;
    static constexpr int kBlocks = kBlocksWithin<kThreads, kBlock.threads / kThreads>;

    /// What is written begins and ends at sectors, so that none is written in parts: where ranges
    /// do not, a block holds as many structs of the next one's as that takes.
    static constexpr int kBehind =
        AtSectors
            ? 0
            : divide_up(divide_up(kSectorBytes - 1, ToFields ? Size : kStructBytes), kRowStructs) *
                  kRowStructs;
    /// Turns that the block's warps take to read, move and write a tile.
    static constexpr int turns(int tile) {
        const int held = tile + kBehind, of_warp = kRowStructs * kRows * kWarpLanes;
        return divide_up(staged_rows(held * kStructBytes, AtSectors), kWarps) +
               divide_up(Fields * staged_rows(held * Size, AtSectors), kWarps) +
               divide_up(divide_up(held, of_warp) * kParts, kWarps);
    }
    /// The structs of a tile, so that all begin alike in a sector: of those of at least half as
    /// many bytes, the most for their turns. Many arrays have short parts of a tile, which are to
    /// begin alike in a line where that leaves little of the block empty.
    static constexpr int tile_structs() {
        const auto alike_in = [](int bytes) {
            return bytes / greatest_common_divisor(Size, bytes);
        };
        constexpr int kMost = kStageBytes / kStructBytes;
        const int line = alike_in(kLineBytes), of_lines = kMost / line * line;
        const bool in_lines = Fields > 4 && of_lines * 100 > kMost * kBlock.filled;
        const int step = in_lines ? line : alike_in(kSectorBytes);
        const int most = kMost / step * step;
        int best = most;
        for (int tile = most; tile > 0 && tile >= most / 2; tile -= step) {
            if (tile * turns(best) > best * turns(tile)) best = tile;
        }
        return best;
    }
    static constexpr int kTileStructs = tile_structs();
    static constexpr int kHeld = kTileStructs + kBehind;

    using StructsSide = StagedSide<kStructBytes, 1, kRowUnits, kHeld, kWarps, AtSectors>;
    using FieldsSide = StagedSide<Size, Fields, kFieldUnits, kHeld, kWarps, AtSectors>;
    using Read = std::conditional_t<ToFields, StructsSide, FieldsSide>;
    using Written = std::conditional_t<ToFields, FieldsSide, StructsSide>;
    static constexpr int kSharedBytes = StructsSide::kBytes + Fields * FieldsSide::kBytes;

    /// The byte of a row that is read, which byte number `byte` of the row that is written is.
    static WIDELOAD_HOST_DEVICE constexpr int source(int byte) {
        constexpr int kFieldBytes = Size * kRowStructs;
        constexpr int kOuter = ToFields ? kFieldBytes : kStructBytes;
        constexpr int kInner = ToFields ? kStructBytes : kFieldBytes;
        return byte % kOuter / Size * kInner + byte / kOuter * Size + byte % Size;
    }
    /// Whether units first to first + count - 1 that are written are in part of vector number
    /// `vector` that is read.
    static WIDELOAD_HOST_DEVICE constexpr bool needs(int vector, int first, int count) {
        for (int byte = first * 4; byte < (first + count) * 4; ++byte) {
            if (source(byte) / Read::kVectorBytes == vector) return true;
        }
        return false;
    }
};

/// A vector of row `row` in shared memory, that of unit number `unit` of all its ranges' units.
template <class Side, class Lead>
WIDELOAD_DEVICE char* vector_of(char* staged, int row, int unit, const Lead& lead) {
    constexpr BankSwizzle kSwizzle = Side::kSwizzle;
    const int range = unit / Side::kUnits, byte = (row * Side::kUnits + unit % Side::kUnits) * 4;
    return staged + range * Side::kBytes + kSwizzle.place(byte + lead(range));
}

/// Gets the vectors of row `row` of which units First to First + Count - 1 consist, to their places
/// among `units`.
template <class Shape, int First, int Count, class From, int... Vectors>
WIDELOAD_DEVICE void get_vectors(std::uint32_t* units, int row, const From& from,
                                 std::integer_sequence<int, Vectors...>) {
    using Read = typename Shape::Read;
    const auto get = [&](auto number) {
        constexpr int kVector = decltype(number)::value;
        if constexpr (Shape::needs(kVector, First, Count)) {
            get_staged_vector<Read::kVectorBytes>(units + kVector * Read::kVector,
                                                  from(row, kVector * Read::kVector));
        }
    };
    (get(std::integral_constant<int, Vectors>{}), ...);
}

/// Units First to First + sizeof...(Units) - 1 of a row that is written, from the one that is read.
template <class Shape, int First, int... Units>
WIDELOAD_DEVICE void gather_units(std::uint32_t* units,
                                  const std::uint32_t (&held)[Shape::kRowUnits],
                                  std::integer_sequence<int, Units...>) {
    ((units[Units] =
          gather_bytes<Shape::source((First + Units) * 4), Shape::source((First + Units) * 4 + 1),
                       Shape::source((First + Units) * 4 + 2),
                       Shape::source((First + Units) * 4 + 3)>(held)),
     ...);
}

/// Moves units First to First + kPart - 1 of rows that are written from the other copy: of `kRows`
/// rows a lane from row `own` on, 32 apart.
///
/// @param from, to  vectors of both sides: from(row, unit)
template <class Shape, int First, class From, class To>
WIDELOAD_DEVICE void move_part(int own, int rows, const From& from, const To& to) {
    using Written = typename Shape::Written;
    constexpr int kVectors = Shape::kRowUnits / Shape::Read::kVector;
    constexpr int kLeft = Shape::kRowUnits - First;
    constexpr int kUnits = kLeft < Shape::kPart ? kLeft : Shape::kPart;
    std::uint32_t units[Shape::kRows][kUnits];
#pragma unroll
    for (int k = 0; k < Shape::kRows; ++k) {
        const int row = own + k * kWarpLanes;
        if (row < rows) {
            std::uint32_t held[Shape::kRowUnits];
            get_vectors<Shape, First, kUnits>(held, row, from,
                                              std::make_integer_sequence<int, kVectors>{});
            gather_units<Shape, First>(units[k], held, std::make_integer_sequence<int, kUnits>{});
        }
    }
#pragma unroll
    for (int k = 0; k < Shape::kRows; ++k) {
        const int row = own + k * kWarpLanes;
        if (row < rows) {
#pragma unroll
            for (int i = 0; i < kUnits; i += Written::kVector) {
                access_word_t<Written::kVectorBytes> vector;
                std::memcpy(&vector, units[k] + i, sizeof(vector));
                *reinterpret_cast<decltype(vector)*>(to(row, First + i)) = vector;
            }
        }
    }
}

/// `move_part` of part number `part`, which is the same in all lanes.
template <class Shape, int... Parts, class... Args>
WIDELOAD_DEVICE void move_part_number(int part, std::integer_sequence<int, Parts...>,
                                      const Args&... args) {
    ((part == Parts ? move_part<Shape, Parts * Shape::kPart>(args...) : void()), ...);
}

/// The first byte of a range of a side.
template <class Side, class Byte, class Plan>
WIDELOAD_DEVICE Byte* range_base(const Plan& plan, int range) {
    if constexpr (Side::kRanges == 1) {
        return reinterpret_cast<Byte*>(plan.structs);
    } else {
        return reinterpret_cast<Byte*>(plan.fields[range]);
    }
}

/// Moves the fields of `held` structs from one copy to the other. Warps take parts of 32 rows'
/// units, a lane a row.
template <class Shape, class Plan>
WIDELOAD_DEVICE void move_fields(const Plan& plan, char* read, char* written, int held) {
    using Read = typename Shape::Read;
    using Written = typename Shape::Written;
    const auto lead = [&plan](auto side, int range) {
        using Side = decltype(side);
        const int past = Side::bytes_past_sector(range_base<Side, const char>(plan, range));
        return past / Side::kVectorBytes * Side::kVectorBytes;
    };
    const auto from = [&](int row, int unit) {
        return vector_of<Read>(read, row, unit, [&](int range) { return lead(Read{}, range); });
    };
    const auto to = [&](int row, int unit) {
        return vector_of<Written>(written, row, unit,
                                  [&](int range) { return lead(Written{}, range); });
    };
    constexpr int kGroupRows = Shape::kRows * kWarpLanes;
    const int rows = divide_up(held, Shape::kRowStructs), lane = threadIdx.x % kWarpLanes;
    const int items = divide_up(rows, kGroupRows) * Shape::kParts;
    for (int item = threadIdx.x / kWarpLanes; item < items; item += Shape::kWarps) {
        move_part_number<Shape>(item % Shape::kParts,
                                std::make_integer_sequence<int, Shape::kParts>{},
                                item / Shape::kParts * kGroupRows + lane, rows, from, to);
    }
}

/// Calls `use(k, range)` for each range of a side that is a warp's, its own number k.
template <class Side, class Use>
WIDELOAD_DEVICE void for_ranges(const Use& use) {
    const int warp = threadIdx.x / kWarpLanes;
#pragma unroll
    for (int k = 0; k < kRangesOfWarp<Side>; ++k) {
        const int range = warp + k * Side::kWarps;
        if (range < Side::kRanges) use(k, range);
    }
}

/// Reads the tile's bytes into shared memory, as many rows at a time as a warp has in flight.
template <class Policy, class Tile, class Plan>
WIDELOAD_DEVICE void read_tile(const Plan& plan, const Tile& tile, char* staged) {
    using Shape = typename Tile::Shape;
    using Read = typename Shape::Read;
    const int lane = threadIdx.x % kWarpLanes;
    const auto range_read = [&](int range) {
        return StagedRange<Read, const char>(range_base<Read, const char>(plan, range), tile);
    };
    std::uint8_t edges[kRangesOfWarp<Read>];
    if constexpr (Tile::kAtEdge) {
        for_ranges<Read>([&](int k, int range) {
            edges[k] = read_edges<Policy>(range_read(range), tile, lane);
        });
    }
    constexpr int kInFlight = Read::kTurns < 4 ? Read::kTurns : 4;
#pragma unroll(Tile::kUnroll)
    for (int turn = 0; turn < Read::kTurns; turn += kInFlight) {
        StagedRow<Read::kVector> rows[kInFlight];
        for_rows<Read, kInFlight>(turn, [&](int i, int range, const RowPlace& row) {
            rows[i] = read_row<Policy>(range_read(range), tile, row, lane);
        });
        for_rows<Read, kInFlight>(turn, [&](int i, int range, const RowPlace& row) {
            put_row<Tile>(rows[i], staged + range * Read::kBytes, range_read(range), row, lane);
        });
    }
    if constexpr (Tile::kAtEdge) {
        __syncthreads();
        for_ranges<Read>([&](int k, int range) {
            put_edges(edges[k], staged + range * Read::kBytes, range_read(range), tile, lane);
        });
    }
}

/// Writes the tile's bytes from where they have moved.
template <class Policy, class Tile, class Plan>
WIDELOAD_DEVICE void write_tile(const Plan& plan, const Tile& tile, const char* moved) {
    using Shape = typename Tile::Shape;
    using Written = typename Shape::Written;
    const int lane = threadIdx.x % kWarpLanes;
    const auto range_written = [&](int range) {
        return StagedRange<Written, char>(range_base<Written, char>(plan, range), tile);
    };
    constexpr int kMost = Written::kVectorBytes == kWideBytes ? 2 : 4;
    constexpr int kInFlight = Written::kTurns < kMost ? Written::kTurns : kMost;
#pragma unroll(Tile::kUnroll)
    for (int turn = 0; turn < Written::kTurns; turn += kInFlight) {
        StagedRow<Written::kVector> rows[kInFlight];
        for_rows<Written, kInFlight>(turn, [&](int i, int range, const RowPlace& row) {
            rows[i] =
                get_row(moved + range * Written::kBytes, range_written(range), tile, row, lane);
        });
        for_rows<Written, kInFlight>(turn, [&](int i, int range, const RowPlace& row) {
            write_row<Policy>(rows[i], range_written(range), tile, row, lane);
        });
    }
    if constexpr (Tile::kAtEdge) {
        for_ranges<Written>([&](int, int range) {
            write_edges<Policy>(moved + range * Written::kBytes, range_written(range), tile, lane);
        });
    }
}

/// What a block of `staged_interleave_kernel` does.
template <class Load, class Store, class Tile, class Plan>
WIDELOAD_DEVICE void interleave_tile(const Plan& plan, const Tile& tile, char* staged) {
    using Shape = typename Tile::Shape;
    char* const moved = staged + Shape::Read::kRanges * Shape::Read::kBytes;
    read_tile<Load>(plan, tile, staged);
    __syncthreads();
    move_fields<Shape>(plan, staged, moved, tile.held());
    __syncthreads();
    write_tile<Store>(plan, tile, moved);
}

/// The tile of block number blockIdx.x.
template <class Shape, class Load, class Store, class Plan>
WIDELOAD_DEVICE void interleave_staged_tile_of(const Plan& plan) {
    __shared__ uint4 words[Shape::kSharedBytes / kWideBytes];
    char* const staged = reinterpret_cast<char*>(words);
    const std::size_t first = static_cast<std::size_t>(blockIdx.x) * Shape::kTileStructs;
    const std::size_t left = plan.count - first;
    if (first == 0 || left < Shape::kHeld + kSectorBytes) {
        interleave_tile<Load, Store>(plan, StagedTile<Shape, true>{first, left}, staged);
    } else {
        interleave_tile<Load, Store>(plan, StagedTile<Shape, false>{first, left}, staged);
    }
}

/// Splits or joins structs of any fields at any addresses; `Shape` is a StagedInterleave and `Plan`
/// an InterleavePlan of either direction.
template <class Shape, class Load, class Store, class Plan>
__global__ void __launch_bounds__(Shape::kThreads, Shape::kBlocks)
    staged_interleave_kernel(const __grid_constant__ Plan plan) {
    release_next_kernel();
    plan.template await<Shape::kMayBeFew>();
    interleave_staged_tile_of<Shape, Load, Store>(plan);
}

/// The same of matrices of as many columns (or rows) as there are fields, one behind the other;
/// blockIdx.y counts them.
template <class T, class Shape, class Load, class Store>
__global__ void __launch_bounds__(Shape::kThreads, Shape::kBlocks)
    transpose_staged_fields_kernel(const T* input, T* output, std::size_t count,
                                   std::size_t first_matrix) {
    enter_matrices<Shape::kMayBeFew>(input + first_matrix * count * Shape::kFields,
                                     count * Shape::kFields);
    interleave_staged_tile_of<Shape, Load, Store>(
        matrix_of_fields<Shape::kFields, Shape::kToFields>(input, output, count,
                                                           blockIdx.y + first_matrix));
}

}  // namespace wideload::WIDELOAD_DETAIL
