// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/dispatch/transpose_dispatch.cuh>
#include <wideload/device/dispatch/transpose_in_place_dispatch.cuh>
#include <wideload/device/dispatch/transpose_pitched_dispatch.cuh>
#include <wideload/device/dispatch/transpose_rectangle_dispatch.cuh>

namespace wideload {

/// output[c * rows + r] = input[r * columns + c] for each of `batch` matrices that lie one behind
/// the other.
///
/// Alignment: any, of both pointers and of the rows. Elements of 1, 2, 4, 8 or 16 bytes move 16
/// bytes at a time whatever the addresses; others move in units of the largest power of two in
/// their size, or bytes where the pointers are not multiples of that.
///
/// Null and overlap: an empty matrix is a success whatever the pointers are; any overlap of the two
/// is an error (see `transpose_in_place`).
///
/// @param input    batch * rows * columns elements, row by row
/// @param output   batch * columns * rows elements
/// @param rows     of the input
/// @param columns  of the input
/// @param batch    matrices
/// @param stream   the work runs in its order; no synchronisation; may be captured into a graph
/// @return cudaErrorInvalidValue for a null pointer, overlap, or a size past the address space;
/// else what the launch
///         returned
/// Cost: 2 * batch * rows * columns * sizeof(T) bytes.
/// Source: see block/swizzled_transpose.cuh and block/shifted_transpose.cuh.
template <class T>
cudaError_t transpose_batched(const T* input, T* output, std::size_t rows, std::size_t columns,
                              std::size_t batch, cudaStream_t stream = nullptr) {
    return detail::dispatch_transpose<detail::transposed_size<T>()>(input, output, rows, columns,
                                                                    batch, stream);
}

/// `transpose_batched` of one matrix.
template <class T>
cudaError_t transpose(const T* input, T* output, std::size_t rows, std::size_t columns,
                      cudaStream_t stream = nullptr) {
    return transpose_batched(input, output, rows, columns, 1, stream);
}

/// output[c * output_pitch + r] = input[r * input_pitch + c]: of a part of a matrix, into a part of
/// another one, or of matrices whose rows are padded. Otherwise as `transpose_batched`, though few
/// rows or columns take longer; what lies between the output's rows is left as it is.
///
/// @param input         (rows - 1) * input_pitch + columns elements
/// @param input_pitch   elements from one row to the next, at least `columns`
/// @param output        (columns - 1) * output_pitch + rows elements; must not overlap the input.
/// It may lie between the input's rows where the pitches are equal
/// @param output_pitch  at least `rows`
/// @return cudaErrorInvalidValue for a null pointer, a pitch below a row's elements, overlap, or a
/// size past the address space; else what the launch returned
template <class T>
cudaError_t transpose(const T* input, std::size_t input_pitch, T* output, std::size_t output_pitch,
                      std::size_t rows, std::size_t columns, cudaStream_t stream = nullptr) {
    return detail::dispatch_pitched_transpose<T>(
        {input, output, rows, columns, 1, {input_pitch, 0}, {output_pitch, 0}}, stream);
}

/// Transposes `batch` square matrices of size × size elements, one behind the other, in place and
/// without scratch memory.
///
/// @return cudaErrorInvalidValue for a null pointer or a size past the address space; else what the
/// launch returned
///
/// Cost: 2 * batch * size * size * sizeof(T) bytes. Otherwise as `transpose_batched`.
template <class T>
cudaError_t transpose_square_in_place(T* data, std::size_t size, std::size_t batch = 1,
                                      cudaStream_t stream = nullptr) {
    std::size_t bytes = 0;
    if (cudaError_t error = detail::checked_matrices(data, size, size, batch, sizeof(T), &bytes))
        return error;
    if (bytes == 0) return cudaSuccess;
    return detail::dispatch_transpose_square<detail::transposed_size<T>()>(data, size, batch,
                                                                           stream);
}

/// The scratch memory that `transpose_in_place` needs, in bytes: all of a matrix of up to 32 MiB;
/// for a larger one about 32 MiB, or up to 64 of its longer lines where that is more, and of more
/// than 1 GiB, if it has no better cut, up to a 32nd of it; none for a square, a row or a column.
template <class T>
constexpr std::size_t transpose_in_place_scratch_bytes(std::size_t rows, std::size_t columns) {
    return detail::in_place_scratch_size(rows, columns, sizeof(T));
}

namespace WIDELOAD_DETAIL {

/// Matrices in place, in scratch memory of the caller or of the stream's order.
template <class T>
cudaError_t transpose_in_place_with(T* data, std::size_t rows, std::size_t columns,
                                    std::size_t batch, Scratch scratch, cudaStream_t stream) {
    std::size_t bytes = 0;
    if (cudaError_t error = checked_matrices(data, rows, columns, batch, sizeof(T), &bytes))
        return error;
    if (bytes == 0) return cudaSuccess;
    const std::size_t needed = transpose_in_place_scratch_bytes<T>(rows, columns);
    if (scratch.own) scratch.bytes = needed;
    if (!scratch.serves(needed, kWideBytes, byte_range(data, bytes))) return cudaErrorInvalidValue;
    DeviceProperties device{};
    if (cudaError_t error = current_device_properties(&device)) return error;
    return dispatch_transpose_rectangle<transposed_size<T>()>(
        data, rows, columns, batch, device.shared_bytes, PanelSize{}, scratch, stream);
}

}  // namespace WIDELOAD_DETAIL

/// Transposes `batch` matrices of rows × columns elements, one behind the other, in place.
///
/// Scratch: `transpose_in_place_scratch_bytes<T>(rows, columns)` bytes at a multiple of 16 bytes.
/// Calls that may run at the same time need scratch of their own. Matrices that blocks transpose in
/// shared memory leave it untouched; where none is needed, any will do, null too.
///
/// Alignment: any. Elements move in units of the largest power of two in their size, or bytes where
/// the address is not a multiple of that.
///
/// @param data     batch * rows * columns elements, row by row; columns * rows a matrix afterwards
/// @param rows     of the matrices as they are before
/// @param columns  likewise
/// @param stream   the work runs in its order; no synchronisation; may be captured into a graph
/// @return cudaErrorInvalidValue for a null pointer, too little, misaligned or overlapping scratch,
/// or a size past the address space; else what the launches returned. An empty matrix is a success.
/// Cost: matrices that fit a block's shared memory 2 * batch * rows * columns * sizeof(T) bytes;
/// others up to 32 MiB that twice, larger ones 1.5 times, beside what stays in L2. Large ones may
/// be launched cooperatively, and then wait until all multiprocessors are free.
///
/// Source: this library's; see device/dispatch/transpose_rectangle_dispatch.cuh.
template <class T>
cudaError_t transpose_in_place_batched(T* data, std::size_t rows, std::size_t columns,
                                       std::size_t batch, void* scratch, std::size_t scratch_bytes,
                                       cudaStream_t stream = nullptr) {
    return detail::transpose_in_place_with(data, rows, columns, batch,
                                           {scratch, scratch_bytes, false}, stream);
}

/// `transpose_in_place_batched` with scratch memory that is allocated and freed in the stream's
/// order (cudaMallocAsync), where it is needed.
template <class T>
cudaError_t transpose_in_place_batched(T* data, std::size_t rows, std::size_t columns,
                                       std::size_t batch, cudaStream_t stream = nullptr) {
    return detail::transpose_in_place_with(data, rows, columns, batch, detail::kOwnScratch, stream);
}

/// `transpose_in_place_batched` of one matrix.
template <class T>
cudaError_t transpose_in_place(T* data, std::size_t rows, std::size_t columns, void* scratch,
                               std::size_t scratch_bytes, cudaStream_t stream = nullptr) {
    return transpose_in_place_batched(data, rows, columns, 1, scratch, scratch_bytes, stream);
}

/// `transpose_in_place_batched` of one matrix, with scratch memory of its own.
template <class T>
cudaError_t transpose_in_place(T* data, std::size_t rows, std::size_t columns,
                               cudaStream_t stream = nullptr) {
    return transpose_in_place_batched(data, rows, columns, 1, stream);
}

}  // namespace wideload
