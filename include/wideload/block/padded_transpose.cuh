// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/block/cp_async.cuh>
#include <wideload/thread/load.cuh>
#include <wideload/thread/store.cuh>

namespace wideload::block {

/// Transposes tiles of matrices whose rows start anywhere, element by element: elements move as
/// `Units` accesses of the type `Unit`, each warp along one row at a time. Shared memory is padded
/// so that consecutive units of an output row lie in different banks.
///
/// Elements of one unit can be *sheared*: the tile's part of each output row starts at a multiple
/// of `Boundary` bytes, wherever that row starts, so that no two blocks write to one such piece of
/// memory. For that a tile stages a few input rows more, which its neighbour has just read and L2
/// holds. Source: G. Ruetsch, P. Micikevicius, "Optimizing matrix transpose in CUDA", 2009; the
/// shear is this library's.
///
/// @tparam Unit      an unsigned integer or vector of 1, 2, 4, 8 or 16 bytes
/// @tparam Units     units per element
/// @tparam Width     elements of a tile along the output's rows
/// @tparam Height    elements of a tile along the input's rows
/// @tparam Boundary  bytes; 1: no shear
/// @tparam Async     units of 4 bytes and more travel by cp.async, all of a tile at once (sm_80 on)
template <class Unit, int Units, int Width, int Height, int Boundary, int Threads,
          bool Async = false>
class padded_transpose {
    static constexpr int kUnitBytes = sizeof(Unit);
    static constexpr int kElementBytes = kUnitBytes * Units;
    static_assert(Threads > 0 && Threads % kWarpLanes == 0,
                  "block::padded_transpose: whole warps of threads");
    static_assert(Boundary == 1 || (Units == 1 && Boundary >= kElementBytes),
                  "block::padded_transpose: only elements of one unit can start at a boundary");
    static constexpr int kRowUnits = Height * Units;
    static constexpr int kWidthUnits = Width * Units;
    static constexpr int kWarps = Threads / kWarpLanes;
    static constexpr int kRounds = (kRowUnits + kWarpLanes - 1) / kWarpLanes;
    /// The most elements by which a row of the tile starts early.
    static constexpr int kMaxShift = Boundary == 1 ? 0 : Boundary / kElementBytes - 1;
    static constexpr int kStagedRows = Width + kMaxShift;
    /// Units of padding make the pitch congruent, modulo all banks, to as many words as one element
    /// touches wherever it starts.
    static constexpr int kPitchUnits = [] {
        constexpr int kMostBefore = kUnitBytes < 4 ? 4 - kUnitBytes : 0;
        constexpr int kWantedBytes = (kMostBefore + kElementBytes + 3) / 4 * 4;
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

    /// Reads rows [first_row - kMaxShift, first_row + Width) and columns [first_column,
    /// first_column + Height) of a matrix of rows × columns elements, whose rows are `pitch`
    /// elements apart. All threads call; `staged` and a barrier must follow before `drain`.
    template <class Policy = cached>
    static WIDELOAD_DEVICE void stage(storage& shared, const Unit* matrix, std::size_t rows,
                                      std::size_t columns, std::size_t first_row,
                                      std::size_t first_column, int thread, std::size_t pitch) {
        const int lane = thread % kWarpLanes, warp = thread / kWarpLanes;
        const std::ptrdiff_t before = kMaxShift - static_cast<std::ptrdiff_t>(first_row);
        const Staging staging{
            matrix + ((first_row - kMaxShift + warp) * pitch + first_column) * Units + lane,
            kWarps * pitch * Units,
            shared.units + warp * kPitchUnits + lane,
            lane,
            warp,
            before > 0 ? static_cast<int>(before) : 0,
            clamp(rows + kMaxShift - first_row, kStagedRows),
            clamp((columns - first_column) * Units, kRowUnits)};
        if constexpr (kAsync) {
            stage_async(staging);
        } else {
            stage_through_registers<Policy>(staging);
        }
    }

    template <class Policy = cached>
    static WIDELOAD_DEVICE void stage(storage& shared, const Unit* matrix, std::size_t rows,
                                      std::size_t columns, std::size_t first_row,
                                      std::size_t first_column, int thread) {
        stage<Policy>(shared, matrix, rows, columns, first_row, first_column, thread, columns);
    }

    /// Waits for what this thread's `stage` calls have under way.
    static WIDELOAD_DEVICE void staged() {
        if constexpr (kAsync) wideload::detail::async_wait<0>();
    }

    /// Writes the tile to the transposed matrix, of `columns` rows of `rows` elements, `pitch`
    /// elements apart.
    template <class Policy = cached>
    static WIDELOAD_DEVICE void drain(const storage& shared, Unit* matrix, std::size_t rows,
                                      std::size_t columns, std::size_t first_row,
                                      std::size_t first_column, int thread, std::size_t pitch) {
        const int lane = thread % kWarpLanes, warp = thread / kWarpLanes;
        const int valid_columns = clamp(columns - first_column, Height);
        const std::size_t step = kWarps * pitch * Units;
        Unit* row_begin = matrix + (first_column + warp) * pitch * Units;
        const std::ptrdiff_t offset = static_cast<std::ptrdiff_t>(first_row) * Units + lane;
        const Unit* staged = shared.units + warp * Units;
        constexpr int kWarpColumns = (Height + kWarps - 1) / kWarps;
#pragma unroll
        for (int c = 0; c < kWarpColumns; ++c, row_begin += step) {
            if (warp + c * kWarps >= valid_columns) break;
            const int shift = shift_of(row_begin);
            const int begin = static_cast<std::size_t>(shift) > first_row
                                  ? shift - static_cast<int>(first_row)
                                  : 0;
            const int end = clamp((rows + shift - first_row) * Units, kWidthUnits);
            Unit* destination = row_begin + (offset - shift * Units);
            const Unit* source = staged + (kMaxShift - shift) * kPitchUnits + c * kWarps * Units;
#pragma unroll
            for (int i = 0; i < (kWidthUnits + kWarpLanes - 1) / kWarpLanes; ++i) {
                const int unit = lane + i * kWarpLanes;
                if (unit >= begin * Units && unit < end) {
                    const Unit value = source[unit / Units * kPitchUnits + unit % Units];
                    wideload::detail::store_bytes<kUnitBytes, kUnitBytes, Policy>(
                        destination + i * kWarpLanes, &value);
                }
            }
        }
    }

    template <class Policy = cached>
    static WIDELOAD_DEVICE void drain(const storage& shared, Unit* matrix, std::size_t rows,
                                      std::size_t columns, std::size_t first_row,
                                      std::size_t first_column, int thread) {
        drain<Policy>(shared, matrix, rows, columns, first_row, first_column, thread, rows);
    }

    /// How a thread walks down a tile of one of the matrices of a batch, `matrix` elements behind
    /// its begin: a warp along each row, to every kWarps-th. For elements that are one unit, in
    /// tiles without shear of 32 × 32, of batches that count below 2^32 with 32 rows more. Counting
    /// in 32 bits takes half the instructions, most of what small matrices wait for.
    class small_walk {
        static_assert(Boundary == 1 && Units == 1 && Width == kWarpLanes && Height == kWarpLanes &&
                          kWarpLanes % kWarps == 0,
                      "block::padded_transpose: small tiles are of 32 by 32 elements, not sheared");

    public:
        WIDELOAD_DEVICE small_walk(unsigned matrix, unsigned rows, unsigned columns, unsigned row,
                                   unsigned column, unsigned thread) {
            const unsigned lane = thread % kWarpLanes, warp = thread / kWarpLanes;
            first_ = matrix + (row + warp) * columns + column + lane;
            end_ = column + lane < columns ? matrix + rows * columns : 0;
            step_ = kWarps * columns;
            along_ = warp * kPitchUnits + lane;
            down_ = lane * kPitchUnits + warp;
            // Here, before a barrier, not behind it.
            asm volatile("" : "+r"(first_), "+r"(end_), "+r"(along_), "+r"(down_));
        }

        using words = Unit[kWarpLanes / kWarps];

        /// Reads the tile.
        template <class Policy = cached>
        WIDELOAD_DEVICE void fetch(words& held, const Unit* batch) const {
            unsigned next = first_;
#pragma unroll
            for (int step = 0; step < kSteps; ++step, next += step_) {
                if (next < end_) {
                    wideload::detail::load_bytes<kUnitBytes, kUnitBytes, Policy>(batch + next,
                                                                                 &held[step]);
                }
            }
        }

        /// Stages it. A barrier must follow.
        WIDELOAD_DEVICE void put(storage& shared, const words& held) const {
#pragma unroll
            for (int step = 0; step < kSteps; ++step)
                shared.units[along_ + step * kWarps * kPitchUnits] = held[step];
        }

        /// Writes what was staged, transposed: this walk is one of the output.
        template <class Policy = cached>
        WIDELOAD_DEVICE void drain(const storage& shared, Unit* batch) const {
            unsigned next = first_;
#pragma unroll
            for (int step = 0; step < kSteps; ++step, next += step_) {
                if (next < end_) {
                    const Unit value = shared.units[down_ + step * kWarps];
                    wideload::detail::store_bytes<kUnitBytes, kUnitBytes, Policy>(batch + next,
                                                                                  &value);
                }
            }
        }

    private:
        static constexpr int kSteps = kWarpLanes / kWarps;
        unsigned first_, end_, step_, along_, down_;
    };

private:
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
    static constexpr bool kAsync = false;
#else
    static constexpr bool kAsync = Async && kUnitBytes >= 4;
#endif

    /// What `stage` asks of one thread: units `lane`, lane + 32, ... of every row of its warp.
    struct Staging {
        const Unit* source;  ///< of the warp's first row
        std::size_t step;    ///< to its next
        Unit* staged;
        int lane, warp;
        int skipped_rows, valid_rows, valid_units;

        /// Whether the thread's unit of the warp's row number `r` exists, from unit `unit` on.
        WIDELOAD_DEVICE bool has(int r, int unit) const {
            const int row = warp + r * kWarps;
            return (row >= skipped_rows) & (row < valid_rows) & (lane + unit < valid_units);
        }
    };
    static constexpr int kWarpRows = (kStagedRows + kWarps - 1) / kWarps;

    static WIDELOAD_DEVICE void stage_async(const Staging& to) {
#pragma unroll
        for (int r = 0; r < kWarpRows; ++r) {
#pragma unroll
            for (int i = 0; i < kRounds; ++i) {
                if (to.has(r, i * kWarpLanes)) {
                    wideload::detail::async_copy<kUnitBytes>(
                        to.staged + r * kWarps * kPitchUnits + i * kWarpLanes,
                        to.source + r * to.step + i * kWarpLanes);
                }
            }
        }
        wideload::detail::async_commit();
    }

    template <class Policy>
    static WIDELOAD_DEVICE void stage_through_registers(const Staging& to) {
#pragma unroll
        for (int first = 0; first < kWarpRows; first += kUnroll) {
#pragma unroll
            for (int round = 0; round < kRounds; round += kRoundsTogether)
                stage_rows<Policy>(to, first, round);
        }
    }

    /// Rows [first, first + kUnroll) of a warp, rounds [round, round + kRoundsTogether).
    template <class Policy>
    static WIDELOAD_DEVICE void stage_rows(const Staging& to, int first, int round) {
        Unit held[kUnroll][kRoundsTogether];
        const Unit* next = to.source + first * to.step;
#pragma unroll
        for (int r = 0; r < kUnroll; ++r, next += to.step) {
            const Unit* const row = kPredicated ? next : to.source + (first + r) * to.step;
#pragma unroll
            for (int i = 0; i < kRoundsTogether; ++i) {
                const int unit = (round + i) * kWarpLanes;
                if (to.has(first + r, unit)) {
                    wideload::detail::load_bytes<kUnitBytes, kUnitBytes, Policy>(row + unit,
                                                                                 &held[r][i]);
                }
            }
        }
        if constexpr (kPredicated) __syncwarp();
#pragma unroll
        for (int r = 0; r < kUnroll; ++r) {
            if (kStagedRows % (kWarps * kUnroll) != 0 &&
                to.warp + (first + r) * kWarps >= kStagedRows)
                break;
#pragma unroll
            for (int i = 0; i < kRoundsTogether; ++i) {
                const int unit = (round + i) * kWarpLanes;
                if (kRowUnits % kWarpLanes == 0 || to.lane + unit < kRowUnits)
                    to.staged[(first + r) * kWarps * kPitchUnits + unit] = held[r][i];
            }
        }
    }

    /// Rows of a warp that are in flight together: as many as make some 8 words.
    static constexpr int kMostRows = kRounds > 8 || kRounds* kUnitBytes >= 32 ? 1
                                     : kRounds* kUnitBytes >= 16              ? 2
                                     : kRounds* kUnitBytes > 4                ? 4
                                                                              : 8;
    static constexpr int kUnroll = kWarpRows < kMostRows ? kWarpRows : kMostRows;

    /// Whether loads are predicated and in flight together: addresses by additions keep the
    /// compiler from making branches of their conditions, a warp's barrier from storing some before
    /// it asks for the rest. 8 bytes are faster as the compiler has them.
    static constexpr bool kPredicated = kUnitBytes < 8;

    /// Rounds of a row that are in flight together.
    static constexpr int kRoundsTogether = kRounds > 8 && kRounds % 8 == 0 ? 8 : kRounds;

    static WIDELOAD_DEVICE int shift_of(const Unit* row) {
        if constexpr (kMaxShift == 0) return 0;
        return static_cast<int>(reinterpret_cast<std::uintptr_t>(row) % Boundary / kElementBytes);
    }
    /// `value`, which may be a negative difference, within 0 and `most`.
    static WIDELOAD_DEVICE int clamp(std::size_t value, int most) {
        const std::ptrdiff_t difference = static_cast<std::ptrdiff_t>(value);
        return difference < 0 ? 0 : difference < most ? static_cast<int>(difference) : most;
    }
};

}  // namespace wideload::block
