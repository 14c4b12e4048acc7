// SPDX-License-Identifier: Apache-2.0
// Tiles that elements of such a size, or so few threads, cannot be grouped in.
#include <wideload/block/grouped_transpose.cuh>

using wideload::block::grouped_transpose;

// says: block::grouped_transpose: elements of 3 bytes and more that are no whole words
constexpr auto kWholeWords = sizeof(grouped_transpose<8, 32, 128>);
// says: block::grouped_transpose: a power of two of warps, one for each element of a group at least
constexpr auto kFewWarps = sizeof(grouped_transpose<3, 32, 64>);
// says: block::grouped_transpose: rows of an even number of words
constexpr auto kOddRows = sizeof(grouped_transpose<3, 33, 128>);
// says: block::grouped_transpose: rows of an element for each warp
constexpr auto kShortRows = sizeof(grouped_transpose<13, 8, 128>);
