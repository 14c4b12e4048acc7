// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/support/integer.cuh>

namespace wideload::detail {

/// How many elements a lane of `transform` handles, chosen at compile time from the sizes of all streams (the inputs and
/// the output): as many as fill one 16-byte access of the widest, or, where a size is no power of two, as many as fill
/// whole 16-byte words of every such stream.
template <class... Streams>
struct TransformShape {
    static constexpr int kMaxLaneBytes = 144;

    static constexpr bool whole(std::size_t size) { return is_power_of_two(size) && size <= kWideBytes; }

    static constexpr int ideal_elements() {
        std::size_t elements = 1, widest = 1;
        for (std::size_t size : {sizeof(Streams)...}) {
            const std::size_t needed = kWideBytes / greatest_common_divisor<std::size_t>(size, kWideBytes);
            if (!whole(size) && needed > elements) elements = needed;
            if (size > widest) widest = size;
        }
        const bool all_whole = (whole(sizeof(Streams)) && ...);
        return static_cast<int>(all_whole ? kWideBytes / widest : elements);
    }

    /// False for streams so odd (structs of 33 bytes, say) that a lane's whole words would not fit its registers: then
    /// elements move one by one.
    static constexpr bool kVectorised = ((sizeof(Streams) * ideal_elements() <= kMaxLaneBytes) && ...);
    static constexpr int kElements = kVectorised ? ideal_elements() : 1;

    /// Tiles of 32 * kElements elements that a warp handles: more than one where a lane would move less than two whole
    /// words in all, because its streams are narrow beside the widest.
    static constexpr int kTiles =
        divide_up<int>(2 * kWideBytes, static_cast<int>((sizeof(Streams) + ...)) * kElements);
};

}  // namespace wideload::detail
