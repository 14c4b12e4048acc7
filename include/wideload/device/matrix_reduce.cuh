// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/dispatch/matrix_reduce_dispatch.cuh>

namespace wideload {

/// output[r] = operation(initial, input[r * columns], ..., input[r * columns + columns - 1]) for
/// each row of a row-major matrix.
///
/// `operation` must be associative up to rounding. Elements keep their order unless it is known to
/// commute (`is_commutative`), or said to: `commutative(operation)`. Deterministic either way: what
/// is combined with what depends on the shape, the address modulo 16 and the device alone. Matrices
/// of few long rows take a second launch and stream-ordered memory for the results of their pieces,
/// and so do long or few columns.
///
/// Alignment: any; fast at multiples of the element's size.
/// @param input    rows * columns elements, each converted to `Result` before it is combined
/// @param output   `rows` values; must not overlap the input
/// @param stream   the work runs in its order; no synchronisation; may be captured into a graph
/// @return cudaErrorInvalidValue for a null pointer, overlap, rows without columns, or a size past
/// the address space; else
///         what the launch returned. No rows are a success
/// Cost: rows * columns * sizeof(T) bytes.
/// Source: a thread, a warp or a block per row by its length, after N. Bell, M. Garland,
/// "Implementing sparse matrix-vector multiplication on throughput-oriented processors", SC 2009;
/// short rows by way of shared memory, as the range that they are (bench/library/NOTES.md).
template <class T, class Result, class Operation>
cudaError_t reduce_rows(const T* input, std::size_t rows, std::size_t columns, Result* output,
                        Operation operation, Result initial, cudaStream_t stream = nullptr) {
    return detail::dispatch_matrix_reduce<true>(input, rows, columns, output,
                                                detail::known<Result>(operation), initial, stream);
}

/// output[c] = operation(initial, input[c], input[columns + c], ...) for each column of a row-major
/// matrix. Otherwise as `reduce_rows`; columns without rows are an error.
/// @param output   `columns` values; must not overlap the input
/// Cost: rows * columns * sizeof(T) bytes.
/// Source: lanes side by side on neighbouring columns, warps on different rows; few columns as the
/// range that they are, each thread on words that hold the same ones (bench/library/NOTES.md).
template <class T, class Result, class Operation>
cudaError_t reduce_columns(const T* input, std::size_t rows, std::size_t columns, Result* output,
                           Operation operation, Result initial, cudaStream_t stream = nullptr) {
    return detail::dispatch_matrix_reduce<false>(input, rows, columns, output,
                                                 detail::known<Result>(operation), initial, stream);
}

}  // namespace wideload
