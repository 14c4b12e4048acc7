// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/detail/launch.cuh>
#include <wideload/device/detail/range.cuh>
#include <wideload/device/dispatch/copy_dispatch.cuh>
#include <wideload/device/kernel/strided_kernel.cuh>
#include <wideload/tuning/strided_tuning.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// Moves `count` words, `Most` of them a thread; one where they are misaligned bytes, which are too
/// slow to be worth more code.
template <int Word, int Most, bool Aligned, class Source, class Destination>
cudaError_t launch_move_words(const Source& source, const Destination& destination,
                              std::size_t count, cudaStream_t stream) {
    constexpr int kThreads = tuning::kStridedThreads, kWords = Aligned ? Most : 1;
    return launch(move_words_kernel<Word, kWords, kThreads, Aligned, Source, Destination>,
                  divide_up<std::size_t>(count, kThreads * kWords), kThreads, 0, stream, source,
                  destination, count);
}

/// Calls `move(word, aligned, count)` with the widest words that the elements' size and addresses
/// allow, as integral constants, and how many of them there are; by bytes, at any address, where
/// the alignment of `T` is not there, nor that of words of 4 bytes for elements of such, or not
/// that of the indices.
template <class T, class Source, class Destination, class Move>
cudaError_t by_words(const Source& source, const Destination& destination, std::size_t count,
                     const Move& move) {
    constexpr int kSize = static_cast<int>(sizeof(T));
    constexpr int kWidest = access_width(kSize, kWideBytes);
    constexpr int kNatural = access_width(kSize, alignof(T) < kWideBytes ? alignof(T) : kWideBytes);
    const auto words_of = [&](auto bytes, auto aligned) {
        return move(bytes, aligned, count * (kSize / bytes));
    };
    const auto fits = [&](int word) {
        return source.is_aligned(word) && destination.is_aligned(word);
    };
    if (fits(kWidest)) return words_of(std::integral_constant<int, kWidest>{}, std::true_type{});
    if constexpr (kNatural < kWidest && kNatural > 1) {
        if (fits(kNatural))
            return words_of(std::integral_constant<int, kNatural>{}, std::true_type{});
    }
    if constexpr (kWidest > 4 && kNatural != 4) {
        if (fits(4)) return words_of(std::integral_constant<int, 4>{}, std::true_type{});
    }
    return words_of(std::integral_constant<int, 1>{}, std::false_type{});
}

/// Calls `launch(each)` with how many of `words` words a thread moves where indices name their
/// places, `Most` at the most, as an integral constant.
template <int Most, class Launch>
cudaError_t by_words_each(std::size_t words, const Launch& launch) {
    constexpr int kTwo = Most < 2 ? Most : 2;
    if (words <= tuning::kIndexedByOne) return launch(std::integral_constant<int, 1>{});
    if (words < tuning::kIndexedByTwo) return launch(std::integral_constant<int, kTwo>{});
    return launch(std::integral_constant<int, Most>{});
}

/// Elements that indices name, on either side.
template <class T, class Source, class Destination>
cudaError_t launch_indexed(const Source& source, const Destination& destination, std::size_t count,
                           cudaStream_t stream) {
    const auto move = [&](auto word, auto aligned, std::size_t words) {
        return by_words_each<tuning::kStridedWords<word>>(words, [&](auto each) {
            return launch_move_words<word, each, aligned>(source, destination, words, stream);
        });
    };
    return by_words<T>(source, destination, count, move);
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
    constexpr int kSize = static_cast<int>(sizeof(T));
    const Strided<kSize, const char> from{reinterpret_cast<const char*>(source), source_stride};
    const Strided<kSize, char> to{reinterpret_cast<char*>(destination), destination_stride};
    const std::size_t farther =
        source_stride > destination_stride ? source_stride : destination_stride;
    const bool far = farther * sizeof(T) >= tuning::kStridedFarBytes;
    return by_words<T>(from, to, count, [&](auto word, auto aligned, std::size_t words) {
        if (far || words <= tuning::kStridedByOne<word>)
            return launch_move_words<word, 1, aligned>(from, to, words, stream);
        return launch_move_words<word, tuning::kStridedWords<word>, aligned>(from, to, words,
                                                                             stream);
    });
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
    constexpr int kSize = static_cast<int>(sizeof(T));
    return launch_indexed<T>(
        Indexed<kSize, const char, Index>{reinterpret_cast<const char*>(source), index},
        Strided<kSize, char>{reinterpret_cast<char*>(destination), 1}, count, stream);
}

template <class T, class Index>
cudaError_t dispatch_scatter(const T* source, const Index* index, T* destination, std::size_t count,
                             cudaStream_t stream) {
    if (cudaError_t error = check_indexed(source, destination, index, count)) return error;
    constexpr int kSize = static_cast<int>(sizeof(T));
    return launch_indexed<T>(
        Strided<kSize, const char>{reinterpret_cast<const char*>(source), 1},
        Indexed<kSize, char, Index>{reinterpret_cast<char*>(destination), index}, count, stream);
}

}  // namespace wideload::WIDELOAD_DETAIL
