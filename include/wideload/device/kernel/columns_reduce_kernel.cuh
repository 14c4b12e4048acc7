// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/kernel/matrix_reduce_kernel.cuh>
#include <wideload/device/kernel/slipped_columns.cuh>
#include <wideload/device/kernel/staged_columns.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// Where the result of a lane's column k lies in shared memory: neither the lanes of one k nor
/// neighbouring columns meet in a bank.
template <class Result, int PerAccess>
WIDELOAD_DEVICE int place_of_column(int row, int lane, int k) {
    constexpr int kUnit = SharedValue<Result>::kUnit;
    constexpr int kTurn = (kUnit <= 4 ? kWarpLanes : kLineBytes / kUnit) / PerAccess;
    return (row * PerAccess + k) * kWarpLanes + (lane + k * kTurn) % kWarpLanes;
}

/// Loads that a thread has in flight: 64 bytes' worth, of 8 and 12 bytes twice that, as measured.
/// Of elements read byte by byte 40 bytes at most in blocks of 1,024 threads, which have 64
/// registers each, since every byte takes one.
template <int PerAccess, int Alignment, int Warps, class T>
inline constexpr int kColumnLoads = [] {
    constexpr int kSize = static_cast<int>(sizeof(T)), kBytes = PerAccess * kSize;
    constexpr int kLoads = kLoadsTogether<PerAccess, T>, kFit = kSize < 40 ? 40 / kSize : 1;
    if (Alignment == 1) return Warps * kWarpLanes < 1024 || kLoads <= kFit ? kLoads : kFit;
    return kSize > 1 && (kBytes == 8 || kBytes == 12) ? 128 / kBytes : kLoads;
}();

/// Blocks for which registers are to be left on a multiprocessor: of structs one, and of more than
/// 32 bytes of results, since ptxas was seen to spill theirs so that more would fit, as of halves
/// that half the most warps have brought early; of others (0) it may choose.
template <class Result, int PerAccess, int Warps = 0, bool IsEarly = false>
inline constexpr int kLeastBlocks = !std::is_arithmetic_v<Result> ||
                                            PerAccess * sizeof(Result) > 32 ||
                                            (IsEarly && Warps == kWarpLanes / 2 &&
                                             sizeof(Result) == 2)
                                        ? 1
                                        : 0;

/// A lane per `PerAccess` columns, the block's warps on different rows of a piece: on every
/// `Warps`th, or, where the operation need not commute, on a run of them. Their results meet in
/// shared memory.
///
/// @tparam Alignment  of all elements, or `kStaged`, or, in order, `kSlipped`
template <class T, class Result, class Operation, int PerAccess, int Alignment, int Warps,
          class Plan = MatrixReducePlan<T, Result>>
__global__ void __launch_bounds__(Warps* kWarpLanes,
                                  (kLeastBlocks<Result, PerAccess, Warps, kIsEarly<Plan>>))
    reduce_columns_kernel(const __grid_constant__ Plan plan, Operation operation) {
    enter_reduction(plan);
    // The parts' place is the results' in turn.
    constexpr int kWarpBytes = kStagedWarpBytes<T, Alignment>;
    constexpr int kResultBytes =
        static_cast<int>(sizeof(SharedValue<Result>)) * kWarpLanes * PerAccess;
    constexpr int kMostBytes = kResultBytes > kWarpBytes ? kResultBytes : kWarpBytes;
    __shared__ uint4 memory[divide_up(Warps * kMostBytes, kWideBytes)];
    auto* const shared = reinterpret_cast<SharedValue<Result>*>(memory);
    const int lane = threadIdx.x % kWarpLanes, warp = threadIdx.x / kWarpLanes;
    const std::size_t column =
        (static_cast<std::size_t>(blockIdx.x) * kWarpLanes + lane) * PerAccess;
    const std::size_t begin = blockIdx.y * plan.piece;
    const std::size_t end = begin + plan.piece < plan.rows ? begin + plan.piece : plan.rows;
    constexpr bool kInOrder = !is_commutative<Operation, Result>::value;
    const std::size_t run = kInOrder ? divide_up<std::size_t>(end - begin, Warps) : 1;
    const std::size_t first = begin + warp * run;
    Accumulator<Result, Operation> accumulators[PerAccess];
    if ((Alignment == kStaged || column < plan.columns) && first < end) {
        const std::size_t left = kInOrder ? end - first : (end - begin - warp - 1) / Warps + 1;
        const std::size_t rows = kInOrder && run < left ? run : left;
        const std::size_t step = (kInOrder ? 1 : Warps) * plan.pitch();
        const T* const row = plan.input + first * plan.pitch();
        if constexpr (Alignment == kStaged) {
            const std::size_t strip = column - lane * PerAccess;
            accumulate_staged_rows(plan, row + strip, step, rows, plan.columns - strip,
                                   reinterpret_cast<char*>(memory) + warp * kWarpBytes,
                                   accumulators, operation);
        } else if constexpr (Alignment == kSlipped) {
            accumulate_slipped_rows<kLoadsTogether<PerAccess, T>>(plan, first, first + rows, column,
                                                                  accumulators, operation);
        } else {
            accumulate_loads<PerAccess, Alignment, kColumnLoads<PerAccess, Alignment, Warps, T>>(
                row + column, step, rows, accumulators, operation);
        }
    }
    if (Alignment == kStaged) __syncthreads();
#pragma unroll
    for (int k = 0; k < PerAccess; ++k)
        shared[place_of_column<Result, PerAccess>(warp, lane, k)].put(accumulators[k].value());
    __syncthreads();
    const int own = static_cast<int>(threadIdx.x);
    const std::size_t own_column =
        static_cast<std::size_t>(blockIdx.x) * (kWarpLanes * PerAccess) + own;
    if (own >= kWarpLanes * PerAccess || own_column >= plan.columns) return;
    const std::size_t runs = divide_up(end - begin, run);
    const int valid = runs < Warps ? static_cast<int>(runs) : Warps;
    Result result =
        shared[place_of_column<Result, PerAccess>(0, own / PerAccess, own % PerAccess)].get();
    for (int other = 1; other < valid; ++other) {
        result = operation(
            result,
            shared[place_of_column<Result, PerAccess>(other, own / PerAccess, own % PerAccess)]
                .get());
    }
    if (plan.combine_initial) result = operation(plan.initial, result);
    plan.output[blockIdx.y * plan.columns + own_column] = result;
}

/// Columns of a few rows: a lane per `PerAccess` of them, all rows. The warp's results change lanes
/// in shared memory, so that neighbours lie side by side when they are written.
template <class T, class Result, class Operation, int PerAccess, int Alignment, int Warps,
          class Plan = MatrixReducePlan<T, Result>>
__global__ void __launch_bounds__(Warps* kWarpLanes,
                                  Alignment == kSlipped ? kLeastBlocks<Result, PerAccess> : 0)
    reduce_few_rows_kernel(const __grid_constant__ Plan plan, Operation operation) {
    enter_reduction(plan);
    constexpr int kColumns = kWarpLanes * PerAccess;
    constexpr int kStagedBytes = kStagedWarpBytes<T, Alignment>;
    constexpr int kResultBytes = static_cast<int>(sizeof(SharedValue<Result>)) * kColumns;
    constexpr int kWarpWords =
        divide_up(kResultBytes > kStagedBytes ? kResultBytes : kStagedBytes, kWideBytes);
    __shared__ uint4 memory[Warps * kWarpWords];
    const int lane = threadIdx.x % kWarpLanes, warp = threadIdx.x / kWarpLanes;
    uint4* const own_memory = memory + warp * kWarpWords;
    auto* const shared = reinterpret_cast<SharedValue<Result>*>(own_memory);
    const std::size_t first = (static_cast<std::size_t>(blockIdx.x) * Warps + warp) * kColumns;
    Accumulator<Result, Operation> accumulators[PerAccess];
    if constexpr (Alignment == kStaged) {
        if (first < plan.columns) {
            accumulate_staged_rows(plan, plan.input + first, plan.columns, plan.rows,
                                   plan.columns - first, reinterpret_cast<char*>(own_memory),
                                   accumulators, operation);
        }
        __syncwarp();
    } else if (first + lane * PerAccess < plan.columns) {
        const std::size_t column = first + lane * PerAccess;
        if constexpr (Alignment == kSlipped) {
            accumulate_few_slipped_rows<kLoadsTogether<PerAccess, T>>(plan, column, accumulators,
                                                                      operation);
        } else {
            accumulate_loads<PerAccess, Alignment, kLoadsTogether<PerAccess, T>>(
                plan.input + column, plan.columns, plan.rows, accumulators, operation);
        }
    }
#pragma unroll
    for (int k = 0; k < PerAccess; ++k)
        shared[place_of_column<Result, PerAccess>(0, lane, k)].put(accumulators[k].value());
    __syncwarp();
#pragma unroll
    for (int k = 0; k < PerAccess; ++k) {
        const int own = lane + k * kWarpLanes;
        if (first + own >= plan.columns) return;
        plan.output[first + own] = operation(
            plan.initial,
            shared[place_of_column<Result, PerAccess>(0, own / PerAccess, own % PerAccess)].get());
    }
}

/// Columns of a lane of `reduce_few_odd_rows_kernel`, and loads that it has in flight.
inline constexpr int kOddRowColumns = 4, kOddRowLoads = 16;

/// Adds `rows` rows, `step` elements apart, of which a lane has columns a warp apart from `first`
/// on: `accumulate_loads` with elements for words.
template <class T, class Result, class Operation, int Columns>
WIDELOAD_DEVICE void accumulate_rows_apart(const T* first, std::size_t step, std::size_t rows,
                                           Accumulator<Result, Operation> (&accumulators)[Columns],
                                           Operation& operation) {
    constexpr int kTogether = kOddRowLoads / Columns;
    for (std::size_t done = 0; done < rows; done += kTogether, first += kTogether * step) {
        const std::size_t rest = rows - done;
        const int left = rest < kTogether ? static_cast<int>(rest) : kTogether;
        T loaded[kTogether][Columns];
#pragma unroll
        for (int i = 0; i < kTogether; ++i) {
#pragma unroll
            for (int k = 0; k < Columns; ++k) {
                if (i == 0 || i < left)
                    loaded[i][k] = load_element<true>(first + i * step + k * kWarpLanes);
            }
        }
#pragma unroll
        for (int i = 0; i < kTogether; ++i) {
#pragma unroll
            for (int k = 0; k < Columns; ++k) {
                if (i == 0 || i < left)
                    accumulators[k].add(static_cast<Result>(loaded[i][k]), operation);
            }
        }
    }
}

/// Columns of a few rows that begin anywhere: lanes side by side, each with columns a warp apart.
template <class T, class Result, class Operation, int Warps>
__global__ void __launch_bounds__(Warps* kWarpLanes)
    reduce_few_odd_rows_kernel(const __grid_constant__ MatrixReducePlan<T, Result> plan,
                               Operation operation) {
    enter_stream_order();
    constexpr int kColumns = kWarpLanes * kOddRowColumns;
    const std::size_t warp =
        static_cast<std::size_t>(blockIdx.x) * Warps + threadIdx.x / kWarpLanes;
    std::size_t column = warp * kColumns + threadIdx.x % kWarpLanes;
    if ((warp + 1) * kColumns <= plan.columns) {
        Accumulator<Result, Operation> accumulators[kOddRowColumns];
        accumulate_rows_apart(plan.input + column, plan.columns, plan.rows, accumulators,
                              operation);
#pragma unroll
        for (int k = 0; k < kOddRowColumns; ++k) {
            plan.output[column + k * kWarpLanes] = operation(plan.initial, accumulators[k].value());
        }
        return;
    }
#pragma unroll 1
    for (; column < plan.columns; column += kWarpLanes) {
        Accumulator<Result, Operation> accumulator[1];
        accumulate_loads<1, alignof(T), kLoadsTogether<1, T>>(plan.input + column, plan.columns,
                                                              plan.rows, accumulator, operation);
        plan.output[column] = operation(plan.initial, accumulator[0].value());
    }
}

/// Columns that a block of `reduce_shifted_columns_kernel` reduces: 32 words of any row hold them.
template <int PerAccess>
inline constexpr int kShiftedColumns = (kWarpLanes - 1) * PerAccess;

/// As `reduce_columns_kernel`, of rows that begin anywhere in a word, at least three. All rows of a
/// warp begin at the same place of one, since `Warps` of them are whole words. A warp reads the
/// words that hold its columns, with neighbours of theirs at both ends that nobody asked for; the
/// matrix's first and last row, which may have no neighbours, are read element by element.
template <class T, class Result, class Operation, int PerAccess, int Warps>
__global__ void __launch_bounds__(Warps* kWarpLanes)
    reduce_shifted_columns_kernel(const __grid_constant__ MatrixReducePlan<T, Result> plan,
                                  Operation operation) {
    enter_stream_order();
    static_assert(Warps % PerAccess == 0, "rows of one warp begin at the same place of a word");
    __shared__ SharedValue<Result> shared[Warps * kWarpLanes * PerAccess];
    const int lane = threadIdx.x % kWarpLanes, warp = threadIdx.x / kWarpLanes;
    const std::size_t first_column =
        static_cast<std::size_t>(blockIdx.x) * kShiftedColumns<PerAccess>;
    const std::size_t begin = blockIdx.y * plan.piece;
    const std::size_t end = begin + plan.piece < plan.rows ? begin + plan.piece : plan.rows;
    const std::size_t begin_inner = begin == 0 ? 1 : begin;
    const std::size_t end_inner = end == plan.rows ? end - 1 : end;
    const std::size_t inner = end_inner > begin_inner ? end_inner - begin_inner : 0;
    const T* own_row = plan.input + (begin_inner + warp) * plan.columns + first_column;
    const int shift =
        static_cast<int>(reinterpret_cast<std::uintptr_t>(own_row) / sizeof(T) % PerAccess);
    const int offset = lane * PerAccess - shift;
    Accumulator<Result, Operation> accumulators[PerAccess];
    if (warp < inner && static_cast<std::ptrdiff_t>(first_column) + offset <
                            static_cast<std::ptrdiff_t>(plan.columns)) {
        accumulate_loads<PerAccess, kWideBytes, kLoadsTogether<PerAccess, T>>(
            own_row + offset, Warps * plan.columns, (inner - warp - 1) / Warps + 1, accumulators,
            operation);
    }
    // Column c of the block's comes from the warp's element c + shift.
#pragma unroll
    for (int k = 0; k < PerAccess; ++k) {
        const int column = offset + k;
        if (column >= 0)
            shared[place_of_column<Result, PerAccess>(warp, column / PerAccess, column % PerAccess)]
                .put(accumulators[k].value());
    }
    __syncthreads();
    const int own = static_cast<int>(threadIdx.x);
    const std::size_t own_column = first_column + own;
    if (own >= kShiftedColumns<PerAccess> || own_column >= plan.columns) return;
    const int valid = inner < Warps ? static_cast<int>(inner) : Warps;
    Accumulator<Result, Operation> total;
    for (int other = 0; other < valid; ++other) {
        total.add(
            shared[place_of_column<Result, PerAccess>(other, own / PerAccess, own % PerAccess)]
                .get(),
            operation);
    }
    if (begin == 0) total.add(static_cast<Result>(plan.input[own_column]), operation);
    if (end == plan.rows) {
        total.add(static_cast<Result>(plan.input[(plan.rows - 1) * plan.columns + own_column]),
                  operation);
    }
    Result result = total.value();
    if (plan.combine_initial) result = operation(plan.initial, result);
    plan.output[blockIdx.y * plan.columns + own_column] = result;
}

}  // namespace wideload::WIDELOAD_DETAIL
