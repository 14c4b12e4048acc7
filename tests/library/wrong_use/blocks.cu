// SPDX-License-Identifier: Apache-2.0
// Tiles and blocks of threads that do not fit together.
#include <wideload/wideload.cuh>

namespace block = wideload::block;

template <class T>
constexpr std::size_t size = sizeof(T);

// says: block::padded_tile: elements of 4, 8 or 16 bytes
constexpr std::size_t padded = size<block::padded_tile<char, 32, 32>>;
// says: block::xor_tile: elements of 4, 8 or 16 bytes
// says: block::xor_tile: a row must be a multiple of 128 bytes
constexpr std::size_t swizzled =
    size<block::xor_tile<char, 32, 32>> + size<block::xor_tile<float, 32, 33>>;
// says: block::swizzled_tile: elements of 1, 2, 4, 8 or 16 bytes
// says: block::swizzled_tile: rows and columns must be multiples of 128 bytes
// says: block::swizzled_tile: words of 16 bytes, or of 8 and several elements
constexpr std::size_t tiles = size<block::swizzled_tile<float3, 128, 128>> +
                              size<block::swizzled_tile<float, 32, 33>> +
                              size<block::swizzled_tile<float, 32, 32, true, 4>>;
// says: block::swizzled_tile: the threads must divide the tile's words
// says: block::swizzled_tile: the warps must fill whole rows
// says: block::swizzled_tile: whole warps of threads
constexpr std::size_t order = size<block::swizzled_tile<float, 64, 64>::put_order<96>> +
                              size<block::swizzled_tile<float, 64, 64>::put_order<16>>;
// says: block::reduce: whole warps, at most 1024 threads
constexpr std::size_t reduced = size<block::reduce_storage<int, 33>>;
// says: block::reduce_to_warp: a power of two of warps, at most 1024 threads
constexpr std::size_t reduced_to_warp = size<block::reduce_to_warp_storage<float, 96>>;
// says: block::pipeline: a piece must be a multiple of 16 bytes
// says: block::pipeline: one stage leaves nothing to overlap
// says: block::pipeline: at least one thread
// says: block::pipeline: pieces travel by_thread or by_bulk
constexpr std::size_t pipelines =
    size<block::pipeline<8, 2, 32>> + size<block::pipeline<16, 1, 32>> +
    size<block::pipeline<16, 2, 0>> + size<block::pipeline<16, 2, 32, int>>;

// says: block::swizzled_transpose: the threads must divide the tile's 16-byte words
constexpr std::size_t transpose = size<block::swizzled_transpose<float, 64, 64, 96>>;
// says: block::shifted_transpose: the threads must divide the tile's 16-byte words
using shifted_by_too_many = block::shifted_transpose<float, 64, 64, 32, 96>;
// says: block::shifted_transpose: the threads must divide the tile's columns, and lanes of one warp
// share one
constexpr std::size_t shifted = size<shifted_by_too_many>;
// says: block::shifted_transpose: the boundary must be a power of two from 16 bytes that divides
// the rows
constexpr std::size_t bounded = size<block::shifted_transpose<float, 64, 64, 24, 256>>;
// says: block::packed_transpose: elements of 1 or 2 bytes
// says: block::packed_transpose: rows of 16 or 32 words
// says: block::packed_transpose: a warp for each element of a word at least, and no more threads
// than words
constexpr std::size_t packed = size<block::packed_transpose<float, 32, 256>> +
                               size<block::packed_transpose<short, 8, 256>> +
                               size<block::packed_transpose<char, 16, 64>>;
// says: block::padded_transpose: whole warps of threads
constexpr std::size_t half_warps = size<block::padded_transpose<float, 1, 32, 32, 1, 48>>;
// says: block::padded_transpose: only elements of one unit can start at a boundary
constexpr std::size_t in_units = size<block::padded_transpose<float, 3, 32, 32, 32, 256>>;
// says: block::padded_transpose: small tiles are of 32 by 32 elements, not sheared
constexpr std::size_t small_walk =
    size<typename block::padded_transpose<float, 1, 64, 64, 1, 256>::small_walk>;
// says: block::rotated_transpose: elements of 4 bytes, or of 8 with a warp to a row
// says: block::rotated_transpose: the lanes must share out a row's words
// says: block::rotated_transpose: a sheared part must be whole sectors for all lanes
constexpr std::size_t rotated = size<block::rotated_transpose<short, 64, 32, 16, 1, 256>> +
                                size<block::rotated_transpose<float, 64, 17, 16, 1, 256>> +
                                size<block::rotated_transpose<float, 72, 32, 16, 32, 256>>;
