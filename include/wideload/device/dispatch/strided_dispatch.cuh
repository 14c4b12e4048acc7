// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/detail/launch.cuh>
#include <wideload/device/detail/range.cuh>
#include <wideload/device/dispatch/copy_dispatch.cuh>
#include <wideload/device/kernel/strided_kernel.cuh>
#include <wideload/tuning/strided_tuning.cuh>

namespace wideload::detail {

/// `Elements` of them a thread.
template <class T, int Elements = tuning::kStridedElements<static_cast<int>(sizeof(T))>,
          class Source, class Destination>
cudaError_t launch_move_elements(const Source& source, const Destination& destination,
                                 std::size_t count, cudaStream_t stream) {
    constexpr int kThreads = tuning::kStridedThreads;
    const bool aligned = source.is_aligned() && destination.is_aligned();
    const auto kernel =
        aligned ? move_elements_kernel<T, Elements, kThreads, true, Source, Destination>
                : move_elements_kernel<T, Elements, kThreads, false, Source, Destination>;
    return launch(kernel, divide_up<std::size_t>(count, kThreads * Elements), kThreads, 0, stream,
                  source, destination, count);
}

/// Elements that indices name, on either side.
template <class T, class Source, class Destination>
cudaError_t launch_indexed(const Source& source, const Destination& destination, std::size_t count,
                           cudaStream_t stream) {
    constexpr int kMost = tuning::kStridedElements<static_cast<int>(sizeof(T))>;
    constexpr int kTwo = kMost < 2 ? kMost : 2;
    if (count <= tuning::kIndexedByOne)
        return launch_move_elements<T, 1>(source, destination, count, stream);
    if (count < tuning::kIndexedByTwo)
        return launch_move_elements<T, kTwo>(source, destination, count, stream);
    return launch_move_elements<T>(source, destination, count, stream);
}

/// The bytes from the first to the last of `count` elements `stride` apart.
template <class T>
cudaError_t checked_span(const T* pointer, std::size_t stride, std::size_t count,
                         std::size_t* bytes) {
    *bytes = 0;
    if (count == 0) return cudaSuccess;
    if (stride == 0 || count - 1 > (SIZE_MAX - 1) / stride) return cudaErrorInvalidValue;
    return checked_bytes(pointer, (count - 1) * stride + 1, sizeof(T), bytes);
}

template <class T>
cudaError_t dispatch_strided_copy(const T* source, std::size_t source_stride, T* destination,
                                  std::size_t destination_stride, std::size_t count,
                                  cudaStream_t stream) {
    std::size_t source_bytes = 0, destination_bytes = 0;
    if (cudaError_t error = checked_span(source, source_stride, count, &source_bytes)) return error;
    if (cudaError_t error =
            checked_span(destination, destination_stride, count, &destination_bytes))
        return error;
    if (count == 0) return cudaSuccess;
    if (byte_range(source, source_bytes).overlaps(byte_range(destination, destination_bytes)))
        return cudaErrorInvalidValue;
    if (source_stride == 1 && destination_stride == 1)
        return dispatch_copy(source, destination, count, sizeof(T), stream);
    const Strided<const T> from{source, source_stride};
    const Strided<T> to{destination, destination_stride};
    const std::size_t farther =
        source_stride > destination_stride ? source_stride : destination_stride;
    if (farther >= tuning::kStridedFarBytes / sizeof(T))
        return launch_move_elements<T, 1>(from, to, count, stream);
    return launch_move_elements<T>(from, to, count, stream);
}

template <class T, class Index>
cudaError_t check_indexed(const T* contiguous, const T* indexed, const Index* index,
                          std::size_t count) {
    std::size_t bytes = 0;
    if (cudaError_t error = checked_bytes(contiguous, count, sizeof(T), &bytes)) return error;
    if (count != 0 && indexed == nullptr) return cudaErrorInvalidValue;
    return checked_bytes(index, count, sizeof(Index), &bytes);
}

template <class T, class Index>
cudaError_t dispatch_gather(const T* source, const Index* index, T* destination, std::size_t count,
                            cudaStream_t stream) {
    if (cudaError_t error = check_indexed(destination, source, index, count)) return error;
    if (byte_range(destination, count * sizeof(T))
            .overlaps(byte_range(index, count * sizeof(Index))))
        return cudaErrorInvalidValue;
    return launch_indexed<T>(Indexed<const T, Index>{source, index}, Strided<T>{destination, 1},
                             count, stream);
}

template <class T, class Index>
cudaError_t dispatch_scatter(const T* source, const Index* index, T* destination, std::size_t count,
                             cudaStream_t stream) {
    if (cudaError_t error = check_indexed(source, destination, index, count)) return error;
    return launch_indexed<T>(Strided<const T>{source, 1}, Indexed<T, Index>{destination, index},
                             count, stream);
}

}  // namespace wideload::detail
