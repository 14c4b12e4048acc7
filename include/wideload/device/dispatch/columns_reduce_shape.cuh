// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/dispatch/matrix_reduce_shape.cuh>
#include <wideload/device/kernel/columns_reduce_kernel.cuh>
#include <wideload/device/kernel/thin_columns_kernel.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// Columns of at most so many rows are read whole by a lane each, of the fewest however few columns
/// there are; of bytes and halves of some more (`rows_are_few`).
inline constexpr std::size_t kFewRows = 64, kFewestRows = 12, kFewWordRows = 256;

inline constexpr int kThinThreads = 512;
/// Of a matrix of up to so many bytes half the blocks, one more where many of their threads do not
/// read: their results are a large part of the work, and the launch that combines them finds room
/// beside the last ones.
inline constexpr int kThinBlocksPerMultiprocessor = 4, kThinFewBlocks = 2;
inline constexpr std::size_t kThinFewBlocksBytes = std::size_t{64} << 20;
inline constexpr unsigned kThinManyReaders = 400;
/// Of one whose elements go through shared memory.
inline constexpr int kThinStagedThreads = 256, kThinStagedBlocks = 6, kThinStagedFewBlocks = 4;
/// The most rows of numbers of 8 bytes that do not.
inline constexpr std::size_t kFewStagedRows = 8;

/// Warps of a block that has 32 columns of all rows. Half of them suffice a second launch, for
/// which registers are then left beside the blocks of the first one, unless that has structs.
inline constexpr int kColumnWarps = 32;

/// Columns of so many rows at most have a quarter, or half, of those warps: smaller blocks begin
/// sooner, with more loads a lane. Measured for 16 to 2,048 rows (bench/library/NOTES.md).
template <class T, bool InOrder>
struct FewWarpsRows {
    static constexpr std::size_t kQuarter = sizeof(T) > 8    ? 0
                                            : sizeof(T) != 1 ? 128
                                            : InOrder        ? 256
                                                             : 0;
    static constexpr std::size_t kHalf = sizeof(T) <= 8 ? 256 : 0;
};

/// Whether blocks of 128 columns, of large elements fewer, which each read all rows, are enough of
/// them: fewer suffice the shorter the columns are (bench/library/NOTES.md).
template <class T>
constexpr bool columns_fill_blocks(std::size_t rows, std::size_t columns, int multiprocessors) {
    const bool halved = sizeof(T) == 8 && rows <= 128;
    const std::size_t a_block = sizeof(T) > 8 ? 32 : halved ? 64 : 128;
    const std::size_t twentieths = rows <= 128 ? 9 : rows <= 512 ? 18 : 36;
    return divide_up(columns, a_block) * 20 >=
           static_cast<std::size_t>(multiprocessors) * twentieths;
}

/// Columns whose order is kept, and those of structs that fill no words: as few are read an element
/// a thread, several rows by a warp.
inline constexpr std::size_t kFewestColumns = 16;

/// The most columns whose order is kept of which several rows are read by a warp where they are
/// more than those: beyond, a warp for each 32 of them, or for the words of as many, leaves fewer
/// lanes idle than rows take time to be combined.
///
/// @param words  whether rows are whole words
/// @param whole  whether elements are not read byte by byte
/// @param bytes  of the matrix
template <class T>
constexpr std::size_t most_few_columns(bool words, bool whole, std::size_t bytes) {
    const bool large = bytes >= std::size_t{2} << 20;
    if (sizeof(T) == 2) return !whole ? (large ? 64 : 32) : !words ? 48 : large ? 96 : 80;
    if (sizeof(T) == 4) return !whole ? 32 : words ? 80 : 48;
    if (sizeof(T) == 8) return !whole ? 24 : large ? 44 : 32;
    return 0;
}

/// Columns a lane: at most 4, of bytes 8, and no more than whose results find place in the memory
/// that a block's warps share.
template <class T, class Result>
inline constexpr int kColumnsWide = [] {
    int wide = sizeof(T) == 1 ? 8 : 4;
    while (wide > kMatrixReduceWide<T> ||
           wide * kMatrixReduceThreads * sizeof(SharedValue<Result>) > kUnaskedSharedBytes)
        wide /= 2;
    return wide;
}();

/// Whether few columns of whole words are read by them; halves are combined sooner one by one.
template <class T, class Result>
inline constexpr bool kFewByWords = sizeof(T) == 4 && kColumnsWide<T, Result> > 1;

/// The fewest rows that are, where they begin anywhere in words, in any order.
inline constexpr std::size_t kLeastShiftedRows = 3 * kWarpLanes;

/// Whether rows begin anywhere in words, and are worth reading by them nevertheless, in any order.
template <class T, class Result>
bool columns_are_shifted(const T* input, std::size_t rows, std::size_t columns) {
    constexpr int kWide = kColumnsWide<T, Result>;
    return kWide > 1 && is_aligned(input, sizeof(T)) && !rows_are_words(input, columns) &&
           rows >= kLeastShiftedRows && columns >= kShiftedColumns<kWide>;
}

/// Whether there are columns enough for one of them a lane, where a few rows are read whole.
inline bool columns_are_wide(std::size_t columns, int multiprocessors) {
    return divide_up<std::size_t>(columns, 128) >= blocks_wanted(multiprocessors);
}

/// Whether lanes with several columns each leave so many half blocks of them on a multiprocessor.
inline bool lanes_are_many(std::size_t columns, int a_lane, int multiprocessors, int half_blocks) {
    return columns * 2 >= static_cast<std::size_t>(kMatrixReduceThreads * a_lane) *
                              static_cast<std::size_t>(multiprocessors * half_blocks);
}

/// Whether rows are so few that a lane reads all of its columns'. Bytes and halves are combined
/// soonest so: of whole words while enough lanes have their columns, of others where they would
/// otherwise be read one by one nevertheless (bench/library/NOTES.md).
template <class T, class Result>
bool rows_are_few(const T* input, std::size_t rows, std::size_t columns, int multiprocessors) {
    const bool wide = columns_are_wide(columns, multiprocessors);
    if (rows <= (wide ? kFewRows : kFewestRows)) return true;
    if (sizeof(T) > 2 || !kFillsWords<T> || !is_aligned(input, sizeof(T)) || !wide) return false;
    if (!rows_are_words(input, columns)) return rows < kLeastShiftedRows;
    return rows <= kFewWordRows && lanes_are_many(columns, kColumnsWide<T, Result>, multiprocessors,
                                                  sizeof(T) == 1 ? 5 : 3);
}

/// Whether columns go through shared memory: they would be read byte by byte.
template <class T, class Result>
bool columns_are_staged(const T* input) {
    return kColumnsFitStaged<T, Result> && read_by_bytes(input);
}

/// The same of few rows: a warp's loads are few, and halves of numbers arrive as soon.
template <class T, class Result>
bool few_rows_are_staged(const T* input, std::size_t rows) {
    return columns_are_staged<T, Result>(input) &&
           (sizeof(T) < 8 || alignof(T) == 1 || rows > kFewStagedRows);
}

/// And of strips of them: where the lanes that would read them by bytes are so many tenths of those
/// that strips have. Structs of bytes take longest to combine.
template <class T, class Result>
bool strips_are_staged(const T* input, std::size_t columns, bool in_order) {
    constexpr std::size_t kRun = ColumnRuns<T>::kRun;
    if (!columns_are_staged<T, Result>(input) || (in_order && alignof(T) == 1 && sizeof(T) > 4))
        return false;
    const std::size_t tenths = alignof(T) == 1 ? (sizeof(T) > 4 ? 9 : 8) : sizeof(T) >= 8 ? 7 : 4;
    const std::size_t strips = divide_up<std::size_t>(columns, kRun * kWarpLanes);
    return divide_up<std::size_t>(columns, kWarpLanes) * 10 >= strips * kRun * tenths;
}

/// Whether bytes in order can be read by words, wherever their rows begin.
template <class T, class Result>
inline constexpr bool kColumnsSlip =
    sizeof(T) == 1 && kFillsWords<T> &&
    kSlippedBytes * kMatrixReduceThreads * sizeof(SharedValue<Result>) <= kUnaskedSharedBytes;

/// The least that is: of a matrix, and of a piece, bytes, since a thread has several results to
/// combine with others'; and the most threads of a row that share a warp with others', of rows that
/// are whole words and of others.
inline constexpr std::size_t kLeastSlippedMatrix = 4 << 20, kLeastSlippedPiece = 32 << 10;
inline constexpr std::size_t kFewWordReaders = 14, kFewSlippedReaders = 40;

/// The same of few rows.
template <class T, class Result>
bool few_rows_slip(const T* input, std::size_t rows, std::size_t columns, int multiprocessors) {
    return kColumnsSlip<T, Result> && rows > kFewestRows && !rows_are_words(input, columns) &&
           lanes_are_many(columns, kSlippedBytes, multiprocessors, 3);
}

/// How a thread reads its part of a row.
enum class ColumnAccess { kElement, kWords, kShifted, kStaged, kSlipped };

/// How columns are read that are cut into pieces: where `few`, the threads of a row share a warp
/// with other rows'.
struct ColumnsWay {
    ColumnAccess access;
    bool few;
};

/// The fewest columns whose order is kept, and of structs that fill no words, are read by most
/// threads, an element each, more by words where that leaves few lanes idle
/// (bench/library/NOTES.md).
template <class T, class Result>
ColumnsWay columns_way(const T* input, std::size_t rows, std::size_t columns, bool in_order) {
    const bool words = rows_are_words(input, columns);
    const bool several = words && kColumnsWide<T, Result> > 1;
    if (columns <= kFewestColumns && (in_order || !kFillsWords<T>))
        return {ColumnAccess::kElement, true};
    if (in_order && kColumnsSlip<T, Result> && rows * columns >= kLeastSlippedMatrix) {
        const std::size_t readers = divide_up<std::size_t>(columns, kSlippedBytes);
        const bool few = readers <= (several ? kFewWordReaders : kFewSlippedReaders);
        if (few || !several) return {ColumnAccess::kSlipped, few};
    }
    if (in_order && columns <= most_few_columns<T>(several, !read_by_bytes(input),
                                                   rows * columns * sizeof(T))) {
        const bool by_words = several && kFewByWords<T, Result>;
        return {by_words ? ColumnAccess::kWords : ColumnAccess::kElement, true};
    }
    if (words) return {ColumnAccess::kWords, false};
    if (strips_are_staged<T, Result>(input, columns, in_order))
        return {ColumnAccess::kStaged, false};
    const bool shifted = !in_order && columns_are_shifted<T, Result>(input, rows, columns);
    return {shifted ? ColumnAccess::kShifted : ColumnAccess::kElement, false};
}

/// Columns of a thread that reads so.
template <class T, class Result>
constexpr int columns_a_thread(ColumnAccess access) {
    return access == ColumnAccess::kElement   ? 1
           : access == ColumnAccess::kStaged  ? ColumnRuns<T>::kRun
           : access == ColumnAccess::kSlipped ? kSlippedBytes
                                              : kColumnsWide<T, Result>;
}

/// Threads of a row of few of them, `each` columns a thread: of single ones whole runs of the
/// fewest lie side by side in a warp.
constexpr unsigned few_columns_readers(std::size_t columns, int each) {
    return each != 1 || columns > kFewestColumns
               ? static_cast<unsigned>(divide_up<std::size_t>(columns, each))
           : columns <= 4 ? 4
           : columns <= 8 ? 8
                          : kFewestColumns;
}

/// Picoseconds that a host takes for two launches and their memory.
inline constexpr std::size_t kLeastTwoLaunches = 8'000'000;

/// Whether columns of up to `kBlockColumnRows` are too long for one block to go through 32 of them:
/// what blocks take, picoseconds, one after the other on a multiprocessor or as fast as memory,
/// against what two launches take, as measured (bench/library/NOTES.md).
template <class T, class Result>
bool columns_are_long(const T* input, std::size_t rows, std::size_t columns, bool in_order,
                      int multiprocessors) {
    if (columns_are_staged<T, Result>(input)) {
        return rows >= (in_order && alignof(T) == 1 && sizeof(T) <= 4 ? 2000 : 1000) &&
               (!in_order || strips_are_staged<T, Result>(input, columns, true));
    }
    const bool by_bytes = read_by_bytes(input);
    const std::size_t a_row = by_bytes ? 600 * sizeof(T) : sizeof(T) <= 4 ? 2200 : 400 * sizeof(T);
    const std::size_t turns =
        divide_up<std::size_t>(columns, static_cast<std::size_t>(multiprocessors) * kWarpLanes);
    const std::size_t reading = rows * columns * sizeof(T) / 4, going = turns * rows * a_row;
    const std::size_t one = turns * 1'600'000 + (going > reading ? going : reading);
    const std::size_t two = (by_bytes         ? 9'700'000
                             : sizeof(T) <= 4 ? 3'000'000
                                              : 4'000'000) +
                            reading;
    return one >= two && one >= kLeastTwoLaunches;
}

/// Of a matrix that is read as the range that it is: elements of a thread's word, and threads.
template <class T, bool Staged>
inline constexpr int kThinWide = Staged                     ? ColumnRuns<T>::kRun
                                 : kMatrixReduceWide<T> < 4 ? kMatrixReduceWide<T>
                                                            : 4;
template <bool Staged>
inline constexpr int kThinBlockThreads = Staged ? kThinStagedThreads : kThinThreads;

/// Words that hold whole rows, the fewest.
template <class T, bool Staged>
std::size_t words_per_period(std::size_t columns) {
    return columns / greatest_common_divisor<std::size_t>(columns, kThinWide<T, Staged>);
}

/// The least rows of a matrix that is read as the range that it is: shorter columns take one
/// launch.
inline constexpr std::size_t kLeastThinRows = 128;

/// The least bytes of one whose elements do not go through shared memory, by those of a row: pieces
/// of columns are more blocks' work, which begins sooner. Of large elements all are
/// (bench/library/NOTES.md).
constexpr std::size_t least_thin_bytes(std::size_t element_bytes, std::size_t row_bytes) {
    constexpr std::size_t kKiB = 1024, kMiB = 1024 * kKiB;
    const bool words = row_bytes % kWideBytes == 0;  // others are read one by one in pieces
    if (element_bytes > 8) return 0;
    if (element_bytes == 1)
        return row_bytes < 28 ? 0 : words && row_bytes >= 768 ? 64 * kMiB : 512 * kKiB;
    if (element_bytes == 2)
        return row_bytes < 20    ? 512 * kKiB
               : row_bytes < 62  ? kMiB
               : row_bytes < 512 ? 2 * kMiB
                                 : 64 * kMiB;
    return row_bytes < 40     ? kMiB
           : row_bytes < 120  ? 2 * kMiB
           : row_bytes < 192  ? 4 * kMiB
           : row_bytes < 1280 ? 12 * kMiB
           : words            ? SIZE_MAX
                              : 64 * kMiB;
}

/// Whether a matrix has so many rows, and so few columns that a block reads whole rows at a time.
template <class T, bool Staged>
bool columns_fit_thin(std::size_t rows, std::size_t columns) {
    return rows >= kLeastThinRows &&
           words_per_period<T, Staged>(columns) <= kThinBlockThreads<Staged>;
}

/// Whether it is read as the range that it is.
template <class T, class Result, bool Staged>
bool columns_are_thin(const T* input, std::size_t rows, std::size_t columns) {
    const std::size_t row_bytes = columns * sizeof(T);
    const bool of_words =
        kFillsWords<T> && is_aligned(input, sizeof(T)) &&
        rows * row_bytes >= least_thin_bytes(sizeof(T), row_bytes) &&
        sizeof(ThinColumnsShared<Result, kThinWide<T, false>, kThinThreads>) <= kUnaskedSharedBytes;
    return (Staged ? columns_are_staged<T, Result>(input) : of_words) &&
           columns_fit_thin<T, Staged>(rows, columns);
}

/// The range of such a matrix, and how many threads of a block read it.
template <bool Staged, class T, class Result>
ThinColumnsPlan<T, Result> thin_columns_plan(const MatrixReducePlan<T, Result>& plan) {
    constexpr std::size_t kWide = kThinWide<T, Staged>;
    const std::size_t count = plan.rows * plan.columns;
    const std::size_t head =
        Staged ? 0 : bytes_to_alignment(plan.input, kWide * sizeof(T)) / sizeof(T);
    const std::size_t words = (count - head) / kWide;
    const std::size_t period = words_per_period<T, Staged>(plan.columns);
    return {{plan.input, head, words, count - head - words * kWide},
            static_cast<unsigned>(plan.columns),
            static_cast<unsigned>(kThinBlockThreads<Staged> / period * period),
            plan.output,
            plan.initial,
            plan.combine_initial};
}

/// Blocks of a multiprocessor that share such a matrix.
template <bool Staged, class T, class Result>
int thin_blocks_each(const ThinColumnsPlan<T, Result>& plan) {
    const bool few = plan.input.words * kThinWide<T, Staged> * sizeof(T) <= kThinFewBlocksBytes;
    if (Staged) return few ? kThinStagedFewBlocks : kThinStagedBlocks;
    if (!few) return kThinBlocksPerMultiprocessor;
    return kThinFewBlocks + (plan.readers < kThinManyReaders ? 1 : 0);
}

/// Blocks that share one: no more than there are tiles.
template <bool Staged, class T, class Result>
std::size_t thin_columns_blocks(const ThinColumnsPlan<T, Result>& plan, int multiprocessors) {
    constexpr std::size_t kWide = kThinWide<T, Staged>;
    constexpr std::size_t kRows = Staged ? ColumnRuns<T>::kGroup : kThinLoads<kWide, T, Result>;
    const std::size_t tiles = plan.input.words / (plan.readers * kRows);
    const auto most = static_cast<std::size_t>(multiprocessors * thin_blocks_each<Staged>(plan));
    return tiles == 0 ? 1 : tiles < most ? tiles : most;
}

/// The length of the pieces of columns, of which blocks have 128 side by side.
inline std::size_t columns_piece_length(std::size_t rows, std::size_t columns, std::size_t least,
                                        int multiprocessors) {
    return piece_length(rows, divide_up<std::size_t>(columns, 128), least, multiprocessors);
}

/// The length of the pieces into which columns are cut that are read so.
template <class T, class Result>
std::size_t column_piece(ColumnAccess access, std::size_t rows, std::size_t columns,
                         int multiprocessors) {
    const bool slipped = access == ColumnAccess::kSlipped;
    const bool element = access == ColumnAccess::kElement;
    // Single elements have pieces as if they were words.
    const std::size_t strip =
        kWarpLanes * columns_a_thread<T, Result>(element ? ColumnAccess::kWords : access);
    std::size_t side_by_side = divide_up(columns, strip);
    // The last strip has few lanes at times, the only one all columns.
    if (slipped && side_by_side > 1) side_by_side = columns / strip;
    std::size_t least = least_column_piece(rows, side_by_side, multiprocessors);
    if (slipped && least * columns < kLeastSlippedPiece) least = kLeastSlippedPiece / columns;
    return columns_piece_length(rows, columns, least, multiprocessors);
}

}  // namespace wideload::WIDELOAD_DETAIL
