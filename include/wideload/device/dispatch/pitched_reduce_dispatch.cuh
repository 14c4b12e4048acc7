// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/detail/matrix_rows.cuh>
#include <wideload/device/dispatch/matrix_reduce_dispatch.cuh>

namespace wideload::WIDELOAD_DETAIL {

template <class T>
bool pitched_rows_are_words(const T* input, std::size_t columns, std::size_t pitch) {
    return rows_are_words(input, columns) && rows_are_words(input, pitch);
}

/// Columns of rows that lie apart: the fewest share warps with other rows', others are 32 lanes'
/// work, by words where all rows are whole ones.
template <class T, class Result, class Operation>
cudaError_t launch_pitched_columns(const PitchedReducePlan<T, Result>& plan,
                                   const Operation& operation, cudaStream_t stream) {
    constexpr int kThreads = kMatrixReduceThreads, kWarps = kThreads / kWarpLanes;
    constexpr int kWide = kColumnsWide<T, Result>;
    using Plan = PitchedReducePlan<T, Result>;
    const auto pieces = static_cast<unsigned>(divide_up(plan.rows, plan.piece));
    const SharedMemory even = evenly(0, kReductionsEvenFrom);
    if (plan.columns <= kFewestColumns) {
        const FewColumnsRuns shares(plan.rows, plan.piece, few_columns_readers(plan.columns, 1),
                                    kThreads);
        return with_alignment(plan.input, [&](auto alignment) {
            return launch_grid(
                reduce_few_columns_in_order_kernel<T, Result, Operation, 1,
                                                   decltype(alignment)::value, kThreads, Plan>,
                dim3(1, pieces), kThreads, even, stream, plan, shares, operation);
        });
    }
    const auto start = [&](auto kernel, int columns) {
        const std::size_t blocks = divide_up<std::size_t>(plan.columns, kWarpLanes * columns);
        if (blocks > kMaxGridBlocks) return cudaErrorInvalidConfiguration;
        return launch_grid(kernel, dim3(static_cast<unsigned>(blocks), pieces), kThreads, even,
                           stream, plan, operation);
    };
    if constexpr (kWide > 1) {
        if (!plan.ragged)
            return start(
                reduce_columns_kernel<T, Result, Operation, kWide, kWideBytes, kWarps, Plan>,
                kWide);
    }
    return with_alignment(plan.input, [&](auto alignment) {
        return start(reduce_columns_kernel<T, Result, Operation, 1, decltype(alignment)::value,
                                           kWarps, Plan>,
                     1);
    });
}

template <bool Rows, class T, class Result, class Operation>
cudaError_t launch_pitched_reduce(const PitchedReducePlan<T, Result>& plan,
                                  const Operation& operation, cudaStream_t stream) {
    if constexpr (Rows) {
        if constexpr (kFillsWords<T>) {
            constexpr bool kInOrder = !is_commutative<Operation, Result>::value;
            const PitchedRows way = pitched_rows_go(plan.input, plan.rows, plan.columns,
                                                    plan.row_pitch, !plan.ragged, kInOrder);
            if (plan.combine_initial && way != PitchedRows::directly) {
                auto short_rows = short_rows_of<PitchedShortRowsPlan<T, Result>>(plan);
                short_rows.lie_apart(plan.row_pitch, way == PitchedRows::by_words);
                return launch_reduce_short_rows(short_rows, operation, stream);
            }
        }
        return launch_reduce_rows_directly(plan, operation, stream);
    }
    return launch_pitched_columns(plan, operation, stream);
}

/// `dispatch_matrix_reduce` of a matrix whose rows are `pitch` elements apart.
template <bool Rows, class T, class Result, class Operation>
cudaError_t dispatch_pitched_reduce(const T* input, std::size_t pitch, std::size_t rows,
                                    std::size_t columns, Result* output, const Operation& operation,
                                    const Result& initial, const Scratch& scratch,
                                    cudaStream_t stream) {
    if (rows <= 1 || columns == 0 || pitch == columns)
        return dispatch_matrix_reduce<Rows>(input, rows, columns, output, operation, initial,
                                            scratch, stream);
    MatrixRows matrix;
    std::size_t output_bytes = 0;
    const std::size_t results = Rows ? rows : columns;
    if (cudaError_t error =
            checked_matrix_rows(input, {rows, columns, 1}, {pitch, 0}, sizeof(T), &matrix))
        return error;
    if (cudaError_t error = checked_bytes(output, results, sizeof(Result), &output_bytes))
        return error;
    const ByteRange written = byte_range(output, output_bytes);
    if (matrix.span.overlaps(written) || !is_aligned(output, alignof(Result)) ||
        !scratch_serves_reduction<Rows, T, Result>(scratch, rows, columns, matrix.span, written))
        return cudaErrorInvalidValue;

    ReductionContext context{scratch, stream};
    if (cudaError_t error = context.find_multiprocessors()) return error;
    const bool ragged = !pitched_rows_are_words(input, columns, pitch);
    PitchedReducePlan<T, Result> plan{{input, rows, columns, 0, output, initial, true, ragged},
                                      pitch};
    if constexpr (Rows) {
        plan.piece = row_piece<T>(rows, columns, rows_are_for_warps(input, rows, columns),
                                  context.multiprocessors);
    } else {
        plan.piece =
            column_piece<T, Result>(ColumnAccess::kWords, rows, columns, context.multiprocessors);
    }
    return reduce_pieces<Rows>(
        plan, !Rows && kFillsWords<T>, operation, context,
        [&](const auto& part) { return launch_pitched_reduce<Rows>(part, operation, stream); });
}

}  // namespace wideload::WIDELOAD_DETAIL
