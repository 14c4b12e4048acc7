// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/detail/stream_order.cuh>
#include <wideload/thread/access.cuh>
#include <wideload/thread/element.cuh>

namespace wideload::WIDELOAD_DETAIL {

// Of each kind of elements `place(i)` is what is known of element i's address before anything is
// read, and `at(place)` the address itself. `touched<Word>(words)` is how much memory that many
// words of them lie in, as DRAM moves it.

/// What DRAM moves at once: where a sector is asked for, its neighbour comes along.
inline constexpr std::size_t kBurstBytes = 64;

/// Element i of `Size` bytes lies `stride` elements behind element i - 1.
template <int Size, class Byte, class IndexType = std::size_t>
struct Strided {
    static constexpr int kSize = Size;
    static constexpr bool kIndexed = false;
    using Index = IndexType;  ///< counts all words
    Byte* base;
    std::size_t stride;
    bool is_aligned(int bytes) const { return wideload::is_aligned(base, bytes); }
    WIDELOAD_DEVICE Byte* place(std::size_t i) const { return base + i * stride * Size; }
    template <bool>
    WIDELOAD_DEVICE Byte* at(Byte* place) const {
        return place;
    }
    template <int Word>
    WIDELOAD_DEVICE std::size_t touched(std::size_t words) const {
        constexpr std::size_t kMost = Size < kBurstBytes ? kBurstBytes : Size;
        const std::size_t each = stride * Size;
        return words / (Size / Word) * (each < kMost ? each : kMost);
    }
};

/// An index; they are read once and leave the cache to what they name.
///
/// @tparam Aligned  whether it is at a multiple of its alignment
template <bool Aligned, class Number>
WIDELOAD_DEVICE Number load_index(const Number* index) {
    if constexpr (Aligned) {
        Number number;
        load_bytes<sizeof(Number), access_width(sizeof(Number), alignof(Number)), streaming>(
            index, &number);
        return number;
    } else {
        return load_element(index);
    }
}

/// Element i of `Size` bytes is number `index[i]`.
template <int Size, class Byte, class Number>
struct Indexed {
    static constexpr int kSize = Size;
    static constexpr bool kIndexed = true;
    using Index = std::size_t;
    Byte* base;
    const Number* index;
    bool is_aligned(int bytes) const {
        return wideload::is_aligned(base, bytes) && wideload::is_aligned(index, alignof(Number));
    }
    /// Has the indices of so many words brought to L2.
    template <int Word>
    WIDELOAD_DEVICE void bring_indices(std::size_t words) const {
        prefetch_input(index, words / (Size / Word) * sizeof(Number));
    }
    WIDELOAD_DEVICE const Number* place(std::size_t i) const { return index + i; }
    template <bool Aligned>
    WIDELOAD_DEVICE Byte* at(const Number* place) const {
        return base + load_index<Aligned>(place) * std::ptrdiff_t{Size};
    }
};

/// The element, and the byte of it, in which a word begins.
template <class Index>
struct WordPlace {
    Index element;
    unsigned byte;
};
template <int Word, class Elements>
WIDELOAD_DEVICE WordPlace<typename Elements::Index> place_of_word(const Elements&,
                                                                  typename Elements::Index i) {
    constexpr unsigned kPerElement = Elements::kSize / Word;
    return {i / kPerElement, static_cast<unsigned>(i % kPerElement) * Word};
}

/// Word `i` of all elements', `Word` bytes each.
template <int Word, bool Aligned, class Elements>
WIDELOAD_DEVICE auto word_of(const Elements& elements, typename Elements::Index i) {
    const auto place = place_of_word<Word>(elements, i);
    return elements.template at<Aligned>(elements.place(place.element)) + place.byte;
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

/// Words that lie in so many bytes at most are brought early.
inline constexpr std::size_t kFewWordsBytes = std::size_t{1} << 20;

/// In front of the wait for the last kernel: has what the thread will read first for its word
/// brought to L2, the indices or, where there are none, the word.
///
/// @param there  whether the thread has a word
template <int Word, class Elements>
WIDELOAD_DEVICE void bring_word(const Elements& elements, const void* word, bool there,
                                std::size_t count) {
    if constexpr (Elements::kIndexed) {
        elements.template bring_indices<Word>(count);
    } else {
        const bool few = elements.template touched<Word>(count) <= kFewWordsBytes;
        prefetch_address(word, there && few);
    }
}

/// One word a thread, whose places are found before the wait for the last kernel.
template <int Word, bool Aligned, class Source, class Destination>
WIDELOAD_DEVICE void move_word(const Source& source, const Destination& destination,
                               std::size_t word, std::size_t count) {
    const auto i = static_cast<typename Source::Index>(word);
    const auto from = place_of_word<Word>(source, i), to = place_of_word<Word>(destination, i);
    const auto* const first = source.place(from.element);
    auto* const last = destination.place(to.element);
    const bool there = word < count;
    bring_word<Word>(source, reinterpret_cast<const char*>(first) + from.byte, there, count);
    if constexpr (Destination::kIndexed) bring_word<Word>(destination, last, there, count);
    before_wait(first);
    before_wait(last);
    before_wait(there);
    await_last_kernel();
    if (!there) return;
    const auto value = access<cached>::load<Word>(source.template at<Aligned>(first) + from.byte);
    access<cached>::store<Word>(destination.template at<Aligned>(last) + to.byte, value);
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
    if constexpr (Words == 1) {
        move_word<Word, Aligned>(source, destination, first, count);
    } else if (count - tile >= kTile) {
        move_words<Word, Words, Threads, Aligned, true>(source, destination, first, count);
    } else {
        move_words<Word, Words, Threads, Aligned, false>(source, destination, first, count);
    }
}

}  // namespace wideload::WIDELOAD_DETAIL
