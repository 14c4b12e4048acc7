// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/tuning/transpose_tuning.cuh>

#include <cstddef>
#include <cstdint>

namespace wideload::tuning {

/// Tiles of squares in place of 4- and 8-byte elements whose rows start at any of them, as
/// `RotatedTile` has them.
template <int Size>
struct RotatedInPlaceTile;
template <>
struct RotatedInPlaceTile<4> {
    static constexpr int kWords = 16, kLanes = 16, kThreads = 256, kBlocks = 4;
    using LoadPolicy = read_line;
};
template <>
struct RotatedInPlaceTile<8> {
    static constexpr int kWords = 32, kLanes = 32, kThreads = 512, kBlocks = 2;
    using LoadPolicy = read_two_lines;
};
/// Those of 4-byte elements in squares of together so many bytes at least.
struct LargeRotatedInPlaceTile {
    static constexpr int kWords = 32, kLanes = 32, kThreads = 1024, kBlocks = 1;
    static constexpr std::size_t kLeastBytes = std::size_t{192} << 20;
    using LoadPolicy = read_line;
};
/// Rows of tiles that blocks go through together where a square's rows start anywhere; for aligned
/// rows one is best.
inline constexpr unsigned kInPlaceBand = 4;

/// Tiles of the transpose of squares in place, in 16-byte words.
template <int Size>
struct InPlaceTile {
    static constexpr int kSide = Size == 1 ? 128 : Size <= 4 ? 64 : Size == 8 ? 32 : 16;
    static constexpr int kThreads = Size == 8 ? 512 : 256;
};

/// The same of squares of together so many bytes at most.
template <int Size>
struct SmallInPlaceTile : InPlaceTile<Size> {
    static constexpr std::size_t kMostBytes = 0;
};
template <>
struct SmallInPlaceTile<4> {
    static constexpr int kSide = 32, kThreads = 256;
    static constexpr std::size_t kMostBytes = std::size_t{6} << 20;
};
template <>
struct SmallInPlaceTile<8> {
    static constexpr int kSide = 16, kThreads = 128;
    static constexpr std::size_t kMostBytes = std::size_t{4} << 20;
};

/// Of 1 and 2 bytes so many bytes at most are counted in 32 bits; others gain nothing.
inline constexpr std::size_t kSmallWordsInPlaceBytes = std::size_t{8} << 20;

/// Tiles of the transpose of squares in place, element by element.
template <int ElementBytes>
inline constexpr int kInPlaceSide = ElementBytes <= 4    ? 64
                                    : ElementBytes <= 16 ? 32
                                    : ElementBytes <= 64 ? 16
                                                         : 8;

/// Structs go by smaller ones where there are so few pairs of them, of squares of so many rows.
inline constexpr std::size_t kFewStructPairs = 528, kFewStructPairsRows = 64;
inline constexpr std::size_t kMoreStructPairs = 1500;
/// And by so few of 32 × 32 although blocks could take whole squares, of `line` bytes a row. More
/// where rows are no whole words of 4 bytes, if squares are not `small`: those take blocks long.
constexpr std::size_t few_struct_pairs(std::size_t size, std::size_t line, bool small) {
    return line % 4 != 0 && !small ? 3000 : size == 3 ? 132 : 300;
}

/// Of elements of 1, 2, 4 or 8 bytes so many bytes at most go by pairs of 32 × 32 elements, and so
/// many pairs by more threads.
inline constexpr int kSmallInPlaceSide = 32;
inline constexpr std::size_t kFewSmallPairs = 528;
constexpr std::size_t small_pairs_bytes(std::size_t size) {
    return std::size_t{size == 1 ? 5u : size == 2 ? 10u : size == 4 ? 12u : 16u} << 19;
}
/// Several squares of 4- and 8-byte elements of so few rows go by them, too, where they have more
/// bytes together than the next.
inline constexpr std::size_t kSmallPairsRows = 192;
constexpr std::size_t small_squares_bytes(std::size_t size) {
    return size == 4 ? 0 : size == 8 ? std::size_t{96} << 20 : SIZE_MAX;
}
/// Others of so many bytes at most by such tiles that are copied asynchronously.
constexpr std::size_t small_in_place_bytes(std::size_t size) {
    return std::size_t{size == 4 ? 40u : size == 8 ? 96u : 0u} << 20;
}
/// Others of 1 and 2 bytes by words of 4 bytes where squares are of so many bytes together.
using PackedInPlaceTile = PackedTile<32, 256, 3>;
constexpr std::size_t packed_in_place_bytes(std::size_t size) {
    return std::size_t{size == 1 ? 5u : 8u} << 20;
}

/// Rows that are whole words of 16 bytes but do not begin at lines go as others do where squares
/// are of more bytes together.
constexpr std::size_t words_in_place_bytes(std::size_t size, bool several) {
    return size == 4   ? std::size_t{64} << 20
           : size == 8 ? std::size_t{several ? 7u : 12u} << 20
                       : SIZE_MAX;
}

/// The number of pairs of tiles up to which a batch of squares in place goes by those.
constexpr std::size_t few_in_place_pairs(std::size_t size, bool whole_words, bool small_tiles,
                                         std::size_t matrix_bytes) {
    if (!whole_words) return size == 1 && matrix_bytes > 16 << 10 ? 1400 : 800;
    return size == 1 ? 300 : size == 2 ? 900 : size == 4 ? 500 : small_tiles ? 1400 : 600;
}

/// Padded tiles of rectangles in place.
template <int UnitBytes, int Units>
struct RectangleTile : PaddedTile<UnitBytes, Units> {
    static constexpr int kBoundary = 1;
};
template <>
struct RectangleTile<1, 1> : SquareTile<64, 512, false> {
    static constexpr int kBoundary = 1;
};
template <>
struct RectangleTile<4, 1> {
    static constexpr int kWidth = 128, kHeight = 64, kBoundary = 32, kThreads = 512;
    static constexpr bool kAsync = false;
    using LoadPolicy = cached;
};
template <>
struct RectangleTile<8, 1> {
    static constexpr int kWidth = 64, kHeight = 64, kBoundary = 32, kThreads = 512;
    static constexpr bool kAsync = false;
    using LoadPolicy = read_line;
};

/// Rectangles in place: what is gathered at a time, most of which should stay in L2, of blocks of
/// at least so many rows and columns, which fill tiles.
inline constexpr std::size_t kInPlacePanelBytes = std::size_t{32} << 20;
inline constexpr std::size_t kInPlaceBlockSide = 32;
/// Those whose panels are held in shared memory: slots of 16 KiB of a thread block for each of two
/// steps, and thread blocks of a multiprocessor; how many bytes of memory a step takes as long as,
/// and the strip's two launches; the least bytes of a row of a block, and rows.
inline constexpr int kHeldSlots = 3, kHeldBlocks = 2;
inline constexpr std::size_t kHeldStepBytes = std::size_t{6} << 20;
inline constexpr std::size_t kHeldStripBytes = std::size_t{15} << 20;
inline constexpr std::size_t kHeldLeastRowBytes = 64, kHeldLeastRows = 4;
/// A matrix of more elements than the first is one block's work only where there are as many as the
/// second.
inline constexpr std::size_t kInPlaceLoneElements = 4096;
inline constexpr std::size_t kInPlaceManyMatrices = 64;

}  // namespace wideload::tuning
