// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/dispatch/rows_dispatch.cuh>
#include <wideload/device/dispatch/strided_dispatch.cuh>

namespace wideload {

/// destination[i] = source[index[i]] for i in [0, count).
///
/// @param source       as many elements as the indices reach
/// @param index        `count` indices of any integer type; they are not checked, and may repeat
/// @param destination  `count` elements; must not overlap the source, whose size only the form for
/// spans knows and checks, or the indices
/// @param stream       the work runs in its order; no synchronisation; may be captured into a graph
///
/// Alignment: any; pointers below the element's natural alignment are slow, but for elements of
/// whole words of 4 bytes at multiples of 4. A count of 0 is a success.
/// @return cudaErrorInvalidValue for a null pointer with a count, for indices that overlap the
/// destination, or for a size past the address space; else what the launch returned
/// Cost: count * (sizeof(Index) + sizeof(T)) bytes, and a sector of 32 bytes for every one that the
/// indices of a warp touch. Source: independent loads in a plain grid (bench/library/NOTES.md).
template <class T, class Index>
cudaError_t gather(const T* source, const Index* index, T* destination, std::size_t count,
                   cudaStream_t stream = nullptr) {
    static_assert(is_bitwise_copyable_v<T>,
                  "wideload::gather moves raw bytes: T must be trivially copyable");
    static_assert(std::is_integral_v<Index>, "wideload::gather: the indices must be integers");
    return detail::dispatch_gather(source, index, destination, count, stream);
}

/// destination[index[i]] = source[i] for i in [0, count). Where indices repeat, one of the values
/// remains. The destination, whose size is unknown, must not overlap source or indices, which only
/// the form for spans checks. Otherwise as `gather`.
template <class T, class Index>
cudaError_t scatter(const T* source, const Index* index, T* destination, std::size_t count,
                    cudaStream_t stream = nullptr) {
    static_assert(is_bitwise_copyable_v<T>,
                  "wideload::scatter moves raw bytes: T must be trivially copyable");
    static_assert(std::is_integral_v<Index>, "wideload::scatter: the indices must be integers");
    return detail::dispatch_scatter(source, index, destination, count, stream);
}

/// Row `r` of the destination becomes row `index[r]` of the source, a row-major matrix, as when
/// embeddings are looked up: destination[r * columns + c] = source[index[r] * columns + c] for r in
/// [0, rows) and c in [0, columns).
///
/// @param source       source_rows * columns elements
/// @param index        `rows` indices of any integer type, which may repeat; they are not checked
/// @param destination  rows * columns elements; must overlap neither the source nor the indices
/// @param columns      elements of a row, of both; the form for mdspans also takes rows further
/// apart than that
/// @param stream       the work runs in its order; no synchronisation; may be captured into a graph
///
/// Alignment: any. Rows that are whole words of 8 or 16 bytes, at such, move by those, others by
/// aligned words of the destination, into which the source's are shifted. No rows or no columns is
/// a success.
/// @return cudaErrorInvalidValue for a null pointer, for overlap, or for a size past the address
/// space; else what the launches returned (one for as many as 2^30 words)
/// Cost: rows * sizeof(Index) bytes, rows * columns * sizeof(T) written and as many read, in whole
/// sectors of 32 bytes of every row. Source: neighbouring lanes take neighbouring words, whatever
/// row they are of (bench/library/NOTES.md).
template <class T, class Index>
cudaError_t gather_rows(const T* source, std::size_t source_rows, const Index* index,
                        T* destination, std::size_t rows, std::size_t columns,
                        cudaStream_t stream = nullptr) {
    return detail::dispatch_indexed_rows<false, T>(source, {source_rows, columns, columns},
                                                   destination, {rows, columns, columns}, index,
                                                   stream);
}

/// Row `index[r]` of the destination becomes row `r` of the source:
/// destination[index[r] * columns + c] = source[r * columns + c] for r in [0, rows) and c in
/// [0, columns). Where indices repeat, what remains may be parts of several rows. The destination,
/// destination_rows * columns elements, must overlap neither the source nor the indices. Otherwise
/// as `gather_rows`.
template <class T, class Index>
cudaError_t scatter_rows(const T* source, const Index* index, T* destination,
                         std::size_t destination_rows, std::size_t rows, std::size_t columns,
                         cudaStream_t stream = nullptr) {
    return detail::dispatch_indexed_rows<true, T>(destination, {destination_rows, columns, columns},
                                                  source, {rows, columns, columns}, index, stream);
}

}  // namespace wideload
