// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/dispatch/rows_dispatch.cuh>

namespace wideload {

/// destination[r * destination_pitch + c] = source[r * source_pitch + c] for r in [0, rows) and c
/// in [0, columns): part of a matrix, or one whose rows are padded.
///
/// @param source             (rows - 1) * source_pitch + columns elements
/// @param source_pitch       elements from one row to the next, at least `columns`
/// @param destination        (rows - 1) * destination_pitch + columns elements; what lies between
/// its rows is left as it is. It may lie between the source's rows where the pitches are equal
/// @param destination_pitch  at least `columns`
/// @param stream             the work runs in its order; no synchronisation; may be captured into a
/// graph
///
/// Alignment: any, of both and of every row. Rows that are whole words of 8 or 16 bytes, at such,
/// move by those, others by aligned words of the destination, into which the source's are shifted.
/// Null and overlap: no rows or no columns are a success whatever the pointers are; so are rows
/// that are the same on both sides, which does nothing; any other overlap is an error.
/// @return cudaErrorInvalidValue for a null pointer, a pitch below `columns`, overlap, or a size
/// past the address space; else what the launches returned (one for as many as 2^30 words)
///
/// Cost: 2 * rows * columns * sizeof(T) bytes, in whole sectors of 32 bytes of every row.
/// Source: neighbouring lanes take neighbouring words, whatever row they are of
/// (bench/library/NOTES.md).
template <class T>
cudaError_t copy_rows(const T* source, std::size_t source_pitch, T* destination,
                      std::size_t destination_pitch, std::size_t rows, std::size_t columns,
                      cudaStream_t stream = nullptr) {
    static_assert(is_bitwise_copyable_v<T>,
                  "wideload::copy_rows moves raw bytes: T must be trivially copyable");
    return detail::dispatch_copy_rows(source, {rows, columns, source_pitch}, destination,
                                      {rows, columns, destination_pitch}, stream);
}

}  // namespace wideload
