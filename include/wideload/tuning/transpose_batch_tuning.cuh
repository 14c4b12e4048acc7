// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace wideload::tuning {

/// Matrices of a batch up to this size go through `transpose_small_kernel`, several to a block.
inline constexpr std::size_t kSmallMatrixBytes = 4096;
/// But by tiles where a batch takes so few that all are at work together: by swizzled ones matrices
/// of whole 16-byte words that have more rows and columns than the last number, by packed or padded
/// ones (`SmallPaddedTile`) others whose elements are at multiples of their size.
constexpr std::size_t few_swizzled_tiles(std::size_t size, std::size_t percent) {
    return size == 1 && percent < 10 ? 528 : 1056;
}
constexpr std::size_t few_ragged_tiles(std::size_t size, bool large, std::size_t percent,
                                       std::size_t matrix_bytes) {
    if (size > 2) return size == 4 && percent < 15 ? 900 : 1500;
    if (!large) return 900;
    if (size == 2) return percent < 80 ? 800 : 1500;
    const bool tile_each = matrix_bytes <= std::size_t{16} << 10;
    return !tile_each ? 528 : percent < 50 ? 250 : 150;
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
/// Few rows or columns of less are short.
inline constexpr std::size_t kShortNarrowLength = 200;
/// The limits for others of 1, 2, 4 or 8 bytes an element: in general, and of few rows or columns.
inline constexpr std::size_t kRaggedSmallMatrixBytes = 32 << 10;
constexpr std::size_t ragged_narrow_matrix_bytes(std::size_t size, std::size_t across,
                                                 std::size_t length) {
    if (size <= 2) return length < kShortNarrowLength ? 16 << 10 : kSmallMatrixBytes;
    return across > 48 ? 32 << 10 : 12 << 10;
}
/// The limit for structs of no whole words as well, where there are so many; those at even
/// addresses have tiles that are as fast for fewer, and so have tall ones of so many columns.
constexpr bool many_small_structs(std::size_t size, bool even, std::size_t rows,
                                  std::size_t columns, std::size_t batch) {
    const bool tall = rows > columns * 3, wide = columns > rows * 3;
    if (size > 16) return batch >= 1024 && rows * columns * size <= std::size_t{12} << 10 && !tall;
    if (even) return batch >= 2500 && !tall && !wide;
    return batch >= (rows > columns * 2 ? 900 : 400) && !(tall && size > 5 && columns >= 24);
}
/// Those of few rows or columns of elements of 1 and 2 bytes go by pieces in batches of at most so
/// many, short ones of 5 and more in fewer, and where they are at least so long.
constexpr std::size_t ragged_pieced_matrices(std::size_t length, unsigned narrow) {
    return length >= kShortNarrowLength || narrow < 5 ? 4096 : length < 128 ? 300 : 600;
}
inline constexpr std::size_t kRaggedPiecedLength = 512;
/// More of together so many bytes are large batches.
inline constexpr std::size_t kLargeBatchBytes = 8 << 20;
/// Small ones of whole words go by pieces as well where lanes across them would be few.
constexpr bool are_small_pieced(std::size_t size, std::size_t length, unsigned narrow, bool tall,
                                std::size_t bytes) {
    if (size > 2) return false;
    const std::size_t line = length * size;
    if (tall) return line >= 784 || (length >= 256 && narrow >= 5);
    if (size == 2) return line >= (bytes <= kLargeBatchBytes ? 600u : 1500u);
    return line >= (narrow == 4 ? 700u : 400u);
}
/// Small ones of 2 to 4 rows or columns of as many bytes go by fields, in large batches longer or
/// larger ones.
constexpr bool are_small_fields(std::size_t size, std::size_t line, std::size_t matrix_bytes,
                                std::size_t bytes) {
    if (bytes > kLargeBatchBytes) return line >= 1024 || matrix_bytes >= 2352;
    return line >= 400 && (size == 1 || matrix_bytes >= 1536);
}
/// So do structs of no whole words whose few rows or columns are so many bytes at most, or an even
/// number of them, those at even addresses and large ones whatever they are.
constexpr bool are_pieced(std::size_t size, bool even, unsigned line) {
    return size > 16 || even || line <= 32 || (size > 5 && (line <= 80 || line % 2 == 0));
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
inline constexpr int kSmallTransposeBlocks = 3, kSmallColumnsBlocks = 4;
/// Matrices of 1-, 2-, 4- and 8-byte elements and of structs of no whole words go by columns,
/// unless so many warps have a matrix, or several that make whole words, for each lane: those of so
/// many bytes, or, of 1 and 2 bytes, of whole squares of elements, as others do of longer rows.
constexpr std::size_t least_laned_warps(std::size_t size, std::size_t matrix_bytes,
                                        std::size_t multiprocessors) {
    if ((size == 3 && matrix_bytes <= 128) || (size == 6 && matrix_bytes <= 150))
        return multiprocessors;
    if (matrix_bytes <= (size < 4 ? 50u : 64u)) return multiprocessors / 2;
    return multiprocessors * ((size & (size - 1)) == 0 ? 4 : 3);
}
/// Launches that move so few structs move them one by one where there are lanes for them.
inline constexpr std::size_t kFewSmallStructBytes = 2 << 20;
inline constexpr std::size_t kMostLanedBytes = 320;
/// Of large batches 4- and 8-byte elements move one by one, and those of 1 and 2 bytes of
/// fewer rows: beginning a column then costs more than idle lanes do.
inline constexpr std::size_t kLeastGatheredRows = 8;
/// Columns of tall ones that are too few leave lanes idle, so that elements of 1 and 2 bytes move
/// one by one as well: 3 columns, unless they are whole words of a large batch, whose columns may
/// be up to 7, but 4 only of long ones.
inline constexpr std::size_t kTallGatheredRows = 100, kLongGatheredRows = 400;
constexpr bool are_few_columns(std::size_t size, std::size_t rows, std::size_t columns,
                               std::size_t bytes) {
    if (size > 2 || rows < kTallGatheredRows || columns > 7) return false;
    const bool large = bytes > kLargeBatchBytes;
    if (columns <= 3) return columns < 3 || !large || rows * size % 16 != 0;
    return large && (columns != 4 || rows >= kLongGatheredRows);
}
constexpr bool are_gathered(std::size_t size, std::size_t rows, std::size_t columns,
                            std::size_t bytes) {
    if (are_few_columns(size, rows, columns, bytes)) return false;
    return bytes <= kLargeBatchBytes || (size < 4 && rows >= kLeastGatheredRows);
}
/// Columns of structs of `size` bytes are gathered, but not those of the fewest rows, nor of tall
/// matrices whose rows fill warps (in percent), or whose columns are long, or few together: they
/// leave lanes idle.
inline constexpr std::size_t kTallStructTimes = 6, kWideStructTimes = 12;
inline constexpr std::size_t kLeastGatheredStructRows = 4, kFilledWarps = 88;
constexpr bool are_structs_gathered(std::size_t size, std::size_t rows, std::size_t columns,
                                    std::size_t batch, bool fills_side) {
    const bool few = batch * rows * columns * size <= kFewSmallStructBytes;
    if ((few || size == 3) && fills_side) return false;
    if (size > 16) return !few || size > 32 || rows * 2 < columns * 3;
    if (rows < kLeastGatheredStructRows || (size == 3 && columns >= rows * kWideStructTimes))
        return false;
    if (rows < columns * kTallStructTimes) return true;
    const std::size_t column_bytes = rows * size, together = batch * columns;
    if (size > 5 && column_bytes <= 300) return together >= 15'000;
    return rows * 100 < (rows + 31) / 32 * 32 * kFilledWarps && columns >= 5 &&
           column_bytes <= 700 && together >= 30'000;
}
constexpr std::size_t most_gathered_row(std::size_t size) { return size == 1 ? 64 : 84; }
/// Those of which blocks take less are gathered by fewer threads.
inline constexpr unsigned kFewSmallColumnsBytes = 1536;
inline constexpr int kFewSmallColumnsThreads = 128;
/// Structs take registers for all their words, and are gathered by fewer still: the most where
/// matrices of so many bytes are many.
inline constexpr int kMostSmallStructThreads = 256, kFewSmallStructThreads = 128;
constexpr int small_struct_threads(std::size_t size, std::size_t matrix_bytes, std::size_t bytes) {
    return size > 16 || (matrix_bytes >= 600 && bytes >= std::size_t{8} << 20)
               ? kMostSmallStructThreads
               : kFewSmallStructThreads;
}
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
/// Those of together so many bytes, of more than `kRaggedSmallMatrixBytes` each and
/// `kRaggedNarrowTimes` as long as across, go by pieces where rows or columns are more bytes, too:
/// tiles that they leave partly empty take longer.
inline constexpr std::size_t kLongNarrowBytes = std::size_t{15} << 19;
/// How many bytes those may be across.
struct LineBytes {
    std::size_t more_than, at_most;
};
/// @param at_words  whether each of the few begins at a 16-byte word and is whole ones
/// @param whole     whether what lies across them is as well
constexpr LineBytes long_narrow_bytes(std::size_t size, bool tall, bool at_words, bool whole) {
    if (size == 1) return {0, at_words && !whole ? 160u : 0u};
    if (size == 2) return {0, !at_words ? (tall ? 72u : 80u) : whole ? 0u : 264u};
    if (size == 4) return {whole ? 256u : 0u, !at_words ? 0u : whole ? 320u : 400u};
    if (size == 16) return {tall ? 256u : 0u, !at_words ? 0u : tall ? 464u : 512u};
    if ((size & (size - 1)) == 0) return {0, 0};
    if (size % 4 == 0) return {0, size == 20 || (at_words && size <= 36) ? 480u : 0u};
    if (size > 16) return {0, size <= 32 ? 370u : 0u};
    if (size % 2 == 0) return {0, at_words ? 258u : tall ? 0u : 230u};
    if (tall) return {0, size == 3 && at_words ? 192u : size <= 5 ? 144u : 0u};
    return {0, 240};
}
/// Structs whose few rows or columns are so many percent of tiles do not.
inline constexpr std::size_t kFilledStructTiles = 90;
inline constexpr unsigned kNarrowTransposeBytes = 16 << 10;
inline constexpr int kNarrowTransposeThreads = 256, kNarrowTransposeBlocks = 5;
constexpr int narrow_transpose_threads(unsigned staged_bytes) {
    const unsigned warps = (staged_bytes + 2047) / 2048;
    return static_cast<int>(warps < 8 ? warps : 8) * 32;
}

/// Several matrices of 2 to 4 rows or columns of 1- and 2-byte elements go as misaligned structs
/// where they are as long.
inline constexpr std::size_t kStagedFieldsLength = 1536;

}  // namespace wideload::tuning
