// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/support/integer.cuh>

namespace wideload::detail {

/// `First` is the output, `Others` are the inputs. How many elements a lane of `transform` handles,
/// chosen at compile time from the sizes of all streams (the inputs and the output): as many as
/// fill one 16-byte access of the widest, or, where a size is no power of two, as many as fill
/// whole 16-byte words of every such stream.
template <class First, class... Others>
struct TransformShape {
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

    static constexpr int ideal_elements() {
        std::size_t elements = 1;
        for (std::size_t size : {sizeof(First), sizeof(Others)...}) {
            const std::size_t needed =
                kWideBytes / greatest_common_divisor<std::size_t>(size, kWideBytes);
            if (!whole(size) && needed > elements) elements = needed;
        }
        const bool all_whole = whole(sizeof(First)) && (whole(sizeof(Others)) && ...);
        return static_cast<int>(all_whole ? kWideBytes / widest() : elements);
    }

    /// False for streams so odd (structs of 33 bytes, say) that a lane's whole words would not fit
    /// its registers: then elements move one by one.
    static constexpr bool kVectorised =
        sizeof(First) * ideal_elements() <= kMaxLaneBytes &&
        ((sizeof(Others) * ideal_elements() <= kMaxLaneBytes) && ...);
    static constexpr int kElements = kVectorised ? ideal_elements() : 1;

    /// What a lane holds of the widest stream.
    static constexpr int kLaneBytes = static_cast<int>(widest()) * kElements;

    /// Tiles of 32 * kElements elements that a warp handles: two where a lane stores less than a
    /// whole word, so that its loads, which are wider, are worth a warp's start.
    static constexpr int kTiles = kVectorised && sizeof(First) * kElements < kWideBytes ? 2 : 1;
};

}  // namespace wideload::detail
