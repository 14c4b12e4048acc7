// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/detail/callable.cuh>
#include <wideload/device/dispatch/pitched_reduce_dispatch.cuh>

namespace wideload {

namespace WIDELOAD_DETAIL {

/// `dispatch(known operation)` if types are such that it can be: one sentence is said of others.
template <class T, class Result, class Operation, class Dispatch>
cudaError_t check_matrix_reduce(const Operation& operation, const Dispatch& dispatch) {
    constexpr std::size_t kMost = 176;  // hundreds of results in shared memory
    static_assert(kReducible<T, Result>,
                  "wideload::reduce_rows and reduce_columns: elements and Result must be trivially "
                  "copyable, with a default constructor, and the output not const");
    static_assert(!kReducible<T, Result> || sizeof(Result) <= kMost,
                  "wideload::reduce_rows and reduce_columns: results of at most 176 bytes");
    constexpr bool kMay = may_combine<Result, Operation>();
    if constexpr (kReducible<T, Result> && sizeof(Result) <= kMost && kMay) {
        return dispatch(known<Result>(operation));
    }
    return cudaErrorInvalidValue;
}

/// `reduce_rows` or `reduce_columns` of rows that follow one another.
template <bool Rows, class T, class Result, class Operation>
cudaError_t reduce_matrix(const T* input, std::size_t rows, std::size_t columns, Result* output,
                          const Operation& operation, const Result& initial, const Scratch& scratch,
                          cudaStream_t stream) {
    return check_matrix_reduce<T, Result>(operation, [&](const auto& known) {
        return dispatch_matrix_reduce<Rows>(input, rows, columns, output, known, initial, scratch,
                                            stream);
    });
}

/// The same of rows that lie apart.
template <bool Rows, class T, class Result, class Operation>
cudaError_t reduce_pitched(const T* input, std::size_t pitch, std::size_t rows, std::size_t columns,
                           Result* output, const Operation& operation, const Result& initial,
                           const Scratch& scratch, cudaStream_t stream) {
    return check_matrix_reduce<T, Result>(operation, [&](const auto& known) {
        return dispatch_pitched_reduce<Rows>(input, pitch, rows, columns, output, known, initial,
                                             scratch, stream);
    });
}

}  // namespace WIDELOAD_DETAIL

/// The scratch memory that `reduce_rows` of such a matrix needs, in bytes, wherever it lies and
/// whatever combines it: none for rows of up to 160 KiB, at most 8,192 results for longer ones.
template <class T, class Result>
std::size_t reduce_rows_scratch_bytes(std::size_t rows, std::size_t columns) {
    return detail::reduction_scratch_size<true, T, Result>(rows, columns);
}

/// The same of `reduce_columns`: none for columns of fewer than 128 rows; for longer ones at most
/// 2^20 results, or 1,536 for each of up to some 2,000 columns.
template <class T, class Result>
std::size_t reduce_columns_scratch_bytes(std::size_t rows, std::size_t columns) {
    return detail::reduction_scratch_size<false, T, Result>(rows, columns);
}

/// output[r] = operation(initial, input[r * columns], ..., input[r * columns + columns - 1]) for
/// each row of a row-major matrix.
///
/// `operation` must be associative up to rounding. Elements keep their order unless it is known to
/// commute (`is_commutative`), or said to: `commutative(operation)`. Deterministic either way: what
/// is combined with what depends on the shape, the address modulo 16 and the device alone. Matrices
/// of few long rows take a second launch and scratch memory for the results of their pieces, and so
/// do long or few columns.
///
/// Scratch: `reduce_rows_scratch_bytes<T, Result>(rows, columns)` bytes at a multiple of 16 bytes
/// and of the result's alignment, whatever they hold. Calls that may run at the same time need
/// scratch of their own. Where none is needed, any will do, null too.
///
/// Alignment: any; fast at multiples of the element's size. Rows without columns give `initial`.
/// @param input    rows * columns elements, each converted to `Result` before it is combined
/// @param output   `rows` values of at most 176 bytes, aligned for their type; must not overlap the
///                 input
/// @param scratch  see above; must not overlap input or output
/// @param stream   the work runs in its order; no synchronisation; may be captured into a graph
/// @return cudaErrorInvalidValue for a null pointer, overlap, a misaligned output, too little or
/// misaligned scratch, or a size past the address space; else what the launches returned. No rows
/// are a success
/// Cost: rows * columns * sizeof(T) bytes.
/// Source: a thread, a warp or a block per row by its length, after N. Bell, M. Garland,
/// "Implementing sparse matrix-vector multiplication on throughput-oriented processors", SC 2009;
/// short rows by way of shared memory, as the range that they are (bench/library/NOTES.md).
template <class T, class Result, class Operation>
cudaError_t reduce_rows(const T* input, std::size_t rows, std::size_t columns, Result* output,
                        Operation operation, detail::same_t<Result> initial, void* scratch,
                        std::size_t scratch_bytes, cudaStream_t stream = nullptr) {
    return detail::reduce_matrix<true, T, Result>(input, rows, columns, output, operation, initial,
                                                  {scratch, scratch_bytes, false}, stream);
}

/// `reduce_rows` with scratch memory that is allocated and freed in the stream's order
/// (cudaMallocAsync), where it is needed.
template <class T, class Result, class Operation>
cudaError_t reduce_rows(const T* input, std::size_t rows, std::size_t columns, Result* output,
                        Operation operation, detail::same_t<Result> initial,
                        cudaStream_t stream = nullptr) {
    return detail::reduce_matrix<true, T, Result>(input, rows, columns, output, operation, initial,
                                                  detail::kOwnScratch, stream);
}

/// `reduce_rows` of a matrix whose rows lie apart: row r begins at input[r * pitch].
///
/// @param pitch    elements from one row to the next, at least `columns`; what lies between rows is
///                 not used, but may be read where rows are short
/// @param output   must not overlap anything from the first row to the last
/// Cost: rows * columns * sizeof(T) bytes, in whole sectors of 32 bytes of every row, or
/// rows * pitch * sizeof(T) where that is a few hundred bytes a row.
template <class T, class Result, class Operation>
cudaError_t reduce_rows(const T* input, std::size_t pitch, std::size_t rows, std::size_t columns,
                        Result* output, Operation operation, detail::same_t<Result> initial,
                        void* scratch, std::size_t scratch_bytes, cudaStream_t stream = nullptr) {
    return detail::reduce_pitched<true, T, Result>(input, pitch, rows, columns, output, operation,
                                                   initial, {scratch, scratch_bytes, false},
                                                   stream);
}

/// The same with scratch memory in the stream's order, where it is needed.
template <class T, class Result, class Operation>
cudaError_t reduce_rows(const T* input, std::size_t pitch, std::size_t rows, std::size_t columns,
                        Result* output, Operation operation, detail::same_t<Result> initial,
                        cudaStream_t stream = nullptr) {
    return detail::reduce_pitched<true, T, Result>(input, pitch, rows, columns, output, operation,
                                                   initial, detail::kOwnScratch, stream);
}

/// output[c] = operation(initial, input[c], input[columns + c], ...) for each column of a row-major
/// matrix. Otherwise as `reduce_rows`.
/// @param output   `columns` values; must not overlap the input
/// @param scratch  `reduce_columns_scratch_bytes<T, Result>(rows, columns)` bytes
/// Cost: rows * columns * sizeof(T) bytes.
/// Source: lanes side by side on neighbouring columns, warps on different rows; few columns as the
/// range that they are, each thread on words that hold the same ones (bench/library/NOTES.md).
template <class T, class Result, class Operation>
cudaError_t reduce_columns(const T* input, std::size_t rows, std::size_t columns, Result* output,
                           Operation operation, detail::same_t<Result> initial, void* scratch,
                           std::size_t scratch_bytes, cudaStream_t stream = nullptr) {
    return detail::reduce_matrix<false, T, Result>(input, rows, columns, output, operation, initial,
                                                   {scratch, scratch_bytes, false}, stream);
}

/// `reduce_columns` with scratch memory in the stream's order, where it is needed.
template <class T, class Result, class Operation>
cudaError_t reduce_columns(const T* input, std::size_t rows, std::size_t columns, Result* output,
                           Operation operation, detail::same_t<Result> initial,
                           cudaStream_t stream = nullptr) {
    return detail::reduce_matrix<false, T, Result>(input, rows, columns, output, operation, initial,
                                                   detail::kOwnScratch, stream);
}

/// `reduce_columns` of a matrix whose rows lie apart, as the `reduce_rows` that has a pitch.
template <class T, class Result, class Operation>
cudaError_t reduce_columns(const T* input, std::size_t pitch, std::size_t rows, std::size_t columns,
                           Result* output, Operation operation, detail::same_t<Result> initial,
                           void* scratch, std::size_t scratch_bytes,
                           cudaStream_t stream = nullptr) {
    return detail::reduce_pitched<false, T, Result>(input, pitch, rows, columns, output, operation,
                                                    initial, {scratch, scratch_bytes, false},
                                                    stream);
}

/// The same with scratch memory in the stream's order, where it is needed.
template <class T, class Result, class Operation>
cudaError_t reduce_columns(const T* input, std::size_t pitch, std::size_t rows, std::size_t columns,
                           Result* output, Operation operation, detail::same_t<Result> initial,
                           cudaStream_t stream = nullptr) {
    return detail::reduce_pitched<false, T, Result>(input, pitch, rows, columns, output, operation,
                                                    initial, detail::kOwnScratch, stream);
}

}  // namespace wideload
