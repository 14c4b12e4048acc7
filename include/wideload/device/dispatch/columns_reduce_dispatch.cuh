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

/// Of so few rows however few columns there are.
inline constexpr std::size_t kFewestRows = 12;

/// Whether blocks of 128 columns, which each read all rows, are enough of them: fewer suffice the
/// shorter the columns are (bench/library/NOTES.md).
constexpr bool columns_fill_blocks(std::size_t rows, std::size_t columns, int multiprocessors) {
    const std::size_t twentieths = rows <= 128 ? 9 : rows <= 512 ? 18 : 36;
    return divide_up<std::size_t>(columns, 128) * 20 >=
           static_cast<std::size_t>(multiprocessors) * twentieths;
}

/// Columns a lane: at most 4, whose results share the block's memory.
template <class T>
inline constexpr int kColumnsWide = kMatrixReduceWide<T> < 4 ? kMatrixReduceWide<T> : 4;

/// Columns of matrices that have at most so many go by groups of 4, 8 or 16 lanes where their order
/// is kept.
inline constexpr std::size_t kFewColumns = 16;

/// Whether rows begin anywhere in words, and are worth reading by them nevertheless.
template <class T, class Result>
bool columns_are_shifted(const MatrixReducePlan<T, Result>& plan) {
    return kColumnsWide<T> > 1 && is_aligned(plan.input, sizeof(T)) &&
           !rows_are_words(plan.input, plan.columns) && plan.rows >= 3 * kWarpLanes &&
           plan.columns >= kShiftedColumns<kColumnsWide<T>>;
}

/// Words that hold whole rows, the fewest.
template <class T>
std::size_t words_per_period(std::size_t columns) {
    return columns / greatest_common_divisor<std::size_t>(columns, kColumnsWide<T>);
}

/// Whether a matrix is read as the range that it is: few columns, more than a handful of rows.
template <class T, class Result>
bool columns_are_thin(const T* input, std::size_t rows, std::size_t columns) {
    return is_power_of_two(sizeof(T)) && sizeof(T) <= kWideBytes && is_aligned(input, sizeof(T)) &&
           sizeof(ThinColumnsShared<Result, kColumnsWide<T>, kThinThreads>) <= 48 * 1024 &&
           words_per_period<T>(columns) <= kThinThreads && rows >= kWarpLanes;
}

/// The range of such a matrix, and how many threads of a block read it.
template <class T, class Result>
ThinColumnsPlan<T, Result> thin_columns_plan(const MatrixReducePlan<T, Result>& plan) {
    constexpr std::size_t kWide = kColumnsWide<T>;
    const std::size_t count = plan.rows * plan.columns;
    const std::size_t head = bytes_to_alignment(plan.input, kWide * sizeof(T)) / sizeof(T);
    const std::size_t words = (count - head) / kWide;
    const std::size_t period = words_per_period<T>(plan.columns);
    return {{plan.input, head, words, count - head - words * kWide},
            static_cast<unsigned>(plan.columns),
            static_cast<unsigned>(kThinThreads / period * period),
            plan.output,
            plan.initial,
            plan.combine_initial};
}

/// The most blocks that share such a matrix.
constexpr std::size_t most_thin_blocks(std::size_t bytes, int multiprocessors) {
    return static_cast<std::size_t>(multiprocessors) *
           (kThinBlocksPerMultiprocessor - (bytes <= kThinFewBlocksBytes ? 1 : 0));
}
/// Blocks that share one: no more than there are tiles.
template <class T, class Result>
std::size_t thin_columns_blocks(const ThinColumnsPlan<T, Result>& plan, int multiprocessors) {
    constexpr std::size_t kWide = kColumnsWide<T>;
    const std::size_t tiles = plan.input.words / (plan.readers * kThinLoads<kWide, T, Result>);
    const std::size_t most =
        most_thin_blocks(plan.input.words * kWide * sizeof(T), multiprocessors);
    return tiles == 0 ? 1 : tiles < most ? tiles : most;
}

/// The length of the pieces into which columns are cut.
template <class T>
std::size_t column_piece(std::size_t rows, std::size_t columns, int multiprocessors) {
    const std::size_t side_by_side = divide_up<std::size_t>(columns, kWarpLanes * kColumnsWide<T>);
    return piece_length(rows, divide_up<std::size_t>(columns, 128),
                        least_column_piece(rows, side_by_side, multiprocessors), multiprocessors);
}

template <class T, class Result, class Operation>
cudaError_t launch_reduce_thin_columns(const ThinColumnsPlan<T, Result>& plan, std::size_t blocks,
                                       const Operation& operation, cudaStream_t stream) {
    return launch(reduce_thin_columns_kernel<T, Result, Operation, kColumnsWide<T>, kThinThreads>,
                  blocks, kThinThreads, 0, stream, plan, operation);
}

/// Columns of a few rows.
///
/// @param spread  one column a lane, where a word a lane would leave too few of them
template <class T, class Result, class Operation>
cudaError_t launch_reduce_few_rows(const MatrixReducePlan<T, Result>& plan, bool spread,
                                   const Operation& operation, cudaStream_t stream) {
    constexpr int kWarps = kMatrixReduceThreads / kWarpLanes;
    const auto start = [&](auto per_access, auto alignment) {
        constexpr int kPerAccess = decltype(per_access)::value;
        return launch(reduce_few_rows_kernel<T, Result, Operation, kPerAccess,
                                             decltype(alignment)::value, kWarps>,
                      divide_up<std::size_t>(plan.columns, kMatrixReduceThreads * kPerAccess),
                      kMatrixReduceThreads, 0, stream, plan, operation);
    };
    if (!spread && rows_are_words(plan.input, plan.columns))
        return start(std::integral_constant<int, kColumnsWide<T>>{},
                     std::integral_constant<int, kWideBytes>{});
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
    constexpr int kWarps = kMatrixReduceThreads / kWarpLanes, kWide = kColumnsWide<T>;
    constexpr bool kInOrder = !is_commutative<Operation, Result>::value;
    const bool wide = rows_are_words(plan.input, plan.columns);
    // A warp's rows begin at the same place of a word only if they are not neighbours.
    const bool shifted = !kInOrder && columns_are_shifted(plan);
    const std::size_t blocks = divide_up<std::size_t>(
        plan.columns, shifted ? kShiftedColumns<kWide> : kWarpLanes * (wide ? kWide : 1));
    if (blocks > kMaxGridBlocks) return cudaErrorInvalidConfiguration;
    if constexpr (kInOrder) {
        if (plan.columns <= kFewColumns)
            return launch_reduce_few_columns_in_order(plan, operation, stream);
    }
    const dim3 grid(static_cast<unsigned>(blocks),
                    static_cast<unsigned>(divide_up(plan.rows, plan.piece)));
    if (wide) {
        return launch_grid(reduce_columns_kernel<T, Result, Operation, kWide, kWideBytes, kWarps>,
                           grid, kMatrixReduceThreads, evenly(0, kReductionsEvenFrom), stream, plan,
                           operation);
    }
    if constexpr (kWide > 1 && !kInOrder) {
        if (shifted) {
            return launch_grid(reduce_shifted_columns_kernel<T, Result, Operation, kWide, kWarps>,
                               grid, kMatrixReduceThreads, evenly(0, kReductionsEvenFrom), stream,
                               plan, operation);
        }
    }
    return with_alignment(plan.input, [&](auto alignment) {
        return launch_grid(
            reduce_columns_kernel<T, Result, Operation, 1, decltype(alignment)::value, kWarps>,
            grid, kMatrixReduceThreads, evenly(0, kReductionsEvenFrom), stream, plan, operation);
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
