// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/dispatch/columns_reduce_shape.cuh>
#include <wideload/device/kernel/columns_reduce_kernel.cuh>
#include <wideload/device/kernel/matrix_reduce_in_order_kernel.cuh>
#include <wideload/device/kernel/thin_columns_kernel.cuh>

namespace wideload::WIDELOAD_DETAIL {

template <bool Staged, class T, class Result, class Operation>
cudaError_t launch_reduce_thin_columns(const ThinColumnsPlan<T, Result>& thin, std::size_t blocks,
                                       const Operation& operation, cudaStream_t stream) {
    constexpr int kThreads = kThinBlockThreads<Staged>, kWide = kThinWide<T, Staged>;
    const bool spread = !Staged && thin_blocks_each<Staged>(thin) == kThinFewBlocks;
    const std::size_t bytes = thin.input.words * (kWide * sizeof(T));
    return launch_early(thin, bytes, kSmallWorkBytes, [&](const auto& plan) {
        using Plan = std::decay_t<decltype(plan)>;
        return launch(
            reduce_thin_columns_kernel<T, Result, Operation, kWide, kThreads, Staged, Plan>, blocks,
            kThreads, evenly(0, spread ? kReductionsEvenFrom : 0), stream, plan, operation);
    });
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
template <class Plan, class Operation>
cudaError_t launch_reduce_few_rows(const Plan& plan, bool spread, const Operation& operation,
                                   int multiprocessors, cudaStream_t stream) {
    using T = typename Plan::Element;
    using Result = typename Plan::Value;
    constexpr int kWarps = kMatrixReduceThreads / kWarpLanes;
    const auto start = [&](auto per_access, auto alignment) {
        constexpr int kPerAccess = decltype(per_access)::value;
        return launch(reduce_few_rows_kernel<T, Result, Operation, kPerAccess,
                                             decltype(alignment)::value, kWarps, Plan>,
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
    if constexpr (kColumnsSlip<T, Result>) {
        if (few_rows_slip<T, Result>(plan.input, plan.rows, plan.columns, multiprocessors))
            return start(std::integral_constant<int, kSlippedBytes>{},
                         std::integral_constant<int, kSlipped>{});
    }
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

/// Few columns, as `columns_way` says, which are those whose order is kept, and of structs any.
template <class Plan, class Operation>
cudaError_t launch_reduce_few_columns_in_order(const Plan& plan, ColumnAccess access,
                                               const Operation& operation, cudaStream_t stream) {
    using T = typename Plan::Element;
    using Result = typename Plan::Value;
    const auto start = [&](auto per_access, auto alignment) {
        constexpr int kPerAccess = decltype(per_access)::value, kThreads = kMatrixReduceThreads;
        const FewColumnsRuns shares(plan.rows, plan.piece,
                                    few_columns_readers(plan.columns, kPerAccess), kThreads);
        const dim3 grid(1, static_cast<unsigned>(divide_up(plan.rows, plan.piece)));
        return launch_grid(
            reduce_few_columns_in_order_kernel<T, Result, Operation, kPerAccess,
                                               decltype(alignment)::value, kThreads, Plan>,
            grid, kThreads, evenly(0, kReductionsEvenFrom), stream, plan, shares, operation);
    };
    if constexpr (kColumnsSlip<T, Result>) {
        if (access == ColumnAccess::kSlipped)
            return start(std::integral_constant<int, kSlippedBytes>{},
                         std::integral_constant<int, kSlipped>{});
    }
    if constexpr (kFewByWords<T, Result>) {
        if (access == ColumnAccess::kWords)
            return start(std::integral_constant<int, kColumnsWide<T, Result>>{},
                         std::integral_constant<int, kWideBytes>{});
    }
    return with_alignment(plan.input, [&](auto alignment) {
        return start(std::integral_constant<int, 1>{}, alignment);
    });
}

template <class Plan, class Operation>
cudaError_t launch_reduce_columns(const Plan& plan, const Operation& operation,
                                  cudaStream_t stream) {
    using T = typename Plan::Element;
    using Result = typename Plan::Value;
    constexpr int kWarps = kMatrixReduceThreads / kWarpLanes, kWide = kColumnsWide<T, Result>;
    constexpr bool kInOrder = !is_commutative<Operation, Result>::value;
    const auto [access, few] =
        columns_way<T, Result>(plan.input, plan.rows, plan.columns, kInOrder);
    if constexpr (kInOrder || !kFillsWords<T>) {
        if (few) return launch_reduce_few_columns_in_order(plan, access, operation, stream);
    }
    const std::size_t blocks = divide_up<std::size_t>(
        plan.columns, access == ColumnAccess::kShifted
                          ? kShiftedColumns<kWide>
                          : kWarpLanes * columns_a_thread<T, Result>(access));
    if (blocks > kMaxGridBlocks) return cudaErrorInvalidConfiguration;
    const dim3 grid(static_cast<unsigned>(blocks),
                    static_cast<unsigned>(divide_up(plan.rows, plan.piece)));
    const auto start = [&](auto kernel) {
        return launch_grid(kernel, grid, kMatrixReduceThreads, evenly(0, kReductionsEvenFrom),
                           stream, plan, operation);
    };
    if (access == ColumnAccess::kWords)
        return start(reduce_columns_kernel<T, Result, Operation, kWide, kWideBytes, kWarps, Plan>);
    if constexpr (kColumnsFitStaged<T, Result>) {
        if (access == ColumnAccess::kStaged) {
            return start(reduce_columns_kernel<T, Result, Operation, ColumnRuns<T>::kRun, kStaged,
                                               kWarps, Plan>);
        }
    }
    if constexpr (kInOrder && kColumnsSlip<T, Result>) {
        if (access == ColumnAccess::kSlipped)
            return start(
                reduce_columns_kernel<T, Result, Operation, kSlippedBytes, kSlipped, kWarps, Plan>);
    }
    if constexpr (kWide > 1 && !kInOrder) {
        // A warp's rows begin at the same place of a word only if they are not neighbours.
        if (access == ColumnAccess::kShifted)
            return start(reduce_shifted_columns_kernel<T, Result, Operation, kWide, kWarps>);
    }
    return with_alignment(plan.input, [&](auto alignment) {
        return start(reduce_columns_kernel<T, Result, Operation, 1, decltype(alignment)::value,
                                           kWarps, Plan>);
    });
}

/// Whole columns, 32 to a block of `Warps` warps, of elements at multiples of `Alignment`.
template <int Warps, int Alignment, class Plan, class Operation>
cudaError_t launch_reduce_whole_columns(const Plan& plan, const Operation& operation,
                                        cudaStream_t stream) {
    return launch(reduce_columns_kernel<typename Plan::Element, typename Plan::Value, Operation, 1,
                                        Alignment, Warps, Plan>,
                  divide_up<std::size_t>(plan.columns, kWarpLanes), Warps * kWarpLanes,
                  evenly(0, kReductionsEvenFrom), stream, plan, operation);
}

/// The same of elements anywhere, by fewer warps where there are few rows.
template <class Plan, class Operation>
cudaError_t launch_reduce_short_columns(const Plan& plan, const Operation& operation,
                                        cudaStream_t stream) {
    using T = typename Plan::Element;
    constexpr bool kInOrder = !is_commutative<Operation, typename Plan::Value>::value;
    using Rows = FewWarpsRows<T, kInOrder>;
    return with_alignment(plan.input, [&](auto alignment) {
        constexpr int kAlignment = decltype(alignment)::value;
        if constexpr (kAlignment == sizeof(T)) {
            if constexpr (Rows::kQuarter != 0) {
                if (plan.rows <= Rows::kQuarter)
                    return launch_reduce_whole_columns<kColumnWarps / 4, kAlignment>(
                        plan, operation, stream);
            }
            if constexpr (Rows::kHalf > Rows::kQuarter) {
                if (plan.rows <= Rows::kHalf)
                    return launch_reduce_whole_columns<kColumnWarps / 2, kAlignment>(
                        plan, operation, stream);
            }
        }
        return launch_reduce_whole_columns<kColumnWarps, kAlignment>(plan, operation, stream);
    });
}

}  // namespace wideload::WIDELOAD_DETAIL
