// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/copy.cuh>
#include <wideload/device/fill.cuh>
#include <wideload/device/gather.cuh>
#include <wideload/device/reduce.cuh>
#include <wideload/device/transform.cuh>
#include <wideload/device/transpose.cuh>

/// Overloads for spans and mdspans: the same functions, with sizes that must agree; a disagreement
/// is cudaErrorInvalidValue. cuda::std::span and mdspan, and the standard's own, are recognised by
/// their members, so this header includes neither (they take longer to compile than all of the
/// library).
namespace wideload {
namespace detail {

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

/// A span's data as the pointer forms take an input.
template <class Span>
const span_value_t<Span>* input_of(const Span& span) {
    return span.data();
}

/// Whether a matrix is row-major without gaps.
template <class Matrix>
bool is_row_major(const Matrix& matrix) {
    return matrix.extent(0) == 0 || matrix.extent(1) == 0 ||
           (static_cast<std::size_t>(matrix.stride(1)) == 1 &&
            static_cast<std::size_t>(matrix.stride(0)) ==
                static_cast<std::size_t>(matrix.extent(1)));
}

}  // namespace detail

/// `copy` of a span to one of the same size.
template <class Source, class Destination, class T = detail::span_value_t<Source>,
          class = detail::span_element_t<Destination>>
cudaError_t copy(const Source& source, const Destination& destination,
                 cudaStream_t stream = nullptr) {
    if (source.size() != destination.size()) return cudaErrorInvalidValue;
    return copy<T>(source.data(), destination.data(), source.size(), stream);
}

/// `fill` of a span.
template <class Destination, class T = detail::span_element_t<Destination>>
cudaError_t fill(const Destination& destination, const std::common_type_t<T>& value,
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

/// `gather` from a span into one as long as the indices. Indices past the source are not checked.
template <class Source, class Index, class Destination, class = detail::span_element_t<Source>,
          class = detail::span_element_t<Index>, class = detail::span_element_t<Destination>>
cudaError_t gather(const Source& source, const Index& index, const Destination& destination,
                   cudaStream_t stream = nullptr) {
    if (index.size() != destination.size()) return cudaErrorInvalidValue;
    return gather(detail::input_of(source), detail::input_of(index), destination.data(),
                  index.size(), stream);
}

/// `reduce` of a span, with scratch memory of its own.
template <class Input, class Result, class Operation, class = detail::span_element_t<Input>>
cudaError_t reduce(const Input& input, Result* output, Operation operation, Result initial,
                   cudaStream_t stream = nullptr) {
    return reduce(detail::input_of(input), input.size(), output, operation, initial, stream);
}

/// `transpose` of a row-major mdspan to one of swapped extents; any other layout is
/// cudaErrorInvalidValue.
template <class Input, class Output, class T = detail::matrix_value_t<Input>,
          class = detail::matrix_value_t<Output>>
cudaError_t transpose(const Input& input, const Output& output, cudaStream_t stream = nullptr) {
    static_assert(Input::rank() == 2 && Output::rank() == 2,
                  "wideload::transpose takes matrices: two extents");
    const auto rows = static_cast<std::size_t>(input.extent(0)),
               columns = static_cast<std::size_t>(input.extent(1));
    if (static_cast<std::size_t>(output.extent(0)) != columns ||
        static_cast<std::size_t>(output.extent(1)) != rows) {
        return cudaErrorInvalidValue;
    }
    if (!detail::is_row_major(input) || !detail::is_row_major(output)) return cudaErrorInvalidValue;
    return transpose(static_cast<const T*>(input.data_handle()), output.data_handle(), rows,
                     columns, stream);
}

}  // namespace wideload
