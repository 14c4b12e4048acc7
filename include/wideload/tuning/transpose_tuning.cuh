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

/// Tiles of the transpose for rows that are whole words of 8 bytes but do not all begin at sectors,
/// and the blocks that a multiprocessor is to hold.
inline constexpr int kShearedWordBytes = 8;
template <int Rows, int Columns, int Threads, int Blocks>
struct ShearedShape {
    static constexpr int kRows = Rows, kColumns = Columns, kThreads = Threads, kBlocks = Blocks;
    using LoadPolicy = read_line;
};
template <int Size>
struct ShearedTile;
template <>
struct ShearedTile<1> : ShearedShape<128, 128, 256, 1> {};
template <>
struct ShearedTile<2> : ShearedShape<128, 128, 512, 3> {};
template <>
struct ShearedTile<4> : ShearedShape<64, 64, 256, 1> {};
/// Matrices of together more bytes go by them that fill so many percent of them, those whose rows
/// are whole words of 16 bytes and those whose are not.
constexpr std::size_t sheared_words_bytes(std::size_t size, bool whole) {
    if (size == 1) return std::size_t{15} << (whole ? 20 : 17);
    if (size == 2) return std::size_t{whole ? 9u : 3u} << 20;
    return std::size_t{whole ? 8u : 6u} << 20;
}
constexpr int sheared_words_percent(std::size_t size, bool whole) {
    if (whole) return size == 2 ? 76 : 70;
    return size == 1 ? 50 : 54;
}

/// Tiles of the transpose for rows that start anywhere. Elements of 1 and 2 bytes at multiples of
/// their size go by these where the matrix fills so many percent of the tiles at least, of matrices
/// of very many rows `kLeastFilledAcross`.
inline constexpr int kLeastFilledAcross = 50;
constexpr int least_filled(std::size_t size, std::size_t matrix_bytes, std::size_t batch) {
    const bool large = matrix_bytes * batch > std::size_t{40} << 20;
    if (size == 1) return large && matrix_bytes > std::size_t{200} << 10 ? 69 : 78;
    return large ? 70 : 85;
}
/// Where packed tiles are what else they would go by.
constexpr int least_filled_or_packed(std::size_t size, std::size_t matrix_bytes,
                                     std::size_t batch) {
    const std::size_t bytes = matrix_bytes * batch;
    if (size == 1 || batch == 1 || bytes > std::size_t{80} << 20)
        return least_filled(size, matrix_bytes, batch);
    return bytes > std::size_t{40} << 20 ? 81 : 89;
}
template <int Size>
struct ShiftedTile;
template <>
struct ShiftedTile<1> {
    static constexpr int kRows = 128, kColumns = 128, kBoundary = 32, kThreads = 256;
    static constexpr int kBlocks = 5;
    using LoadPolicy = read_line;
};
template <>
struct ShiftedTile<2> {
    static constexpr int kRows = 128, kColumns = 64, kBoundary = 32, kThreads = 256;
    static constexpr int kBlocks = 5;
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
/// and the blocks that a multiprocessor is to hold. Small and large tiles, each by two numbers of
/// threads; of halves small ones by one.
template <int Size>
struct PackedTiles;
template <>
struct PackedTiles<1> {
    using Few = PackedTile<16, 256, 6>;
    using Small = PackedTile<16, 128, 8>;
    using Large = PackedTile<32, 256, 4>;
    using OtherLarge = PackedTile<32, 512, 3>;
};
template <>
struct PackedTiles<2> {
    using Small = PackedTile<16, 128, 8>;
    using Few = Small;
    using Large = PackedTile<32, 256, 5>;
    using OtherLarge = PackedTile<32, 512, 4>;
};
/// Large ones where small ones are many, and so many times as many.
constexpr bool prefers_large_packed_tiles(std::size_t size, std::size_t small, std::size_t large) {
    const std::size_t tenths = size == 2 ? small > 1056 ? 25 : 34 : small > 6000 ? 30 : 34;
    return small > 750 && small * 10 > large * tenths;
}
enum class PackedKind { few, small, large, other_large };
/// Those for matrices of halves that are so many small tiles, or large ones: by more threads as
/// long as all large ones are there at once, or half of it where each is a matrix.
constexpr PackedKind packed_kind_of_halves(std::size_t small, std::size_t large,
                                           std::size_t batch) {
    const bool matrix_each = large == batch && small >= 4 * large;
    if (!matrix_each && (small <= 800 || !prefers_large_packed_tiles(2, small, large)))
        return PackedKind::small;
    return large <= (matrix_each ? 264 : 528) ? PackedKind::other_large : PackedKind::large;
}
/// Or of bytes. Large ones by more threads are for large matrices, but where a few are left when
/// most are done. Of a batch's many matrices many a tile may be an edge: large ones are where they
/// hold whole ones.
constexpr PackedKind packed_kind_of_bytes(std::size_t small, std::size_t large,
                                          std::size_t matrix_bytes, std::size_t batch) {
    if (small <= 132) return PackedKind::few;
    const bool single = batch == 1, many = batch > 32;
    if (!many && small > 160 && small <= (single ? 1050 : 1200)) return PackedKind::few;
    if (many && large >= 100 && small >= large * 4 && small >= 375) return PackedKind::large;
    if (small <= (single ? 1300 : 750) || !prefers_large_packed_tiles(1, small, large))
        return PackedKind::small;
    const bool even = single || large <= 450 || large >= 800;
    return even && matrix_bytes > std::size_t{400} << 10 ? PackedKind::other_large
                                                         : PackedKind::large;
}
constexpr PackedKind packed_kind(std::size_t size, std::size_t small, std::size_t large,
                                 std::size_t matrix_bytes, std::size_t batch) {
    return size == 1 ? packed_kind_of_bytes(small, large, matrix_bytes, batch)
                     : packed_kind_of_halves(small, large, batch);
}
/// Matrices of together so many bytes go by them even where they fill others, and those of very
/// many rows.
constexpr std::size_t packed_bytes(std::size_t size, bool very_tall) {
    return std::size_t{size == 1 ? 36u : very_tall ? 18u : 24u} << 20;
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

/// Tiles of the transpose element by element, at any multiple of their size, and of structs; their
/// side for elements of `size` bytes.
constexpr int padded_side(int size) { return size <= 16 ? 32 : size <= 64 ? 16 : 8; }
template <int UnitBytes, int Units>
struct PaddedTile : SquareTile<padded_side((UnitBytes * Units)), 256, true> {};
template <>
struct PaddedTile<2, 1> : SquareTile<64, 256, false> {};
template <>
struct PaddedTile<4, 1> : SquareTile<64, 512, true> {};
template <>
struct PaddedTile<8, 1> : SquareTile<32, 256, false> {};

/// Small ones of structs, where there are so few; so few at most that matrices go by them although
/// blocks could take whole ones, or pieces of them, where one side is at most so many times the
/// other.
using SmallStructTile = SquareTile<16, 256, true>;
inline constexpr std::size_t kFewStructTiles = 800, kFewestStructTiles = 528;
inline constexpr std::size_t kStructTilesTimes = 4;

/// Tiles of the transpose of elements that are no whole words, by words of 4 bytes: the most words
/// of a row that is read, and the blocks that a multiprocessor is to hold.
template <int Size>
struct GroupedTile {
    static constexpr bool kEven = Size % 2 == 0, kSmall = Size <= 7;
    static constexpr int kRowWords = 32, kThreads = kSmall && !kEven ? 256 : 128;
    static constexpr int kBlocks = kEven ? 10 : Size <= 5 ? 6 : kSmall ? 5 : 8;
};
/// Elements of fewer bytes go by them where there are so many tiles, which matrices fill, in
/// percent of what they fill of padded ones; of even sizes only where rows are no whole sectors.
inline constexpr int kGroupedBytes = 14;
constexpr std::size_t least_grouped_tiles(std::size_t size) { return size % 2 == 0 ? 700 : 180; }
constexpr std::size_t least_grouped_percent(std::size_t size, std::size_t bytes) {
    return size % 2 == 0 ? 90 : size > 7 ? 65 : bytes > std::size_t{6} << 20 ? 70 : 80;
}

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
/// The same where rows lie apart, of 1 and 2 bytes, too.
template <int Size>
struct SmallPitchedTile : SmallPaddedTile<Size> {};
template <>
struct SmallPitchedTile<1> : PaddedTile<1, 1> {
    static constexpr std::size_t kMostBytes = std::size_t{1} << 20;
};
template <>
struct SmallPitchedTile<2> : PaddedTile<2, 1> {
    static constexpr std::size_t kMostBytes = std::size_t{8} << 20;
};
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
