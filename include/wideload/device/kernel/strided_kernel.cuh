// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/detail/stream_order.cuh>
#include <wideload/thread/access.cuh>
#include <wideload/thread/element.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// Element i of `Size` bytes lies `stride` elements behind element i - 1.
template <int Size, class Byte, class IndexType = std::size_t>
struct Strided {
    static constexpr int kSize = Size;
    using Index = IndexType;  ///< counts all words
    Byte* base;
    std::size_t stride;
    bool is_aligned(int bytes) const { return wideload::is_aligned(base, bytes); }
    template <bool>
    WIDELOAD_DEVICE Byte* at(std::size_t i) const {
        return base + i * stride * Size;
    }
};

/// What is named by number `i` of the indices, which are read once and leave the cache to what they
/// name.
///
/// @tparam Aligned  whether the indices are at multiples of their alignment
template <bool Aligned, class Number>
WIDELOAD_DEVICE Number load_index(const Number* index, std::size_t i) {
    if constexpr (Aligned) {
        Number number;
        load_bytes<sizeof(Number), access_width(sizeof(Number), alignof(Number)), streaming>(
            index + i, &number);
        return number;
    } else {
        return load_element(index + i);
    }
}

/// Element i of `Size` bytes is number `index[i]`.
template <int Size, class Byte, class Number>
struct Indexed {
    static constexpr int kSize = Size;
    using Index = std::size_t;
    Byte* base;
    const Number* index;
    bool is_aligned(int bytes) const {
        return wideload::is_aligned(base, bytes) && wideload::is_aligned(index, alignof(Number));
    }
    template <bool Aligned>
    WIDELOAD_DEVICE Byte* at(std::size_t i) const {
        return base + load_index<Aligned>(index, i) * std::ptrdiff_t{Size};
    }
};

/// Word `i` of all elements', `Word` bytes each.
template <int Word, bool Aligned, class Elements>
WIDELOAD_DEVICE auto word_of(const Elements& elements, typename Elements::Index i) {
    constexpr unsigned kPerElement = Elements::kSize / Word;
    return elements.template at<Aligned>(i / kPerElement) + i % kPerElement * Word;
}

/// Words `first`, `first + Threads`, ...: all of a thread's loads are in flight together.
///
/// @tparam Whole  all of them exist: a test between two loads makes the second wait
template <int Word, int Words, int Threads, bool Aligned, bool Whole, class Source,
          class Destination>
WIDELOAD_DEVICE void move_words(const Source& source, const Destination& destination,
                                std::size_t first, std::size_t count) {
    static_assert(std::is_same_v<typename Source::Index, typename Destination::Index>);
    const auto word = [=](int k) { return first + static_cast<std::size_t>(k) * Threads; };
    const auto exists = [=](int k) { return Whole || word(k) < count; };
    const auto address = [=](const auto& elements, int k) {
        return word_of<Word, Aligned>(elements, static_cast<typename Source::Index>(word(k)));
    };
    await_last_kernel();
    const char* from[Words];
#pragma unroll
    for (int k = 0; k < Words; ++k) {
        if (exists(k)) from[k] = address(source, k);
    }
    access_word_t<Word> values[Words];
#pragma unroll
    for (int k = 0; k < Words; ++k) {
        if (exists(k)) values[k] = access<cached>::load<Word>(from[k]);
    }
    char* to[Words];
#pragma unroll
    for (int k = 0; k < Words; ++k) {
        if (exists(k)) to[k] = address(destination, k);
    }
#pragma unroll
    for (int k = 0; k < Words; ++k) {
        if (exists(k)) access<cached>::store<Word>(to[k], values[k]);
    }
}

/// Moves elements at fixed distances, or named by an index array, on either side, by words of
/// `Word` bytes, `count` in all. A thread handles `Words` of them a block's width apart:
/// neighbouring lanes take neighbouring words, be they of one element or of several.
///
/// @tparam Aligned  whether indices are at multiples of their alignment; words always are
template <int Word, int Words, int Threads, bool Aligned, class Source, class Destination>
__global__ void __launch_bounds__(Threads)
    move_words_kernel(const __grid_constant__ Source source,
                      const __grid_constant__ Destination destination, std::size_t count) {
    release_next_kernel();
    constexpr std::size_t kTile = Threads * Words;
    const std::size_t tile = blockIdx.x * kTile, first = tile + threadIdx.x;
    if (count - tile >= kTile) {
        move_words<Word, Words, Threads, Aligned, true>(source, destination, first, count);
    } else {
        move_words<Word, Words, Threads, Aligned, false>(source, destination, first, count);
    }
}

}  // namespace wideload::WIDELOAD_DETAIL
