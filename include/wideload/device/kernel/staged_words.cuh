// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/block/cp_async.cuh>
#include <wideload/device/kernel/slipped_range.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// Asks for the words of 16 bytes that a range reaches into, as far as `wanted(place)`, in a warp's
/// part of shared memory.
///
/// @tparam Bytes  of shared memory for the range, which begins anywhere in the first word
/// @tparam Reach  so many are known to be of the range, or not wanted
template <int Bytes, int Reach, class Range, class Swizzle, class Wanted>
WIDELOAD_DEVICE void fetch_words(const Range& range, char* place, unsigned lane,
                                 const Swizzle& swizzle, const Wanted& wanted) {
    constexpr int kRowBytes = kWarpLanes * kWideBytes;
#pragma unroll
    for (int row = 0; row < Bytes; row += kRowBytes) {
        const unsigned at = row + lane * kWideBytes;
        const bool reached = row + kRowBytes <= Reach || range.reaches_into(at);
        if (reached && wanted(at)) async_copy<kWideBytes>(place + swizzle.place(at), range.at(at));
    }
}

/// The same where words reach outside what may be read: there the range's own bytes take their
/// place.
template <int Bytes, int Reach, class Range, class Swizzle>
WIDELOAD_DEVICE void fetch_words_inside(const Range& range, char* place, unsigned lane,
                                        const Swizzle& swizzle, const ReachedWordsInside& words) {
    fetch_words<Bytes, Reach>(range, place, lane, swizzle,
                              [&](unsigned at) { return words.takes(range, at); });
#pragma unroll
    for (unsigned edge = 0; edge < 2; ++edge) {
        unsigned at;
        if (range.has_edge_unit(edge, lane, &at) && words.leaves(range, at))
            place[swizzle.place(at)] = *range.at(at);
    }
}

}  // namespace wideload::WIDELOAD_DETAIL
