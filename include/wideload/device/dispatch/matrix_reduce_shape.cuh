// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/detail/device_properties.cuh>
#include <wideload/device/detail/launch.cuh>
#include <wideload/device/detail/range.cuh>
#include <wideload/device/kernel/matrix_reduce_kernel.cuh>
#include <wideload/device/kernel/reduce_in_order_kernel.cuh>
#include <wideload/device/kernel/reduce_staged_rows_kernel.cuh>

#include <climits>

namespace wideload::WIDELOAD_DETAIL {

/// `launch_early` of a matrix that is reduced.
template <bool May = true, class Plan, class Launch>
cudaError_t launch_reduction_early(const Plan& plan, const Launch& launch) {
    return launch_early<May>(plan, matrix_bytes(plan), kSmallWorkBytes, launch);
}

inline constexpr int kMatrixReduceThreads = 256;
/// Rows of `size` bytes an element that are a warp's work have so many bytes at most, more where
/// there are many: a block has one row and waits for its few loads.
constexpr std::size_t warp_row_bytes(std::size_t size, std::size_t rows) {
    return std::size_t{rows < 640    ? 4u
                       : rows < 2048 ? (size <= 2 ? 5u : 6u)
                                     : (size <= 2 ? 12u : 10u)}
           << 10;
}
/// Of structs whose words lanes exchange, rows of up to so many tiles, if there are so many: a
/// block's warps would have too few tiles each.
inline constexpr std::size_t kWarpRowTiles = 24, kManyRows = 4096;
/// Rows of up to so many bytes are at most a block's, however few they are: a second launch for
/// their pieces takes longer.
inline constexpr std::size_t kWholeRowBytes = 160 << 10;
/// Rows of up to so many accesses are some neighbouring lanes' work.
constexpr std::size_t few_accesses(std::size_t rows) {
    return rows < 8192 ? 64 : rows < 65536 ? 72 : 88;
}
inline constexpr int kFewLanes = 8;
/// Rows of elements that go through shared memory are so many, or so short, and structs of bytes so
/// large together; blocks a multiprocessor that read them.
inline constexpr std::size_t kManyStagedRows = 2048, kShortStagedRowBytes = 4 << 10;
inline constexpr std::size_t kLeastStagedStructBytes = 4 << 20;
inline constexpr int kStagedRowsBlocks = 4;
/// Columns up to this many rows are one block's work, 32 columns to a block of as many warps:
/// memory for the pieces' results costs more than their work.
inline constexpr std::size_t kBlockColumnRows = 4096;
/// The least of a column and of a row that is worth a piece of its own, in elements; of a column,
/// where there would be too few blocks otherwise.
inline constexpr std::size_t kLeastColumnPiece = 512, kLeastRowPiece = 4096;
inline constexpr std::size_t kLeastFewColumnsPiece = 64;

/// Elements per access: whole words where every row starts at one, 1 elsewhere.
template <class T>
inline constexpr int kMatrixReduceWide =
    kFillsWords<T> ? kWideBytes / static_cast<int>(sizeof(T)) : 1;

template <class T>
bool rows_are_words(const T* input, std::size_t columns) {
    return kMatrixReduceWide<T> > 1 && is_aligned(input, kWideBytes) &&
           columns * sizeof(T) % kWideBytes == 0;
}

/// Elements of a tile of structs that a warp reads as words which change lanes.
template <class T>
inline constexpr std::size_t kExchangedTile =
    static_cast<std::size_t>(LaneShape<T>::kElements) * kWarpLanes;

/// Whether rows of structs are read so: they have tiles enough, for a warp or for all of a block's,
/// and every one of them has a first that lies at a sector.
template <class T>
bool rows_are_exchanged(const T* input, std::size_t rows, std::size_t columns) {
    const std::size_t least = rows >= kManyRows ? 2 : kWarpRowTiles + 1;
    return kReducedByRows<T> && columns >= least * kExchangedTile<T> &&
           is_aligned(input, greatest_common_divisor<std::size_t>(sizeof(T), kSectorBytes));
}

/// Whether elements at this address would be read byte by byte, lanes their size apart.
template <class T>
bool read_by_bytes(const T* input) {
    constexpr std::size_t kCommon = greatest_common_divisor<std::size_t>(sizeof(T), kWideBytes);
    return !is_aligned(input, alignof(T)) ||
           (sizeof(T) > 1 && alignof(T) == 1 && (kCommon == 1 || !is_aligned(input, kCommon)));
}

/// Whether rows go through shared memory, several by a warp: in order, or where they would be read
/// by bytes; not those shorter than a lane's run, few long ones, or ones that are read as words
/// that change lanes. Structs of bytes only where they are so many: they take longest to combine.
template <class T>
bool rows_are_staged(const T* input, std::size_t rows, std::size_t columns, bool in_order) {
    const std::size_t row_bytes = columns * sizeof(T);
    if (!is_reduced_staged(input) || columns < std::size_t{StagedRowRuns<T>::kRun} ||
        columns > INT_MAX || (rows < kManyStagedRows && row_bytes > kShortStagedRowBytes) ||
        rows_are_exchanged(input, rows, columns))
        return false;
    return in_order || (read_by_bytes(input) &&
                        (alignof(T) > 1 || rows * row_bytes >= kLeastStagedStructBytes));
}

/// The warps that share them, alike.
template <class T>
std::size_t staged_rows_warps(std::size_t rows, int multiprocessors) {
    const auto most = static_cast<std::size_t>(multiprocessors) * kStagedRowsBlocks *
                      static_cast<std::size_t>(StagedRowRuns<T>::kWarps);
    return divide_up(rows, divide_up(rows, most));
}

/// Whether a row is a warp's work, not a block's.
template <class T>
bool rows_are_for_warps(const T* input, std::size_t rows, std::size_t columns) {
    return columns * sizeof(T) <= warp_row_bytes(sizeof(T), rows) ||
           (columns <= kWarpRowTiles * kExchangedTile<T> &&
            rows_are_exchanged(input, rows, columns));
}

/// Whether a row in any order, of a warp's work, is some lanes' of it.
template <class T>
bool rows_are_for_lanes(const T* input, std::size_t rows, std::size_t columns, int per_access) {
    return rows_are_for_warps(input, rows, columns) && columns <= few_accesses(rows) * per_access;
}

/// Blocks that keep a device busy.
constexpr std::size_t blocks_wanted(int multiprocessors) {
    return static_cast<std::size_t>(multiprocessors) * 8;
}

/// Blocks among which work is cut, if it can be: several times what the device holds, so that all
/// of it is busy until the end.
constexpr std::size_t blocks_shared(int multiprocessors) {
    return 4 * blocks_wanted(multiprocessors);
}

/// The length of the pieces of `length` elements that keep the device busy if `groups` blocks are
/// there anyway: a multiple of 16 elements, `least` at least.
inline std::size_t piece_length(std::size_t length, std::size_t groups, std::size_t least,
                                int multiprocessors) {
    const std::size_t wanted = blocks_shared(multiprocessors);
    std::size_t pieces = groups >= wanted ? 1 : wanted / groups;
    if (pieces > length / least) pieces = length / least;
    if (pieces > 1024) pieces = 1024;
    if (pieces <= 1) return length;
    return divide_up<std::size_t>(divide_up(length, pieces), 16) * 16;
}

/// The least of a column that is worth a piece, where `groups` blocks lie side by side: one and a
/// half for each multiprocessor at least are to be had (bench/library/NOTES.md).
inline std::size_t least_column_piece(std::size_t rows, std::size_t groups, int multiprocessors) {
    std::size_t least = kLeastColumnPiece;
    while (least > kLeastFewColumnsPiece &&
           rows / least * groups * 2 < static_cast<std::size_t>(multiprocessors) * 3)
        least /= 2;
    return least;
}

/// Multiprocessors that scratch memory is sized for, and work is cut for, at the most: more than
/// GPUs have, so that its size depends on the matrix alone.
inline constexpr int kMostMultiprocessors = 256;

/// Calls `function` with the alignment of all elements, as a type: what their size has in common
/// with 16 bytes, if the first is so aligned, that of their type, or 1.
template <class T, class Function>
cudaError_t with_alignment(const T* input, Function function) {
    constexpr int kOfType = static_cast<int>(alignof(T));
    constexpr int kOfSize = greatest_common_divisor<int>(sizeof(T), kWideBytes);
    if constexpr (kOfSize > kOfType) {
        if (is_aligned(input, kOfSize)) return function(std::integral_constant<int, kOfSize>{});
    }
    if (is_aligned(input, kOfType)) return function(std::integral_constant<int, kOfType>{});
    return function(std::integral_constant<int, 1>{});
}

}  // namespace wideload::WIDELOAD_DETAIL
