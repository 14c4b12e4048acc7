// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/dispatch/matrix_reduce_shape.cuh>
#include <wideload/device/kernel/columns_reduce_kernel.cuh>
#include <wideload/device/kernel/matrix_reduce_in_order_kernel.cuh>
#include <wideload/device/kernel/thin_columns_kernel.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// Columns of at most so many rows are read whole by a lane each.
inline constexpr std::size_t kFewRows = 64;
inline constexpr int kThinThreads = 512;
/// Of a matrix of up to so many bytes one block less: their results are a large part of the work.
inline constexpr int kThinBlocksPerMultiprocessor = 4;
inline constexpr std::size_t kThinFewBlocksBytes = std::size_t{64} << 20;
/// Of one whose elements go through shared memory.
inline constexpr int kThinStagedThreads = 256, kThinStagedBlocks = 6, kThinStagedFewBlocks = 4;
/// The most rows of numbers of 8 bytes that do not.
inline constexpr std::size_t kFewStagedRows = 8;

/// Of so few rows however few columns there are.
inline constexpr std::size_t kFewestRows = 12;

/// Whether blocks of 128 columns, which each read all rows, are enough of them: fewer suffice the
/// shorter the columns are (bench/library/NOTES.md).
constexpr bool columns_fill_blocks(std::size_t rows, std::size_t columns, int multiprocessors) {
    const std::size_t twentieths = rows <= 128 ? 9 : rows <= 512 ? 18 : 36;
    return divide_up<std::size_t>(columns, 128) * 20 >=
           static_cast<std::size_t>(multiprocessors) * twentieths;
}

/// Columns a lane: at most 4, of bytes 8, and no more than whose results find place in the memory
/// that a block's warps share.
template <class T, class Result>
inline constexpr int kColumnsWide = [] {
    int wide = sizeof(T) == 1 ? 8 : 4;
    while (wide > kMatrixReduceWide<T> ||
           wide * kMatrixReduceThreads * sizeof(SharedValue<Result>) > kUnaskedSharedBytes)
        wide /= 2;
    return wide;
}();

/// Columns of matrices that have at most so many go by groups of 4, 8 or 16 lanes where their order
/// is kept.
inline constexpr std::size_t kFewColumns = 16;

/// Whether rows begin anywhere in words, and are worth reading by them nevertheless.
template <class T, class Result>
bool columns_are_shifted(const MatrixReducePlan<T, Result>& plan) {
    constexpr int kWide = kColumnsWide<T, Result>;
    return kWide > 1 && is_aligned(plan.input, sizeof(T)) &&
           !rows_are_words(plan.input, plan.columns) && plan.rows >= 3 * kWarpLanes &&
           plan.columns >= kShiftedColumns<kWide>;
}

/// Whether columns go through shared memory: they would be read byte by byte.
template <class T, class Result>
bool columns_are_staged(const T* input) {
    return kColumnsFitStaged<T, Result> && read_by_bytes(input);
}

/// The same of few rows: a warp's loads are few, and halves of numbers arrive as soon.
template <class T, class Result>
bool few_rows_are_staged(const T* input, std::size_t rows) {
    return columns_are_staged<T, Result>(input) &&
           (sizeof(T) < 8 || alignof(T) == 1 || rows > kFewStagedRows);
}

/// And of strips of them: where the lanes that would read them by bytes are so many tenths of those
/// that strips have. Structs of bytes take longest to combine.
template <class T, class Result>
bool strips_are_staged(const T* input, std::size_t columns, bool in_order) {
    constexpr std::size_t kRun = ColumnRuns<T>::kRun;
    if (!columns_are_staged<T, Result>(input) || (in_order && alignof(T) == 1 && sizeof(T) > 4))
        return false;
    const std::size_t tenths = alignof(T) == 1 ? (sizeof(T) > 4 ? 9 : 8) : sizeof(T) >= 8 ? 7 : 4;
    const std::size_t strips = divide_up<std::size_t>(columns, kRun * kWarpLanes);
    return divide_up<std::size_t>(columns, kWarpLanes) * 10 >= strips * kRun * tenths;
}

/// Whether columns of up to `kBlockColumnRows` are too long for one block to go through 32 of them:
/// what blocks take, picoseconds, one after the other on a multiprocessor, against what two
/// launches take and the reading of the rows, as measured (bench/library/NOTES.md).
template <class T, class Result>
bool columns_are_long(const T* input, std::size_t rows, std::size_t columns, bool in_order,
                      int multiprocessors) {
    if (columns_are_staged<T, Result>(input)) {
        return rows >= (in_order && alignof(T) == 1 && sizeof(T) <= 4 ? 2000 : 1000) &&
               (!in_order || strips_are_staged<T, Result>(input, columns, true));
    }
    const bool numbers = is_power_of_two(sizeof(T)) && sizeof(T) <= 8;
    if (numbers && in_order) return false;
    const std::size_t a_row = !numbers ? 600 * sizeof(T) : sizeof(T) == 8 ? 2600 : 2050;
    const std::size_t in_block = 1'700'000 + rows * a_row;
    const std::size_t turns =
        divide_up<std::size_t>(columns, static_cast<std::size_t>(multiprocessors) * kWarpLanes);
    const std::size_t launches = !numbers ? 9'700'000 : sizeof(T) == 1 ? 6'300'000 : 4'700'000;
    return (turns == 1 ? in_block : turns * in_block * 7 / 6) >=
           launches + rows * columns * sizeof(T) / 3;
}

/// Of a matrix that is read as the range that it is: elements of a thread's word, and threads.
template <class T, bool Staged>
inline constexpr int kThinWide = Staged                     ? ColumnRuns<T>::kRun
                                 : kMatrixReduceWide<T> < 4 ? kMatrixReduceWide<T>
                                                            : 4;
template <bool Staged>
inline constexpr int kThinBlockThreads = Staged ? kThinStagedThreads : kThinThreads;

/// Words that hold whole rows, the fewest.
template <class T, bool Staged>
std::size_t words_per_period(std::size_t columns) {
    return columns / greatest_common_divisor<std::size_t>(columns, kThinWide<T, Staged>);
}

/// Whether a matrix is read as the range that it is: few columns, more than a handful of rows.
template <class T, class Result, bool Staged>
bool columns_are_thin(const T* input, std::size_t rows, std::size_t columns) {
    const bool of_words =
        kFillsWords<T> && is_aligned(input, sizeof(T)) &&
        sizeof(ThinColumnsShared<Result, kThinWide<T, false>, kThinThreads>) <= kUnaskedSharedBytes;
    return (Staged ? columns_are_staged<T, Result>(input) : of_words) &&
           words_per_period<T, Staged>(columns) <= kThinBlockThreads<Staged> && rows >= kWarpLanes;
}

/// The range of such a matrix, and how many threads of a block read it.
template <bool Staged, class T, class Result>
ThinColumnsPlan<T, Result> thin_columns_plan(const MatrixReducePlan<T, Result>& plan) {
    constexpr std::size_t kWide = kThinWide<T, Staged>;
    const std::size_t count = plan.rows * plan.columns;
    const std::size_t head =
        Staged ? 0 : bytes_to_alignment(plan.input, kWide * sizeof(T)) / sizeof(T);
    const std::size_t words = (count - head) / kWide;
    const std::size_t period = words_per_period<T, Staged>(plan.columns);
    return {{plan.input, head, words, count - head - words * kWide},
            static_cast<unsigned>(plan.columns),
            static_cast<unsigned>(kThinBlockThreads<Staged> / period * period),
            plan.output,
            plan.initial,
            plan.combine_initial};
}

/// The most blocks that share such a matrix.
template <bool Staged>
constexpr std::size_t most_thin_blocks(std::size_t bytes, int multiprocessors) {
    const bool few = bytes <= kThinFewBlocksBytes;
    return static_cast<std::size_t>(multiprocessors) *
           (Staged ? (few ? kThinStagedFewBlocks : kThinStagedBlocks)
                   : kThinBlocksPerMultiprocessor - (few ? 1 : 0));
}
/// Blocks that share one: no more than there are tiles.
template <bool Staged, class T, class Result>
std::size_t thin_columns_blocks(const ThinColumnsPlan<T, Result>& plan, int multiprocessors) {
    constexpr std::size_t kWide = kThinWide<T, Staged>;
    constexpr std::size_t kRows = Staged ? ColumnRuns<T>::kGroup : kThinLoads<kWide, T, Result>;
    const std::size_t tiles = plan.input.words / (plan.readers * kRows);
    const std::size_t most =
        most_thin_blocks<Staged>(plan.input.words * kWide * sizeof(T), multiprocessors);
    return tiles == 0 ? 1 : tiles < most ? tiles : most;
}

/// The length of the pieces into which columns are cut.
///
/// @param staged  whether strips of them go through shared memory
template <class T, class Result>
std::size_t column_piece(std::size_t rows, std::size_t columns, bool staged, int multiprocessors) {
    const std::size_t side_by_side = divide_up<std::size_t>(
        columns, kWarpLanes * (staged ? ColumnRuns<T>::kRun : kColumnsWide<T, Result>));
    return piece_length(rows, divide_up<std::size_t>(columns, 128),
                        least_column_piece(rows, side_by_side, multiprocessors), multiprocessors);
}

template <bool Staged, class T, class Result, class Operation>
cudaError_t launch_reduce_thin_columns(const ThinColumnsPlan<T, Result>& plan, std::size_t blocks,
                                       const Operation& operation, cudaStream_t stream) {
    constexpr int kThreads = kThinBlockThreads<Staged>;
    return launch(
        reduce_thin_columns_kernel<T, Result, Operation, kThinWide<T, Staged>, kThreads, Staged>,
        blocks, kThreads, 0, stream, plan, operation);
}

/// Whether lanes have several columns each of a few rows of elements that begin anywhere: enough
/// blocks are left, and the rows are under way within two turns.
template <class T>
bool odd_rows_are_apart(const T* input, std::size_t rows, std::size_t columns,
                        int multiprocessors) {
    constexpr std::size_t kBlockColumns = std::size_t{kMatrixReduceThreads} * kOddRowColumns;
    return rows <= kFewestRows && rows * sizeof(T) <= 2 * kWideBytes &&
           is_aligned(input, alignof(T)) &&
           columns >= kBlockColumns * static_cast<std::size_t>(multiprocessors) * 4;
}

/// Columns of a few rows.
///
/// @param spread  one column a lane, where a word a lane would leave too few of them
template <class T, class Result, class Operation>
cudaError_t launch_reduce_few_rows(const MatrixReducePlan<T, Result>& plan, bool spread,
                                   const Operation& operation, int multiprocessors,
                                   cudaStream_t stream) {
    constexpr int kWarps = kMatrixReduceThreads / kWarpLanes;
    const auto start = [&](auto per_access, auto alignment) {
        constexpr int kPerAccess = decltype(per_access)::value;
        return launch(reduce_few_rows_kernel<T, Result, Operation, kPerAccess,
                                             decltype(alignment)::value, kWarps>,
                      divide_up<std::size_t>(plan.columns, kMatrixReduceThreads * kPerAccess),
                      kMatrixReduceThreads, 0, stream, plan, operation);
    };
    if constexpr (kColumnsFitStaged<T, Result>) {
        if (!spread && few_rows_are_staged<T, Result>(plan.input, plan.rows))
            return start(std::integral_constant<int, ColumnRuns<T>::kRun>{},
                         std::integral_constant<int, kStaged>{});
    }
    if (!spread && rows_are_words(plan.input, plan.columns))
        return start(std::integral_constant<int, kColumnsWide<T, Result>>{},
                     std::integral_constant<int, kWideBytes>{});
    if constexpr (sizeof(T) <= 4 && sizeof(Result) <= 8) {
        if (odd_rows_are_apart(plan.input, plan.rows, plan.columns, multiprocessors)) {
            return launch(
                reduce_few_odd_rows_kernel<T, Result, Operation, kWarps>,
                divide_up<std::size_t>(plan.columns, kMatrixReduceThreads * kOddRowColumns),
                kMatrixReduceThreads, 0, stream, plan, operation);
        }
    }
    return with_alignment(plan.input, [&](auto alignment) {
        return start(std::integral_constant<int, 1>{}, alignment);
    });
}

template <class T, class Result, class Operation>
cudaError_t launch_reduce_few_columns_in_order(const MatrixReducePlan<T, Result>& plan,
                                               const Operation& operation, cudaStream_t stream) {
    const dim3 grid(1, static_cast<unsigned>(divide_up(plan.rows, plan.piece)));
    return with_alignment(plan.input, [&](auto alignment) {
        constexpr int kAlignment = decltype(alignment)::value, kThreads = kMatrixReduceThreads;
        const auto kernel =
            plan.columns <= 4
                ? reduce_few_columns_in_order_kernel<T, Result, Operation, kAlignment, 4, kThreads>
            : plan.columns <= 8
                ? reduce_few_columns_in_order_kernel<T, Result, Operation, kAlignment, 8, kThreads>
                : reduce_few_columns_in_order_kernel<T, Result, Operation, kAlignment, 16,
                                                     kThreads>;
        return launch_grid(kernel, grid, kThreads, evenly(0, kReductionsEvenFrom), stream, plan,
                           operation);
    });
}

template <class T, class Result, class Operation>
cudaError_t launch_reduce_columns(const MatrixReducePlan<T, Result>& plan,
                                  const Operation& operation, cudaStream_t stream) {
    constexpr int kWarps = kMatrixReduceThreads / kWarpLanes, kWide = kColumnsWide<T, Result>;
    constexpr bool kInOrder = !is_commutative<Operation, Result>::value;
    const bool wide = rows_are_words(plan.input, plan.columns);
    const bool staged = strips_are_staged<T, Result>(plan.input, plan.columns, kInOrder);
    // A warp's rows begin at the same place of a word only if they are not neighbours.
    const bool shifted = !kInOrder && columns_are_shifted(plan);
    const int a_lane = staged ? ColumnRuns<T>::kRun : wide ? kWide : 1;
    const std::size_t blocks = divide_up<std::size_t>(
        plan.columns, shifted ? kShiftedColumns<kWide> : kWarpLanes * a_lane);
    if (blocks > kMaxGridBlocks) return cudaErrorInvalidConfiguration;
    if constexpr (kInOrder) {
        if (plan.columns <= kFewColumns)
            return launch_reduce_few_columns_in_order(plan, operation, stream);
    }
    const dim3 grid(static_cast<unsigned>(blocks),
                    static_cast<unsigned>(divide_up(plan.rows, plan.piece)));
    const auto start = [&](auto kernel) {
        return launch_grid(kernel, grid, kMatrixReduceThreads, evenly(0, kReductionsEvenFrom),
                           stream, plan, operation);
    };
    if (wide) {
        return start(reduce_columns_kernel<T, Result, Operation, kWide, kWideBytes, kWarps>);
    }
    if constexpr (kColumnsFitStaged<T, Result>) {
        if (staged) {
            return start(
                reduce_columns_kernel<T, Result, Operation, ColumnRuns<T>::kRun, kStaged, kWarps>);
        }
    }
    if constexpr (kWide > 1 && !kInOrder) {
        if (shifted)
            return start(reduce_shifted_columns_kernel<T, Result, Operation, kWide, kWarps>);
    }
    return with_alignment(plan.input, [&](auto alignment) {
        return start(
            reduce_columns_kernel<T, Result, Operation, 1, decltype(alignment)::value, kWarps>);
    });
}

/// Whole columns, 32 to a block.
template <class T, class Result, class Operation>
cudaError_t launch_reduce_short_columns(const MatrixReducePlan<T, Result>& plan,
                                        const Operation& operation, cudaStream_t stream) {
    constexpr int kWarps = 1024 / kWarpLanes;
    return with_alignment(plan.input, [&](auto alignment) {
        return launch(
            reduce_columns_kernel<T, Result, Operation, 1, decltype(alignment)::value, kWarps>,
            divide_up<std::size_t>(plan.columns, kWarpLanes), kWarps * kWarpLanes,
            evenly(0, kReductionsEvenFrom), stream, plan, operation);
    });
}

}  // namespace wideload::WIDELOAD_DETAIL
