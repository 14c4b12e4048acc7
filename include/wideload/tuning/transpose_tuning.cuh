// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/thread/cache_policy.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace wideload::tuning {

/// Tiles of the aligned transpose, by element size in bytes. Measured by
/// bench/library/transpose_tuning.cu; see NOTES.md.
template <int Size>
struct SwizzledTile;
template <>
struct SwizzledTile<1> {
    static constexpr int kRows = 128, kColumns = 256, kThreads = 512;
};
template <>
struct SwizzledTile<2> {
    static constexpr int kRows = 128, kColumns = 128, kThreads = 512;
};
template <>
struct SwizzledTile<4> {
    static constexpr int kRows = 64, kColumns = 64, kThreads = 512;
};
template <>
struct SwizzledTile<8> {
    static constexpr int kRows = 32, kColumns = 32, kThreads = 256;
};
template <>
struct SwizzledTile<16> {
    static constexpr int kRows = 64, kColumns = 16, kThreads = 512;
};

/// The same of matrices of together so many bytes at most, whose large tiles would be too few.
template <int Size>
struct SmallSwizzledTile : SwizzledTile<Size> {
    static constexpr std::size_t kMostBytes = 0;
};
template <>
struct SmallSwizzledTile<1> {
    static constexpr int kRows = 128, kColumns = 128, kThreads = 256;
    static constexpr std::size_t kMostBytes = std::size_t{16} << 20;
};
template <>
struct SmallSwizzledTile<2> {
    static constexpr int kRows = 64, kColumns = 64, kThreads = 128;
    static constexpr std::size_t kMostBytes = std::size_t{9} << 20;
};
template <>
struct SmallSwizzledTile<4> {
    static constexpr int kRows = 32, kColumns = 32, kThreads = 128;
    static constexpr std::size_t kMostBytes = std::size_t{4} << 20;
};
template <>
struct SmallSwizzledTile<16> {
    static constexpr int kRows = 32, kColumns = 16, kThreads = 256;
    static constexpr std::size_t kMostBytes = std::size_t{3} << 20;
};

/// Tiles of the transpose for rows that start anywhere. Elements of 1 and 2 bytes at multiples of
/// their size go by these where the matrix fills so many percent of the tiles at least, of matrices
/// of very many rows `kLeastFilledAcross`.
inline constexpr int kLeastFilledAcross = 50;
template <int Size>
struct ShiftedTile;
template <>
struct ShiftedTile<1> {
    static constexpr int kRows = 128, kColumns = 128, kBoundary = 32, kThreads = 256;
    static constexpr int kBlocks = 5, kLeastFilled = 66;
    using LoadPolicy = read_line;
};
template <>
struct ShiftedTile<2> {
    static constexpr int kRows = 128, kColumns = 64, kBoundary = 32, kThreads = 256;
    static constexpr int kBlocks = 5, kLeastFilled = 85;
    using LoadPolicy = read_line;
};
template <>
struct ShiftedTile<4> {
    static constexpr int kRows = 64, kColumns = 64, kBoundary = 32, kThreads = 256, kBlocks = 1;
    using LoadPolicy = cached;
};
template <>
struct ShiftedTile<8> {
    static constexpr int kRows = 64, kColumns = 32, kBoundary = 32, kThreads = 256, kBlocks = 1;
    using LoadPolicy = cached;
};
template <>
struct ShiftedTile<16> {
    static constexpr int kRows = 32, kColumns = 16, kBoundary = 32, kThreads = 256, kBlocks = 1;
    using LoadPolicy = cached;
};

template <int Lanes, int Threads, int Blocks>
struct PackedTile {
    static constexpr int kLanes = Lanes, kThreads = Threads, kBlocks = Blocks;
    using LoadPolicy = read_line;
};

/// Tiles of the transpose of 1- and 2-byte elements by words of 4 bytes: words of a row, threads,
/// and the blocks that a multiprocessor is to hold. Small tiles, of which few go by more threads,
/// or large ones, of a batch, which leaves them partly empty, by others than of one matrix.
template <int Size>
struct PackedTiles {
    using Few = PackedTile<16, 256, 6>;
    using Small = PackedTile<16, 128, 8>;
    using Large = PackedTile<32, 256, Size == 1 ? 5 : 6>;
    using LargeOfBatch = std::conditional_t<Size == 1, Large, PackedTile<32, 128, 8>>;
};
inline constexpr std::size_t kFewPackedTiles = 132;
/// Large ones where small ones are many, and so many times as many.
constexpr bool prefers_large_packed_tiles(std::size_t size, std::size_t small, std::size_t large) {
    const std::size_t tenths = size == 2 && small > 1056 ? 25 : 34;
    return small > 750 && small * 10 > large * tenths;
}
/// Matrices of together so many bytes go by them even where they fill others.
constexpr std::size_t packed_bytes(std::size_t size) {
    return std::size_t{size == 1 ? 10u : 18u} << 20;
}
/// Of so few small ones along, matrices of 2 to 4 rows or columns go by them whatever they leave
/// empty.
inline constexpr std::size_t kFewNarrowPackedTiles = 400;

template <int Side, int Threads, bool Async>
struct SquareTile {
    static constexpr int kWidth = Side, kHeight = Side, kThreads = Threads;
    static constexpr bool kAsync = Async;
    using LoadPolicy = cached;
};

/// Tiles of the transpose element by element, at any multiple of their size, and of structs.
template <int UnitBytes, int Units>
struct PaddedTile : SquareTile<(UnitBytes * Units <= 16   ? 32
                                : UnitBytes * Units <= 64 ? 16
                                                          : 8),
                               256, true> {};
template <>
struct PaddedTile<2, 1> : SquareTile<64, 256, false> {};
template <>
struct PaddedTile<4, 1> : SquareTile<64, 512, true> {};
template <>
struct PaddedTile<8, 1> : SquareTile<32, 256, false> {};

/// Those of rectangles in place.
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

/// Padded tiles of matrices of together so many bytes at most.
template <int Size>
struct SmallPaddedTile;
template <>
struct SmallPaddedTile<4> : SquareTile<32, 256, false> {
    static constexpr std::size_t kMostBytes = std::size_t{6} << 20;
};
template <>
struct SmallPaddedTile<8> : PaddedTile<8, 1> {
    static constexpr std::size_t kMostBytes = std::size_t{32} << 20;
};
/// Several matrices of 2 to 4 rows or columns of 1- and 2-byte elements go as misaligned structs
/// where they are as long.
inline constexpr std::size_t kStagedFieldsLength = 1536;

/// Tiles of the transpose of 4- and 8-byte elements whose rows start at any of them: how many words
/// are loaded of a row, by how many lanes; the blocks that a multiprocessor is to hold.
template <int Size>
struct RotatedTile;
template <>
struct RotatedTile<4> {
    static constexpr int kWidth = 64, kWords = 24, kLanes = 8, kBoundary = 32, kThreads = 384;
    static constexpr int kBlocks = 3;
    using LoadPolicy = read_line;
};
template <>
struct RotatedTile<8> {
    static constexpr int kWidth = 64, kWords = 32, kLanes = 32, kBoundary = 32, kThreads = 512;
    static constexpr int kBlocks = 2;
    using LoadPolicy = read_two_lines;
};
/// Matrices of so many such tiles either way are worth them; smaller ones are mostly edge.
inline constexpr std::size_t kRotatedLeastTiles = 4;
/// Of so many rows, fewer across will do, and are counted across first.
inline constexpr std::size_t kRotatedManyRows = 8192, kRotatedLeastAcross = 2;

/// The same for squares in place.
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

/// Rectangles in place: what is gathered at a time, most of which should stay in L2, of blocks of
/// at least so many rows and columns, which fill tiles.
inline constexpr std::size_t kInPlacePanelBytes = std::size_t{32} << 20;
inline constexpr std::size_t kInPlaceBlockSide = 32;
/// A matrix of more elements than the first is one block's work only where there are as many as the
/// second.
inline constexpr std::size_t kInPlaceLoneElements = 4096;
inline constexpr std::size_t kInPlaceManyMatrices = 64;

/// Matrices of a batch up to this size go through `transpose_small_kernel`, several to a block.
inline constexpr std::size_t kSmallMatrixBytes = 4096;
/// But by tiles where a batch takes so few that all are at work together: by swizzled ones matrices
/// of whole 16-byte words that have more rows and columns than the last number, by packed or padded
/// ones (`SmallPaddedTile`) others whose elements are at multiples of their size.
constexpr std::size_t few_swizzled_tiles(std::size_t size, std::size_t percent) {
    return size == 1 && percent < 10 ? 528 : 1056;
}
constexpr std::size_t few_ragged_tiles(std::size_t size, bool large) {
    return size > 2 ? 1500 : !large ? 900 : size == 1 ? 528 : 1500;
}
inline constexpr unsigned kFewestInTiles = 8;
/// More padded ones only where matrices fill so many percent of them, up to so many bytes.
inline constexpr std::size_t kWorthwhileRaggedPercent = 50;
constexpr std::size_t most_ragged_bytes(std::size_t size) {
    return std::size_t{size <= 2 ? 0u : size == 4 ? 6u : 32u} << 20;
}
/// The limit for matrices of whole words that would fill less than half of their tiles; a block
/// holds but one of more than 16 KiB, of which there are to be as many as make four a
/// multiprocessor.
constexpr std::size_t sparse_matrix_bytes(std::size_t batch) {
    return (batch < 528 ? 16 : 32) << 10;
}
/// The limits for others of 1, 2, 4 or 8 bytes an element: in general, and of few rows or columns.
inline constexpr std::size_t kRaggedSmallMatrixBytes = 32 << 10;
constexpr std::size_t ragged_narrow_matrix_bytes(std::size_t size, std::size_t across) {
    return size <= 2 ? kSmallMatrixBytes : across > 48 ? 32 << 10 : 12 << 10;
}
/// Those of few rows or columns of elements of 1 and 2 bytes go by pieces in batches of at most so
/// many, and where they are at least so long.
inline constexpr std::size_t kRaggedPiecedMatrices = 4096, kRaggedPiecedLength = 512;
/// The number of pairs of tiles up to which a batch of squares in place goes by those.
constexpr std::size_t few_in_place_pairs(std::size_t size, bool whole_words, bool small_tiles,
                                         std::size_t matrix_bytes) {
    if (!whole_words) return size == 1 && matrix_bytes > 16 << 10 ? 1400 : 800;
    return size == 1 ? 300 : size == 2 ? 900 : size == 4 ? 500 : small_tiles ? 1400 : 600;
}
/// What a block of that kernel may stage, and its threads: by so many bytes there is one. Other
/// numbers cost up to a fifth (bench/library/NOTES.md).
inline constexpr std::size_t kSmallTransposeStages[] = {16 << 10, 24 << 10, 32 << 10};
inline constexpr std::size_t kMostSmallTransposeBytes = kSmallTransposeStages[2];
constexpr int small_transpose_threads(std::size_t staged_bytes) {
    return staged_bytes < 2048 ? 32 : static_cast<int>(staged_bytes / 2048 * 32);
}
/// The most threads, and the blocks of as many that registers leave room for on a multiprocessor.
inline constexpr int kMostSmallTransposeThreads = small_transpose_threads(kMostSmallTransposeBytes);
inline constexpr int kSmallTransposeBlocks = 3;
/// Matrices of 1- and 2-byte elements go by columns, unless so many warps have a matrix, or several
/// that make whole words, for each lane: those of so many bytes, or of whole squares of elements,
/// as others do of longer rows.
constexpr std::size_t least_laned_warps(std::size_t matrix_bytes, std::size_t multiprocessors) {
    return matrix_bytes <= 50 ? multiprocessors / 2 : multiprocessors * 4;
}
inline constexpr std::size_t kMostLanedBytes = 320;
constexpr std::size_t most_gathered_row(std::size_t size) { return size == 1 ? 64 : 84; }
/// Those of which blocks take less are gathered by fewer threads.
inline constexpr unsigned kFewSmallColumnsBytes = 1536;
inline constexpr int kFewSmallColumnsThreads = 128;
/// The share of a multiprocessor's memory that is wanted as shared memory, in percent: what four
/// such blocks need. What the driver chooses otherwise may be all, which costs a tenth.
inline constexpr int kSmallTransposeCarveout = 72;

/// Matrices of so few rows or columns, in bytes, go by pieces of them all
/// (transpose_narrow_kernel.cuh), of about so many bytes; by so many there is a warp.
constexpr std::size_t narrow_transpose_bytes(std::size_t size) {
    const bool power_of_two = (size & (size - 1)) == 0;
    return size == 1 ? 64 : size == 2 ? 96 : power_of_two || size % 4 != 0 ? 128 : 256;
}
/// The same where not every row and column begins at a 16-byte word: of elements of 1, 2, 4 or 8
/// bytes where matrices are so many times as long, and together so long or more than
/// `kRaggedTiledMatrices`.
constexpr std::size_t ragged_narrow_transpose_bytes(std::size_t size, bool tall) {
    return size == 1 ? (tall ? 64 : 128) : size == 2 ? 64 : narrow_transpose_bytes(size);
}
inline constexpr std::size_t kRaggedNarrowTimes = 4, kRaggedTiledMatrices = 256;
constexpr std::size_t ragged_narrow_least_length(std::size_t size, std::size_t across, bool tall) {
    return size <= 2 && across <= 4    ? 32 << 10
           : size <= 2 && across <= 12 ? (tall ? 48 << 10 : 32 << 10)
           : size == 1 && tall         ? 128 << 10
                                       : 96 << 10;
}
inline constexpr unsigned kNarrowTransposeBytes = 16 << 10;
inline constexpr int kNarrowTransposeThreads = 256, kNarrowTransposeBlocks = 5;
constexpr int narrow_transpose_threads(unsigned staged_bytes) {
    const unsigned warps = (staged_bytes + 2047) / 2048;
    return static_cast<int>(warps < 8 ? warps : 8) * 32;
}

using TransposeLoadPolicy = cached;
using TransposeStorePolicy = cached;
/// Of aligned transposes of more than so many bytes whose rows, of the input or of the output, do
/// not all begin at lines.
template <int Size>
using RaggedLoadPolicy = std::conditional_t<(Size >= 4), read_two_lines, TransposeLoadPolicy>;
constexpr std::size_t ragged_load_bytes(std::size_t size) {
    return size <= 4 ? 0 : std::size_t{96} << 20;
}
/// Those whose output rows do not even begin at sectors go by sheared tiles where they are larger.
constexpr std::size_t sheared_bytes(std::size_t size) {
    return size == 2 ? SIZE_MAX : std::size_t{size == 8 ? 96u : 32u} << 20;
}
/// Bytes of a strip of tiles, from top to bottom and with a line beside it, of which L2 forgets the
/// first before the next strip is read.
inline constexpr std::size_t kTransposeStripBytes = std::size_t{20} << 20;

}  // namespace wideload::tuning
