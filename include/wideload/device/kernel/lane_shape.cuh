// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/support/integer.cuh>
#include <wideload/tuning/transform_tuning.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// How many elements a lane handles, and by accesses of how many bytes: chosen at compile time from
/// the sizes of all streams, of `transform` the output (`First`) and the inputs (`Others`). As
/// many elements as fill one 16-byte access of the widest, or, where a size is no power of two, as
/// many as fill whole words of every such stream.
///
/// @tparam WidestWord  bytes of the widest words to choose for streams whose size is no power of
/// two: 16, 8 or 4
template <int WidestWord, class First, class... Others>
struct LaneShapeByWords {
    static constexpr int kMaxLaneBytes = 144;

    static constexpr bool whole(std::size_t size) {
        return is_power_of_two(size) && size <= kWideBytes;
    }

    /// The size of the widest stream's elements.
    static constexpr std::size_t widest() {
        std::size_t most = 1;
        for (std::size_t size : {sizeof(First), sizeof(Others)...})
            most = size > most ? size : most;
        return most;
    }

    static constexpr std::size_t elements_to_fill(std::size_t word) {
        std::size_t elements = 1;
        for (std::size_t size : {sizeof(First), sizeof(Others)...}) {
            const std::size_t needed = word / greatest_common_divisor<std::size_t>(size, word);
            if (!whole(size) && needed > elements) elements = needed;
        }
        return elements;
    }

    /// Whether a lane's words of so many bytes fit its registers.
    static constexpr bool fits(std::size_t word) {
        return widest() * elements_to_fill(word) <= kMaxLaneBytes;
    }

    /// Bytes of a word of the streams whose size is no power of two: `WidestWord`, or less where
    /// that would be too much for a lane.
    static constexpr int kWord = WidestWord >= 16 && fits(16) ? 16
                                 : WidestWord >= 8 && fits(8) ? 8
                                                              : 4;

    /// False for streams so odd (structs of 37 bytes, say) that even words of 4 bytes are too much:
    /// then elements move one by one.
    static constexpr bool kVectorised = fits(kWord);

    static constexpr int kElements = [] {
        const bool all_whole = whole(sizeof(First)) && (whole(sizeof(Others)) && ...);
        if (all_whole) return static_cast<int>(kWideBytes / widest());
        return kVectorised ? static_cast<int>(elements_to_fill(kWord)) : 1;
    }();

    /// The width of the accesses to a stream of elements of type `T`, in bytes.
    template <class T>
    static constexpr int kAccess =
        whole(sizeof(T) * kElements) ? static_cast<int>(sizeof(T)) * kElements : kWord;

    /// What a lane holds of the widest stream.
    static constexpr int kLaneBytes = static_cast<int>(widest()) * kElements;

    /// Tiles of 32 * kElements elements that a warp handles: two where a lane stores less than a
    /// whole word, so that its loads, which are wider, are worth a warp's start.
    static constexpr int kTiles = kVectorised && sizeof(First) * kElements < kWideBytes ? 2 : 1;

    /// Whether the output's tiles begin at no word.
    static constexpr bool kShiftsOutput = false;

    /// Whether a lane loads and stores a word of 16 bytes of each stream.
    static constexpr bool kLoadsAndStoresWords = kVectorised &&
                                                 kLaneBytes == static_cast<int>(kWideBytes) &&
                                                 ((sizeof(Others) == sizeof(First)) && ...);

    /// Whether a lane loads so little of an input that two tiles are better up to some size.
    static constexpr bool kLoadsLittle =
        kVectorised && kTiles == 1 && ((sizeof(Others) * kElements < kWideBytes / 2) || ...);
};

/// The same shape for outputs of which no element begins at a word: a warp shifts what it stores.
template <class Shape>
struct ShiftedOutput : Shape {
    static constexpr bool kShiftsOutput = true;
    static constexpr int kTiles = 1;
};

/// The same shape with two tiles a warp.
template <class Shape>
struct PairedTiles : Shape {
    static constexpr int kTiles = 2;
};

template <class First, class... Others>
using LaneShape = LaneShapeByWords<kWideBytes, First, Others...>;

/// The narrowest words for structs of `size` bytes: a lane has 16 bytes of them at least, and an
/// odd number, which changes lanes without a choice of registers. Only 16 where they would be many.
constexpr int narrow_word(std::size_t size) {
    const std::size_t power = size & (~size + 1), words = size / power;
    if (words == 1 || words > tuning::kTransformNarrowWords || power >= kWideBytes)
        return kWideBytes;
    std::size_t word = power < 4 ? 4 : power;
    while (word * words < kWideBytes) word *= 2;
    return static_cast<int>(word);
}

/// The shape of streams that nothing has to be shifted for. Structs of one size go by narrow words:
/// more warps then share the work.
template <class First, class... Others>
using AlignedLaneShape =
    LaneShapeByWords<((sizeof(Others) == sizeof(First)) && ...) ? narrow_word(sizeof(First))
                                                                : kWideBytes,
                     First, Others...>;

}  // namespace wideload::WIDELOAD_DETAIL
