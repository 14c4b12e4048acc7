// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/copy.cuh>
#include <wideload/device/fill.cuh>
#include <wideload/device/gather.cuh>
#include <wideload/device/reduce.cuh>
#include <wideload/device/transform.cuh>
#include <wideload/device/transpose.cuh>

#include <cuda/std/mdspan>
#include <cuda/std/span>

/// Overloads for cuda::std::span and cuda::std::mdspan: the same functions, with sizes that must agree. A disagreement is
/// cudaErrorInvalidValue. This header costs a second of compile time; the pointer forms do not include it.
namespace wideload {

template <class T>
using device_span = cuda::std::span<T>;

/// `copy` of a span to one of the same size.
template <class T>
cudaError_t copy(device_span<const T> source, device_span<T> destination, cudaStream_t stream = nullptr) {
    if (source.size() != destination.size()) return cudaErrorInvalidValue;
    return copy(source.data(), destination.data(), source.size(), stream);
}
template <class T>
cudaError_t copy(device_span<T> source, device_span<T> destination, cudaStream_t stream = nullptr) {
    return copy(device_span<const T>(source), destination, stream);
}

/// `fill` of a span.
template <class T>
cudaError_t fill(device_span<T> destination, const T& value, cudaStream_t stream = nullptr) {
    return fill(destination.data(), destination.size(), value, stream);
}

/// `transform` of a span to one of the same size.
template <class Input, class Output, class Operation>
cudaError_t transform(device_span<Input> input, device_span<Output> output, Operation operation,
                      cudaStream_t stream = nullptr) {
    if (input.size() != output.size()) return cudaErrorInvalidValue;
    return transform(static_cast<const Input*>(input.data()), output.data(), output.size(), operation, stream);
}

/// `transform` of two spans to one of the same size.
template <class First, class Second, class Output, class Operation>
cudaError_t transform(device_span<First> first, device_span<Second> second, device_span<Output> output,
                      Operation operation, cudaStream_t stream = nullptr) {
    if (first.size() != output.size() || second.size() != output.size()) return cudaErrorInvalidValue;
    return transform(static_cast<const First*>(first.data()), static_cast<const Second*>(second.data()), output.data(),
                     output.size(), operation, stream);
}

/// `gather` into a span as long as the indices.
template <class T, class Index>
cudaError_t gather(const T* source, device_span<Index> index, device_span<T> destination, cudaStream_t stream = nullptr) {
    if (index.size() != destination.size()) return cudaErrorInvalidValue;
    return gather(source, static_cast<const Index*>(index.data()), destination.data(), index.size(), stream);
}

/// `reduce` of a span, with scratch memory of its own.
template <class T, class Result, class Operation>
cudaError_t reduce(device_span<T> input, Result* output, Operation operation, Result initial,
                   cudaStream_t stream = nullptr) {
    return reduce(static_cast<const T*>(input.data()), input.size(), output, operation, initial, stream);
}

/// `transpose` of a row-major matrix to one of swapped extents.
template <class T, class Extents, class OtherExtents, class U>
cudaError_t transpose(cuda::std::mdspan<U, Extents, cuda::std::layout_right> input,
                      cuda::std::mdspan<T, OtherExtents, cuda::std::layout_right> output, cudaStream_t stream = nullptr) {
    static_assert(Extents::rank() == 2 && OtherExtents::rank() == 2, "wideload::transpose takes matrices: two extents");
    static_assert(std::is_same_v<std::remove_const_t<U>, T>, "wideload::transpose: the element types differ");
    const auto rows = static_cast<std::size_t>(input.extent(0)), columns = static_cast<std::size_t>(input.extent(1));
    if (static_cast<std::size_t>(output.extent(0)) != columns || static_cast<std::size_t>(output.extent(1)) != rows) {
        return cudaErrorInvalidValue;
    }
    return transpose(static_cast<const T*>(input.data_handle()), output.data_handle(), rows, columns, stream);
}

}  // namespace wideload
