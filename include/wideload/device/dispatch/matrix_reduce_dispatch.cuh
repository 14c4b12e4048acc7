// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/detail/scratch.cuh>
#include <wideload/device/dispatch/columns_reduce_dispatch.cuh>
#include <wideload/device/dispatch/fill_dispatch.cuh>
#include <wideload/device/dispatch/rows_reduce_dispatch.cuh>

#include <utility>

namespace wideload::WIDELOAD_DETAIL {

/// Whether columns may be brought early: of bytes in order ptxas then asks for fewer at once.
template <class T, class Result, class Operation>
inline constexpr bool kColumnsMayBeEarly =
    sizeof(T) > 1 || is_commutative<Operation, Result>::value;

/// @tparam MayBeEarly  of `launch_early`
template <bool Rows, bool MayBeEarly, class T, class Result, class Operation>
cudaError_t launch_matrix_reduce(const MatrixReducePlan<T, Result>& plan,
                                 const Operation& operation, cudaStream_t stream) {
    if constexpr (Rows) {
        return launch_reduce_rows<MayBeEarly>(plan, operation, stream);
    } else {
        constexpr bool kMay = MayBeEarly && kColumnsMayBeEarly<T, Result, Operation>;
        return launch_reduction_early<kMay>(plan, [&](const auto& columns) {
            return launch_reduce_columns(columns, operation, stream);
        });
    }
}

/// The length of the pieces of rows; all of one that is not too long.
template <class T>
std::size_t row_piece(std::size_t rows, std::size_t columns, bool whole, int multiprocessors) {
    return whole || columns * sizeof(T) <= kWholeRowBytes
               ? columns
               : piece_length(columns, rows, kLeastRowPiece, multiprocessors);
}

/// The most blocks that share a matrix as the range that it is, wherever it lies; none if it is not
/// read so.
template <bool Staged, class T, class Result>
std::size_t most_thin_columns_blocks(std::size_t rows, std::size_t columns) {
    if (!columns_fit_thin<T, Staged>(rows, columns)) return 0;
    MatrixReducePlan<T, Result> plan{};
    plan.rows = rows;
    plan.columns = columns;
    return thin_columns_blocks<Staged>(thin_columns_plan<Staged>(plan), kMostMultiprocessors);
}

/// The most scratch memory that rows, or columns, take, in bytes: wherever the matrix lies, its
/// rows together or apart, in any order and on any device.
template <bool Rows, class T, class Result>
std::size_t reduction_scratch_size(std::size_t rows, std::size_t columns) {
    if (rows == 0 || columns == 0) return 0;
    std::size_t pieces = 0;
    if constexpr (Rows) {
        pieces = divide_up(columns, row_piece<T>(rows, columns, false, kMostMultiprocessors));
    } else {
        const auto at_least = [&](std::size_t others) {
            pieces = pieces < others ? others : pieces;
        };
        at_least(divide_up(rows, columns_piece_length(rows, columns, kLeastFewColumnsPiece,
                                                      kMostMultiprocessors)));
        if constexpr (sizeof(Result) <= kWideBytes) {
            if constexpr (kColumnsFitStaged<T, Result>)
                at_least(most_thin_columns_blocks<true, T, Result>(rows, columns));
            if constexpr (kFillsWords<T>)
                at_least(most_thin_columns_blocks<false, T, Result>(rows, columns));
        }
    }
    return pieces > 1 ? (Rows ? rows : columns) * pieces * sizeof(Result) : 0;
}

/// Where it must begin.
template <class Result>
inline constexpr std::size_t kReductionScratchAlignment = alignof(Result) > kWideBytes
                                                              ? alignof(Result)
                                                              : std::size_t{kWideBytes};

/// Whether scratch memory is what such a reduction needs.
template <bool Rows, class T, class Result>
bool scratch_serves_reduction(const Scratch& scratch, std::size_t rows, std::size_t columns,
                              const ByteRange& read, const ByteRange& written) {
    return scratch.own || scratch.serves(reduction_scratch_size<Rows, T, Result>(rows, columns),
                                         kReductionScratchAlignment<Result>, read, written);
}

/// The scratch memory of the caller, the stream, and what the current device has.
struct ReductionContext {
    Scratch scratch;
    cudaStream_t stream;
    int multiprocessors = 0;

    /// No more of them than scratch memory is for.
    cudaError_t find_multiprocessors() {
        DeviceProperties device{};
        if (cudaError_t error = current_device_properties(&device)) return error;
        multiprocessors = device.multiprocessors < kMostMultiprocessors ? device.multiprocessors
                                                                        : kMostMultiprocessors;
        return cudaSuccess;
    }
};

/// `first(partials)` is to launch what writes the results of `pieces` pieces of each row (of each
/// column), to scratch memory, from where a second launch combines them.
///
/// @param halved  whether blocks that combine columns have half the threads
template <bool Rows, class Result, class Operation, class First>
cudaError_t reduce_in_two_launches(std::size_t results, std::size_t pieces, bool halved,
                                   Result* output, const Operation& operation,
                                   const Result& initial, const ReductionContext& context,
                                   First first) {
    const cudaStream_t stream = context.stream;
    const std::size_t bytes = results * pieces * sizeof(Result);
    return with_scratch(context.scratch, bytes, stream, [&](void* memory) {
        auto* partials = static_cast<Result*>(memory);
        if (cudaError_t error = first(partials)) return error;
        const Second<MatrixReducePlan<Result, Result>> second{{partials, Rows ? results : pieces,
                                                               Rows ? pieces : results, pieces,
                                                               output, initial, true, true}};
        if constexpr (!Rows && sizeof(Result) <= kWideBytes) {
            constexpr int kAligned = greatest_common_divisor<int>(sizeof(Result), kWideBytes);
            return halved ? launch_reduce_whole_columns<kColumnWarps / 2, kAligned>(
                                second, operation, stream)
                          : launch_reduce_whole_columns<kColumnWarps, kAligned>(second, operation,
                                                                                stream);
        } else {
            return launch_matrix_reduce<Rows, false>(second, operation, stream);
        }
    });
}

/// Rows, or columns, of which `launch(plan)` reduces pieces of the plan's length, which are
/// combined by a second launch where there are several.
///
/// @param halved  of `reduce_in_two_launches`
template <bool Rows, class Plan, class Operation, class Launch>
cudaError_t reduce_pieces(Plan plan, bool halved, const Operation& operation,
                          const ReductionContext& context, Launch launch) {
    using Result = typename Plan::Value;
    const std::size_t results = Rows ? plan.rows : plan.columns;
    const std::size_t pieces = divide_up(Rows ? plan.columns : plan.rows, plan.piece);
    if (pieces == 1) return launch(plan);
    const auto first = [&](Result* partials) {
        Plan parts = plan;
        parts.output = partials;
        parts.combine_initial = false;
        return launch(parts);
    };
    return reduce_in_two_launches<Rows>(results, pieces, halved, plan.output, operation,
                                        plan.initial, context, first);
}

/// Rows, or columns, cut into pieces where there are too few to keep the device busy.
///
/// @tparam MayBeEarly  of `launch_early`
template <bool Rows, bool MayBeEarly, class T, class Result, class Operation>
cudaError_t reduce_by_pieces(MatrixReducePlan<T, Result> plan, const Operation& operation,
                             const ReductionContext& context) {
    constexpr bool kInOrder = !is_commutative<Operation, Result>::value;
    const auto launch = [&](const auto& part) {
        return launch_matrix_reduce<Rows, MayBeEarly>(part, operation, context.stream);
    };
    if constexpr (Rows) {
        const bool whole = rows_are_staged(plan.input, plan.rows, plan.columns, kInOrder) ||
                           rows_are_for_warps(plan.input, plan.rows, plan.columns);
        plan.piece = row_piece<T>(plan.rows, plan.columns, whole, context.multiprocessors);
        return reduce_pieces<Rows>(plan, false, operation, context, launch);
    } else {
        const ColumnAccess access =
            columns_way<T, Result>(plan.input, plan.rows, plan.columns, kInOrder).access;
        plan.piece =
            column_piece<T, Result>(access, plan.rows, plan.columns, context.multiprocessors);
        const bool halved = kFillsWords<T> && access != ColumnAccess::kStaged;
        return reduce_pieces<Rows>(plan, halved, operation, context, launch);
    }
}

/// A matrix of few columns, read as the range that it is.
template <bool Staged, class T, class Result, class Operation>
cudaError_t reduce_thin_columns(const MatrixReducePlan<T, Result>& plan, const Operation& operation,
                                const ReductionContext& context) {
    ThinColumnsPlan<T, Result> thin = thin_columns_plan<Staged>(plan);
    const std::size_t blocks = thin_columns_blocks<Staged>(thin, context.multiprocessors);
    if (blocks == 1) return launch_reduce_thin_columns<Staged>(thin, 1, operation, context.stream);
    const auto first = [&](Result* partials) {
        thin.output = partials;
        thin.combine_initial = false;
        return launch_reduce_thin_columns<Staged>(thin, blocks, operation, context.stream);
    };
    return reduce_in_two_launches<false>(plan.columns, blocks, !Staged, plan.output, operation,
                                         plan.initial, context, first);
}

/// Columns of small matrices and of few rows take one launch, few columns are a range.
template <class T, class Result, class Operation>
cudaError_t reduce_columns_by_shape(const MatrixReducePlan<T, Result>& plan,
                                    const Operation& operation, const ReductionContext& context) {
    const int multiprocessors = context.multiprocessors;
    const cudaStream_t stream = context.stream;
    if constexpr (sizeof(Result) <= kWideBytes) {
        const bool wide = columns_are_wide(plan.columns, multiprocessors);
        if (rows_are_few<T, Result>(plan.input, plan.rows, plan.columns, multiprocessors))
            return launch_reduction_early<kColumnsMayBeEarly<T, Result, Operation>>(
                plan, [&](const auto& few) {
                    return launch_reduce_few_rows(few, !wide, operation, multiprocessors, stream);
                });
        constexpr bool kInOrder = !is_commutative<Operation, Result>::value;
        if (plan.rows <= kBlockColumnRows && !wide) {
            if (columns_fill_blocks<T>(plan.rows, plan.columns, multiprocessors))
                return launch_matrix_reduce<false, true>(plan, operation, stream);
            if (!columns_are_long<T, Result>(plan.input, plan.rows, plan.columns, kInOrder,
                                             multiprocessors))
                return launch_reduction_early(plan, [&](const auto& columns) {
                    return launch_reduce_short_columns(columns, operation, stream);
                });
        }
        if constexpr (!kInOrder && kColumnsFitStaged<T, Result>) {
            if (columns_are_thin<T, Result, true>(plan.input, plan.rows, plan.columns))
                return reduce_thin_columns<true>(plan, operation, context);
        }
        if constexpr (!kInOrder && kFillsWords<T>) {
            if (columns_are_thin<T, Result, false>(plan.input, plan.rows, plan.columns))
                return reduce_thin_columns<false>(plan, operation, context);
        }
    }
    return reduce_by_pieces<false, true>(plan, operation, context);
}

template <bool Rows, class T, class Result, class Operation>
cudaError_t dispatch_matrix_reduce(const T* input, std::size_t rows, std::size_t columns,
                                   Result* output, const Operation& operation,
                                   const Result& initial, const Scratch& scratch,
                                   cudaStream_t stream) {
    std::size_t bytes = 0, output_bytes = 0;
    const std::size_t results = Rows ? rows : columns, length = Rows ? columns : rows;
    if (rows != 0 && columns > SIZE_MAX / rows) return cudaErrorInvalidValue;
    if (cudaError_t error = checked_bytes(input, rows * columns, sizeof(T), &bytes)) return error;
    if (cudaError_t error = checked_bytes(output, results, sizeof(Result), &output_bytes))
        return error;
    const ByteRange read = byte_range(input, bytes), written = byte_range(output, output_bytes);
    if (read.overlaps(written) || !is_aligned(output, alignof(Result)) ||
        !scratch_serves_reduction<Rows, T, Result>(scratch, rows, columns, read, written))
        return cudaErrorInvalidValue;
    if (results == 0) return cudaSuccess;
    if (length == 0)
        return dispatch_fill<static_cast<int>(sizeof(Result))>(output, results, &initial, stream);

    ReductionContext context{scratch, stream};
    if (cudaError_t error = context.find_multiprocessors()) return error;
    // A single column is a row. Results of one element are either: what is not what was asked for
    // is not worth kernels of its own for small work, and a single row is few rows.
    constexpr bool kInOrder = !is_commutative<Operation, Result>::value;
    const bool by_rows =
        length == 1 ? rows_are_short<T, Result>(input, results, 1, kInOrder) : Rows || columns == 1;
    if (by_rows != Rows) std::swap(rows, columns);
    const MatrixReducePlan<T, Result> plan{
        input, rows, columns, length, output, initial, true, !rows_are_words(input, columns)};
    if (by_rows) return reduce_by_pieces<true, Rows>(plan, operation, context);
    if constexpr (!Rows) {
        return reduce_columns_by_shape(plan, operation, context);
    } else if constexpr (sizeof(Result) <= kWideBytes) {
        const bool wide = columns_are_wide(plan.columns, context.multiprocessors);
        return launch_reduce_few_rows(plan, !wide, operation, context.multiprocessors, stream);
    } else {
        return reduce_by_pieces<false, false>(plan, operation, context);
    }
}

}  // namespace wideload::WIDELOAD_DETAIL
