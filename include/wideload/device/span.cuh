// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/copy.cuh>
#include <wideload/device/copy_rows.cuh>
#include <wideload/device/fill.cuh>
#include <wideload/device/gather.cuh>
#include <wideload/device/interleave.cuh>
#include <wideload/device/matrix_reduce.cuh>
#include <wideload/device/reduce.cuh>
#include <wideload/device/strided_copy.cuh>
#include <wideload/device/transform.cuh>
#include <wideload/device/transpose.cuh>

/// Overloads for spans and mdspans: the same functions, with sizes that must agree; a disagreement
/// is cudaErrorInvalidValue. cuda::std::span and mdspan, and the standard's own, are recognised by
/// their members, so this header includes neither (they take longer to compile than all of the
/// library).
namespace wideload {
namespace WIDELOAD_DETAIL {

template <class T, class = void>
struct span_element {};
template <class T>
struct span_element<T,
                    std::void_t<typename T::element_type, decltype(std::declval<const T&>().data()),
                                decltype(std::declval<const T&>().size())>> {
    using type = typename T::element_type;
};
/// The element type of a span; substitution fails for anything else.
template <class Span>
using span_element_t = typename span_element<Span>::type;
template <class Span>
using span_value_t = std::remove_const_t<span_element_t<Span>>;

template <class T, class = void>
struct matrix_element {};
template <class T>
struct matrix_element<
    T, std::void_t<typename T::element_type, decltype(std::declval<const T&>().data_handle()),
                   decltype(std::declval<const T&>().extent(0)),
                   decltype(std::declval<const T&>().stride(0))>> {
    using type = typename T::element_type;
};
template <class Matrix>
using matrix_value_t = std::remove_const_t<typename matrix_element<Matrix>::type>;

/// What is asked of a span or mdspan whose elements are written,
template <class To>
constexpr void require_written() {
    static_assert(!std::is_const_v<typename To::element_type>,
                  "wideload: the elements of a span or mdspan that is written must not be const");
}
/// and of two that elements move between.
template <class From, class To>
constexpr void require_moved() {
    static_assert(std::is_same_v<std::remove_const_t<typename From::element_type>,
                                 std::remove_const_t<typename To::element_type>>,
                  "wideload: elements move between spans or mdspans of one element type");
    require_written<To>();
}

/// A span's data as the pointer forms take an input.
template <class Span>
const span_value_t<Span>* input_of(const Span& span) {
    return span.data();
}

/// Whether two spans have bytes in common.
template <class First, class Second>
bool spans_overlap(const First& first, const Second& second) {
    return byte_range(first.data(), first.size() * sizeof(span_element_t<First>))
        .overlaps(byte_range(second.data(), second.size() * sizeof(span_element_t<Second>)));
}

/// Whether a matrix, or matrices one behind the other, are row-major without gaps. Where there is
/// one of something, its stride says nothing.
template <class Matrix>
bool is_row_major(const Matrix& matrix) {
    std::size_t elements = 1;
    bool packed = true;
    for (std::size_t i = Matrix::rank(); i-- != 0; elements *= matrix.extent(i))
        packed = packed &&
                 (matrix.extent(i) == 1 || static_cast<std::size_t>(matrix.stride(i)) == elements);
    return packed || elements == 0;
}

/// Rows of a matrix, one behind the other or further apart.
template <class Matrix>
RowsShape rows_of(const Matrix& matrix) {
    const auto rows = static_cast<std::size_t>(matrix.extent(0)),
               columns = static_cast<std::size_t>(matrix.extent(1));
    return {rows, columns, rows > 1 ? static_cast<std::size_t>(matrix.stride(0)) : columns};
}

/// Whether the elements of a row lie one behind the other, in a matrix or in each of a batch.
template <class Matrix>
bool rows_are_ranges(const Matrix& matrix) {
    constexpr auto kAlong = Matrix::rank() - 1;
    return matrix.extent(kAlong) <= 1 || matrix.stride(kAlong) == 1;
}
/// And whether rows of a matrix lie apart.
template <class Matrix>
bool has_whole_rows(const Matrix& matrix) {
    const RowsShape shape = rows_of(matrix);
    return shape.pitch >= shape.columns && rows_are_ranges(matrix);
}

/// The number of matrices that an mdspan of three extents shows, and their sides.
struct MatrixBatch {
    std::size_t batch, rows, columns;

    template <class Matrices>
    explicit MatrixBatch(const Matrices& matrices)
        : batch(matrices.extent(0)), rows(matrices.extent(1)), columns(matrices.extent(2)) {
        static_assert(Matrices::rank() == 3,
                      "wideload: a batch of matrices has three extents: batch, rows, columns");
    }
};

/// How far apart rows and matrices of a batch are.
template <class Matrices>
MatrixPitch pitch_of(const Matrices& matrices) {
    return {static_cast<std::size_t>(matrices.stride(1)),
            static_cast<std::size_t>(matrices.stride(0))};
}

}  // namespace WIDELOAD_DETAIL

/// `copy` of a span to one of the same size.
template <class Source, class Destination, class T = detail::span_value_t<Source>,
          class = detail::span_element_t<Destination>>
cudaError_t copy(const Source& source, const Destination& destination,
                 cudaStream_t stream = nullptr) {
    detail::require_moved<Source, Destination>();
    if (source.size() != destination.size()) return cudaErrorInvalidValue;
    return copy<T>(source.data(), destination.data(), source.size(), stream);
}

/// `copy_rows` of a matrix to one of the same extents. Rows may be further apart than their
/// elements take, on both sides; a layout whose rows are no ranges, or overlap, is
/// cudaErrorInvalidValue.
template <class Source, class Destination, class T = detail::matrix_value_t<Source>,
          class = detail::matrix_value_t<Destination>>
cudaError_t copy_rows(const Source& source, const Destination& destination,
                      cudaStream_t stream = nullptr) {
    static_assert(Source::rank() == 2 && Destination::rank() == 2,
                  "wideload::copy_rows takes matrices: two extents");
    detail::require_moved<Source, Destination>();
    const detail::RowsShape from = detail::rows_of(source), to = detail::rows_of(destination);
    if (from.rows != to.rows || from.columns != to.columns || !detail::rows_are_ranges(source) ||
        !detail::rows_are_ranges(destination))
        return cudaErrorInvalidValue;
    return copy_rows<T>(source.data_handle(), from.pitch, destination.data_handle(), to.pitch,
                        from.rows, from.columns, stream);
}

/// `fill` of a span.
template <class Destination, class T = detail::span_element_t<Destination>>
cudaError_t fill(const Destination& destination, const detail::same_t<T>& value,
                 cudaStream_t stream = nullptr) {
    return fill<T>(destination.data(), destination.size(), value, stream);
}

/// `transform` of a span to one of the same size.
template <class Input, class Output, class Operation, class = detail::span_element_t<Input>,
          class = detail::span_element_t<Output>>
cudaError_t transform(const Input& input, const Output& output, Operation operation,
                      cudaStream_t stream = nullptr) {
    if (input.size() != output.size()) return cudaErrorInvalidValue;
    return transform(detail::input_of(input), output.data(), output.size(), operation, stream);
}

/// `transform` of two spans to one of the same size.
template <class First, class Second, class Output, class Operation,
          class = detail::span_element_t<First>, class = detail::span_element_t<Second>,
          class = detail::span_element_t<Output>>
cudaError_t transform(const First& first, const Second& second, const Output& output,
                      Operation operation, cudaStream_t stream = nullptr) {
    if (first.size() != output.size() || second.size() != output.size())
        return cudaErrorInvalidValue;
    return transform(detail::input_of(first), detail::input_of(second), output.data(),
                     output.size(), operation, stream);
}

/// `transform` of three spans to one of the same size.
template <class First, class Second, class Third, class Output, class Operation,
          class = detail::span_element_t<First>, class = detail::span_element_t<Second>,
          class = detail::span_element_t<Third>, class = detail::span_element_t<Output>>
cudaError_t transform(const First& first, const Second& second, const Third& third,
                      const Output& output, Operation operation, cudaStream_t stream = nullptr) {
    if (first.size() != output.size() || second.size() != output.size() ||
        third.size() != output.size())
        return cudaErrorInvalidValue;
    return transform(detail::input_of(first), detail::input_of(second), detail::input_of(third),
                     output.data(), output.size(), operation, stream);
}

/// `transform` of four spans to one of the same size.
template <class First, class Second, class Third, class Fourth, class Output, class Operation,
          class = detail::span_element_t<First>, class = detail::span_element_t<Second>,
          class = detail::span_element_t<Third>, class = detail::span_element_t<Fourth>,
          class = detail::span_element_t<Output>>
cudaError_t transform(const First& first, const Second& second, const Third& third,
                      const Fourth& fourth, const Output& output, Operation operation,
                      cudaStream_t stream = nullptr) {
    if (first.size() != output.size() || second.size() != output.size() ||
        third.size() != output.size() || fourth.size() != output.size())
        return cudaErrorInvalidValue;
    return transform(detail::input_of(first), detail::input_of(second), detail::input_of(third),
                     detail::input_of(fourth), output.data(), output.size(), operation, stream);
}

/// `strided_copy` of `count` elements; both spans must hold the last of them.
template <class Source, class Destination, class T = detail::span_value_t<Source>,
          class = detail::span_element_t<Destination>>
cudaError_t strided_copy(const Source& source, std::size_t source_stride,
                         const Destination& destination, std::size_t destination_stride,
                         std::size_t count, cudaStream_t stream = nullptr) {
    detail::require_moved<Source, Destination>();
    const auto holds = [count](std::size_t size, std::size_t stride) {
        return count == 0 || (size != 0 && (stride == 0 || count - 1 <= (size - 1) / stride));
    };
    if (!holds(source.size(), source_stride) || !holds(destination.size(), destination_stride))
        return cudaErrorInvalidValue;
    return strided_copy<T>(source.data(), source_stride, destination.data(), destination_stride,
                           count, stream);
}

/// `scatter` of a span as long as the indices, neither of which may overlap the destination.
/// Indices past the destination are not checked.
template <class Source, class Index, class Destination, class = detail::span_element_t<Source>,
          class = detail::span_element_t<Index>, class = detail::span_element_t<Destination>>
cudaError_t scatter(const Source& source, const Index& index, const Destination& destination,
                    cudaStream_t stream = nullptr) {
    detail::require_moved<Source, Destination>();
    if (index.size() != source.size() || detail::spans_overlap(source, destination) ||
        detail::spans_overlap(index, destination))
        return cudaErrorInvalidValue;
    return scatter(detail::input_of(source), detail::input_of(index), destination.data(),
                   index.size(), stream);
}

/// `deinterleave` of a span of whole structs into as many spans as they have fields, all of one
/// size.
template <class Structs, class Field, int Fields, class = detail::span_element_t<Structs>,
          class T = detail::span_element_t<Field>>
cudaError_t deinterleave(const Structs& structs, const Field (&fields)[Fields],
                         cudaStream_t stream = nullptr) {
    detail::require_moved<Structs, Field>();
    T* pointers[Fields];
    for (int f = 0; f < Fields; ++f) {
        if (fields[f].size() * Fields != structs.size()) return cudaErrorInvalidValue;
        pointers[f] = fields[f].data();
    }
    return deinterleave(detail::input_of(structs), pointers, fields[0].size(), stream);
}

/// `interleave` of spans of one size into a span of whole structs.
template <class Field, int Fields, class Structs, class T = detail::span_element_t<Field>,
          class = detail::span_element_t<Structs>>
cudaError_t interleave(const Field (&fields)[Fields], const Structs& structs,
                       cudaStream_t stream = nullptr) {
    detail::require_moved<Field, Structs>();
    T* pointers[Fields];
    for (int f = 0; f < Fields; ++f) {
        if (fields[f].size() * Fields != structs.size()) return cudaErrorInvalidValue;
        pointers[f] = fields[f].data();
    }
    return interleave(pointers, structs.data(), fields[0].size(), stream);
}

/// `gather` from a span into one as long as the indices, which overlaps neither. Indices past the
/// source are not checked.
template <class Source, class Index, class Destination, class = detail::span_element_t<Source>,
          class = detail::span_element_t<Index>, class = detail::span_element_t<Destination>>
cudaError_t gather(const Source& source, const Index& index, const Destination& destination,
                   cudaStream_t stream = nullptr) {
    detail::require_moved<Source, Destination>();
    if (index.size() != destination.size() || detail::spans_overlap(source, destination))
        return cudaErrorInvalidValue;
    return gather(detail::input_of(source), detail::input_of(index), destination.data(),
                  index.size(), stream);
}

/// `gather_rows` from a matrix into one of as many columns, and of as many rows as there are
/// indices. Rows may be further apart than they are long (layout_stride); elements of one may not.
template <class Source, class Index, class Destination, class T = detail::matrix_value_t<Source>,
          class = detail::span_element_t<Index>, class = detail::matrix_value_t<Destination>>
cudaError_t gather_rows(const Source& source, const Index& index, const Destination& destination,
                        cudaStream_t stream = nullptr) {
    static_assert(Source::rank() == 2 && Destination::rank() == 2,
                  "wideload::gather_rows takes matrices: two extents");
    detail::require_moved<Source, Destination>();
    const detail::RowsShape from = detail::rows_of(source), to = detail::rows_of(destination);
    if (!detail::has_whole_rows(source) || !detail::has_whole_rows(destination) ||
        from.columns != to.columns || index.size() != to.rows)
        return cudaErrorInvalidValue;
    return detail::dispatch_indexed_rows<false, T>(
        source.data_handle(), from, destination.data_handle(), to, detail::input_of(index), stream);
}

/// `scatter_rows` of a matrix of as many rows as there are indices into one of as many columns.
/// Otherwise as `gather_rows`.
template <class Source, class Index, class Destination, class T = detail::matrix_value_t<Source>,
          class = detail::span_element_t<Index>, class = detail::matrix_value_t<Destination>>
cudaError_t scatter_rows(const Source& source, const Index& index, const Destination& destination,
                         cudaStream_t stream = nullptr) {
    static_assert(Source::rank() == 2 && Destination::rank() == 2,
                  "wideload::scatter_rows takes matrices: two extents");
    detail::require_moved<Source, Destination>();
    const detail::RowsShape from = detail::rows_of(source), to = detail::rows_of(destination);
    if (!detail::has_whole_rows(source) || !detail::has_whole_rows(destination) ||
        from.columns != to.columns || index.size() != from.rows)
        return cudaErrorInvalidValue;
    return detail::dispatch_indexed_rows<true, T>(
        destination.data_handle(), to, source.data_handle(), from, detail::input_of(index), stream);
}

/// `reduce` of a span, with scratch memory of its own.
template <class Input, class Result, class Operation, class = detail::span_element_t<Input>>
cudaError_t reduce(const Input& input, Result* output, Operation operation,
                   detail::same_t<Result> initial, cudaStream_t stream = nullptr) {
    return reduce(detail::input_of(input), input.size(), output, operation, initial, stream);
}

/// `reduce` of a span, with scratch memory lent as a span.
template <class Input, class Result, class Operation, class Scratch,
          class = detail::span_element_t<Input>, class = detail::span_element_t<Scratch>>
cudaError_t reduce(const Input& input, Result* output, Operation operation,
                   detail::same_t<Result> initial, const Scratch& scratch,
                   cudaStream_t stream = nullptr) {
    return reduce(detail::input_of(input), input.size(), output, operation, initial, scratch.data(),
                  scratch.size() * sizeof(detail::span_element_t<Scratch>), stream);
}

/// `reduce_atomic` of a span into the value at `output`.
template <class Input, class Result, class Operation, class = detail::span_element_t<Input>>
cudaError_t reduce_atomic(const Input& input, Result* output, Operation operation,
                          cudaStream_t stream = nullptr) {
    return reduce_atomic(detail::input_of(input), input.size(), output, operation, stream);
}

namespace WIDELOAD_DETAIL {

template <bool Rows, class Result, class Input, class Output, class Operation>
cudaError_t reduce_mdspan(const Input& input, const Output& output, const Operation& operation,
                          const Result& initial, const Scratch& scratch, cudaStream_t stream) {
    const RowsShape shape = rows_of(input);
    if (output.size() != (Rows ? shape.rows : shape.columns) || !rows_are_ranges(input))
        return cudaErrorInvalidValue;
    return reduce_pitched<Rows, matrix_value_t<Input>, Result>(
        input.data_handle(), shape.pitch, shape.rows, shape.columns, output.data(), operation,
        initial, scratch, stream);
}

}  // namespace WIDELOAD_DETAIL

/// `reduce_rows` of an mdspan into a span of one result a row. Rows may be further apart than
/// their elements take; a layout whose rows are no ranges, or overlap, is cudaErrorInvalidValue.
template <class Input, class Output, class Operation, class = detail::matrix_value_t<Input>,
          class Result = detail::span_element_t<Output>>
cudaError_t reduce_rows(const Input& input, const Output& output, Operation operation,
                        detail::same_t<Result> initial, cudaStream_t stream = nullptr) {
    static_assert(Input::rank() == 2, "wideload::reduce_rows takes a matrix: two extents");
    return detail::reduce_mdspan<true, Result>(input, output, operation, initial,
                                               detail::kOwnScratch, stream);
}

/// The same with scratch memory lent as a span.
template <class Input, class Output, class Operation, class Scratch,
          class = detail::matrix_value_t<Input>, class Result = detail::span_element_t<Output>,
          class Lent = detail::span_element_t<Scratch>>
cudaError_t reduce_rows(const Input& input, const Output& output, Operation operation,
                        detail::same_t<Result> initial, const Scratch& scratch,
                        cudaStream_t stream = nullptr) {
    static_assert(Input::rank() == 2, "wideload::reduce_rows takes a matrix: two extents");
    return detail::reduce_mdspan<true, Result>(
        input, output, operation, initial, {scratch.data(), scratch.size() * sizeof(Lent), false},
        stream);
}

/// `reduce_columns` of an mdspan into a span of one result a column. Rows may be further apart than
/// their elements take; a layout whose rows are no ranges, or overlap, is cudaErrorInvalidValue.
template <class Input, class Output, class Operation, class = detail::matrix_value_t<Input>,
          class Result = detail::span_element_t<Output>>
cudaError_t reduce_columns(const Input& input, const Output& output, Operation operation,
                           detail::same_t<Result> initial, cudaStream_t stream = nullptr) {
    static_assert(Input::rank() == 2, "wideload::reduce_columns takes a matrix: two extents");
    return detail::reduce_mdspan<false, Result>(input, output, operation, initial,
                                                detail::kOwnScratch, stream);
}

/// The same with scratch memory lent as a span.
template <class Input, class Output, class Operation, class Scratch,
          class = detail::matrix_value_t<Input>, class Result = detail::span_element_t<Output>,
          class Lent = detail::span_element_t<Scratch>>
cudaError_t reduce_columns(const Input& input, const Output& output, Operation operation,
                           detail::same_t<Result> initial, const Scratch& scratch,
                           cudaStream_t stream = nullptr) {
    static_assert(Input::rank() == 2, "wideload::reduce_columns takes a matrix: two extents");
    return detail::reduce_mdspan<false, Result>(
        input, output, operation, initial, {scratch.data(), scratch.size() * sizeof(Lent), false},
        stream);
}

/// `transpose_in_place` of what a row-major mdspan shows, which is then to be seen with its extents
/// swapped.
template <class Matrix, class = detail::matrix_value_t<Matrix>>
cudaError_t transpose_in_place(const Matrix& matrix, cudaStream_t stream = nullptr) {
    static_assert(Matrix::rank() == 2, "wideload::transpose takes matrices: two extents");
    detail::require_written<Matrix>();
    if (!detail::is_row_major(matrix)) return cudaErrorInvalidValue;
    return transpose_in_place(matrix.data_handle(), static_cast<std::size_t>(matrix.extent(0)),
                              static_cast<std::size_t>(matrix.extent(1)), stream);
}
/// The same with scratch memory of the caller.
template <class Matrix, class = detail::matrix_value_t<Matrix>>
cudaError_t transpose_in_place(const Matrix& matrix, void* scratch, std::size_t scratch_bytes,
                               cudaStream_t stream = nullptr) {
    static_assert(Matrix::rank() == 2, "wideload::transpose takes matrices: two extents");
    detail::require_written<Matrix>();
    if (!detail::is_row_major(matrix)) return cudaErrorInvalidValue;
    return transpose_in_place(matrix.data_handle(), static_cast<std::size_t>(matrix.extent(0)),
                              static_cast<std::size_t>(matrix.extent(1)), scratch, scratch_bytes,
                              stream);
}

/// `transpose_square_in_place` of what a row-major mdspan of two equal extents shows.
template <class Matrix, class = detail::matrix_value_t<Matrix>>
cudaError_t transpose_square_in_place(const Matrix& matrix, cudaStream_t stream = nullptr) {
    static_assert(Matrix::rank() == 2, "wideload::transpose takes matrices: two extents");
    detail::require_written<Matrix>();
    if (matrix.extent(0) != matrix.extent(1) || !detail::is_row_major(matrix))
        return cudaErrorInvalidValue;
    return transpose_square_in_place(matrix.data_handle(),
                                     static_cast<std::size_t>(matrix.extent(0)), 1, stream);
}

/// `transpose_in_place_batched` of what a row-major mdspan (batch, rows, columns) shows, whose last
/// two extents are then to be seen swapped.
template <class Matrices, class = detail::matrix_value_t<Matrices>>
cudaError_t transpose_in_place_batched(const Matrices& matrices, cudaStream_t stream = nullptr) {
    detail::require_written<Matrices>();
    const detail::MatrixBatch shape(matrices);
    if (!detail::is_row_major(matrices)) return cudaErrorInvalidValue;
    return transpose_in_place_batched(matrices.data_handle(), shape.rows, shape.columns,
                                      shape.batch, stream);
}
/// The same with scratch memory of the caller.
template <class Matrices, class = detail::matrix_value_t<Matrices>>
cudaError_t transpose_in_place_batched(const Matrices& matrices, void* scratch,
                                       std::size_t scratch_bytes, cudaStream_t stream = nullptr) {
    detail::require_written<Matrices>();
    const detail::MatrixBatch shape(matrices);
    if (!detail::is_row_major(matrices)) return cudaErrorInvalidValue;
    return transpose_in_place_batched(matrices.data_handle(), shape.rows, shape.columns,
                                      shape.batch, scratch, scratch_bytes, stream);
}

/// `transpose_batched` of an mdspan (batch, rows, columns) to one of (batch, columns, rows). Rows
/// may lie further apart than their elements take, and so may matrices, or alternate row by row; a
/// layout whose rows are no ranges, or overlap, is cudaErrorInvalidValue.
template <class Input, class Output, class T = detail::matrix_value_t<Input>,
          class = detail::matrix_value_t<Output>>
cudaError_t transpose_batched(const Input& input, const Output& output,
                              cudaStream_t stream = nullptr) {
    detail::require_moved<Input, Output>();
    const detail::MatrixBatch from(input), to(output);
    if (from.batch != to.batch || from.rows != to.columns || from.columns != to.rows ||
        !detail::rows_are_ranges(input) || !detail::rows_are_ranges(output))
        return cudaErrorInvalidValue;
    return detail::dispatch_pitched_transpose<T>(
        {input.data_handle(), output.data_handle(), from.rows, from.columns, from.batch,
         detail::pitch_of(input), detail::pitch_of(output)},
        stream);
}

/// `transpose` of an mdspan to one of swapped extents, whose rows may lie further apart than their
/// elements take; a layout whose rows are no ranges, or overlap, is cudaErrorInvalidValue.
template <class Input, class Output, class T = detail::matrix_value_t<Input>,
          class = detail::matrix_value_t<Output>>
cudaError_t transpose(const Input& input, const Output& output, cudaStream_t stream = nullptr) {
    static_assert(Input::rank() == 2 && Output::rank() == 2,
                  "wideload::transpose takes matrices: two extents");
    detail::require_moved<Input, Output>();
    const detail::RowsShape from = detail::rows_of(input), to = detail::rows_of(output);
    if (from.rows != to.columns || from.columns != to.rows || !detail::rows_are_ranges(input) ||
        !detail::rows_are_ranges(output))
        return cudaErrorInvalidValue;
    return transpose(static_cast<const T*>(input.data_handle()), from.pitch, output.data_handle(),
                     to.pitch, from.rows, from.columns, stream);
}

}  // namespace wideload
