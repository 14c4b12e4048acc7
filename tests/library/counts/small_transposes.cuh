// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/transpose.cuh>

#include "case.cuh"
#include "narrow_sectors.cuh"
#include "small_columns_sectors.cuh"
#include "staged_sectors.cuh"

#include <numeric>

/// transpose of small matrices, and of few rows or columns.
namespace counts {

/// Small matrices whose columns are gathered by words, out of place and in place, shared among so
/// many multiprocessors.
template <int Size>
void transpose_small_columns(std::size_t rows, std::size_t columns, std::size_t batch,
                             std::size_t multiprocessors, std::size_t offset = 0) {
    const std::size_t bytes = rows * columns * batch * Size;
    using Words = wideload::detail::ColumnWords<wideload::detail::gathered_element_t<Size>>;
    const wideload::detail::SmallColumns shape(static_cast<unsigned>(rows),
                                               static_cast<unsigned>(columns), Size,
                                               sizeof(typename Words::Word));
    const Moved moved = move_small_columns(shape, batch, offset, multiprocessors);
    Memory from(bytes, offset), to(bytes, offset);
    const std::string what = " of " + std::to_string(batch) + " × " + std::to_string(rows) + " × " +
                             std::to_string(columns) + " elements of " + std::to_string(Size) +
                             " bytes, " + std::to_string(offset) + " past a line, among " +
                             std::to_string(multiprocessors) + ", by columns";
    const auto expect = [&](const std::string& name, void* output) {
        Case(name + what)
            .exactly("global_ld", moved.read)
            .exactly("global_st", moved.written)
            .run([&] {
                return wideload::detail::dispatch_transpose_small<Size>(
                    from.as<void>(), output, rows, columns, batch, nullptr, multiprocessors);
            });
    };
    expect("transpose", to.as<void>());
    expect("transpose in place", from.as<void>());
}

/// Several small matrices a block, out of place and in place, as where there are enough for every
/// multiprocessor.
template <int Size>
void transpose_small(std::size_t rows, std::size_t columns, std::size_t batch) {
    using wideload::detail::SmallWay;
    if (wideload::detail::small_way<Size>(rows, columns, batch, 1, 16) == SmallWay::columns)
        return transpose_small_columns<Size>(rows, columns, batch, 1);
    const std::size_t bytes = rows * columns * batch * Size;
    Memory from(bytes), to(bytes);
    const std::string what = " of " + std::to_string(batch) + " × " + std::to_string(rows) + " × " +
                             std::to_string(columns) + " elements of " + std::to_string(Size) +
                             " bytes";
    const auto expect = [&](const std::string& name, void* output) {
        Case(name + what)
            .whole("global_ld", sectors(bytes))
            .whole("global_st", sectors(bytes))
            .run([&] {
                return wideload::detail::dispatch_transpose_small<Size>(
                    from.as<void>(), output, rows, columns, batch, nullptr, 1);
            });
    };
    expect("transpose", to.as<void>());
    expect("transpose in place", from.as<void>());
}

/// So few small matrices that a block has but one, or as many as make whole words of 16 bytes if
/// those are four at the most.
template <int Size>
void transpose_few_small(std::size_t rows, std::size_t columns, std::size_t batch) {
    const std::size_t matrix = rows * columns * Size, bytes = matrix * batch;
    const std::size_t filling = kWordBytes / std::gcd(matrix, kWordBytes);
    const std::size_t moved = sectors_of_blocks(0, bytes, (filling <= 4 ? filling : 1) * matrix);
    Memory from(bytes), to(bytes);
    Case("transpose of " + std::to_string(batch) + " × " + std::to_string(rows) + " × " +
         std::to_string(columns) + " elements of " + std::to_string(Size) +
         " bytes, for each a multiprocessor")
        .exactly("global_ld", moved)
        .exactly("global_st", moved)
        .run([&] {
            return wideload::detail::dispatch_transpose_small<Size>(
                from.as<void>(), to.as<void>(), rows, columns, batch, nullptr, batch);
        });
}

/// Lanes from matrix to matrix, along rows and along columns.
template <int Size>
void small_batches() {
    for (const auto& [rows, columns] : {std::pair<std::size_t, std::size_t>{2, 2},
                                        {3, 3},
                                        {3, 5},
                                        {6, 6},
                                        {7, 4},
                                        {2, 12},
                                        {12, 12},
                                        {3, 32},
                                        {30, 8},
                                        {31, 30}}) {
        const std::size_t elements = rows * columns;
        if (elements * Size > 4096 || (Size < 4 && elements > 128 && elements % 4 != 0)) continue;
        transpose_small<Size>(rows, columns, 512);
    }
}

/// Few rows or columns by pieces whatever the size.
template <int Size>
void transpose_narrow(std::size_t rows, std::size_t columns, std::size_t batch,
                      std::size_t offset = 0) {
    const std::size_t bytes = rows * columns * batch * Size;
    const Moved moved = move_narrow(rows, columns, batch, Size, offset, multiprocessors());
    Memory from(bytes, offset), to(bytes, offset);
    Case("pieces of " + std::to_string(batch) + " × " + std::to_string(rows) + " × " +
         std::to_string(columns) + " elements of " + std::to_string(Size) + " bytes, " +
         std::to_string(offset) + " past a line")
        .exactly("global_ld", moved.read)
        .exactly("global_st", moved.written)
        .run([&] {
            return wideload::detail::dispatch_transpose_narrow<Size>(
                {from.as<void>(), to.as<void>(), rows, columns, batch, Size}, nullptr);
        });
}

/// Matrices of few columns as structs that are split at any address, and of few rows as arrays that
/// are joined, in blocks of either size.
template <int Size, int Fields, bool Small>
void transpose_staged_fields_as(std::size_t count, std::size_t batch, std::size_t offset) {
    using Split = wideload::detail::StagedInterleave<Size, Fields, true, false, Small>;
    using Join = wideload::detail::StagedInterleave<Size, Fields, false, false, Small>;
    using T = wideload::detail::access_word_t<Size>;
    const std::size_t bytes = count * Size * Fields;
    Memory from(bytes * batch, offset), to(bytes * batch, offset);
    Moved split, join;
    for (std::size_t matrix = 0; matrix < batch; ++matrix) {
        const std::size_t begin = offset + matrix * bytes;
        split.read +=
            sectors_staged<typename Split::Read>(begin, count, Split::kTileStructs, Split::kHeld);
        join.written += sectors_drained<typename Join::Written>(begin, count, Join::kTileStructs);
        for (std::size_t field = begin; field < begin + bytes; field += count * Size) {
            split.written +=
                sectors_drained<typename Split::Written>(field, count, Split::kTileStructs);
            join.read +=
                sectors_staged<typename Join::Read>(field, count, Join::kTileStructs, Join::kHeld);
        }
    }
    const std::string what =
        " of " + std::to_string(batch) + " matrices of " + std::to_string(count) + " by " +
        std::to_string(Fields) + " elements of " + std::to_string(Size) + " bytes, " +
        std::to_string(offset) + " past a line, in " + (Small ? "small" : "large") + " blocks";
    using wideload::detail::launch_transpose_staged_fields;
    Case("columns" + what)
        .wide_runs_exactly("global_ld", split.read)
        .wide_runs_exactly("global_st", split.written)
        .run([&] {
            return launch_transpose_staged_fields<T, Fields, true, Small>(from.as<T>(), to.as<T>(),
                                                                          count, batch, nullptr);
        });
    Case("rows" + what)
        .wide_runs_exactly("global_ld", join.read)
        .wide_runs_exactly("global_st", join.written)
        .run([&] {
            return launch_transpose_staged_fields<T, Fields, false, Small>(from.as<T>(), to.as<T>(),
                                                                           count, batch, nullptr);
        });
}

template <int Size, int Fields>
void transpose_staged_fields(std::size_t count, std::size_t batch, std::size_t offset) {
    transpose_staged_fields_as<Size, Fields, false>(count, batch, offset);
    transpose_staged_fields_as<Size, Fields, true>(count, batch, offset);
}

inline void small_transposes() {
    transpose_narrow<1>(10307, 5, 2);
    transpose_narrow<1>(6, 9001, 2, 3);
    transpose_narrow<1>(2049, 12, 3, 4);
    transpose_narrow<1>(16, 1999, 3, 8);
    transpose_narrow<1>(127, 611, 1, 5);
    transpose_narrow<1>(519, 80, 2);
    transpose_narrow<2>(3001, 7, 2, 2);
    transpose_narrow<2>(8, 4099, 1);
    transpose_narrow<2>(1503, 32, 1, 4);
    transpose_narrow<2>(10, 1501, 2, 6);
    transpose_narrow<4>(2051, 6, 3, 4);
    transpose_narrow<4>(5, 3001, 2, 8);
    transpose_narrow<4>(701, 32, 1);
    transpose_narrow<8>(1027, 6, 2, 8);
    transpose_narrow<8>(16, 389, 2, 8);
    transpose_narrow<12>(1001, 5, 2, 4);
    transpose_narrow<12>(10, 701, 2, 4);
    // As many bytes across as pieces are for at most, some of them in more than 48 KiB.
    transpose_narrow<1>(1043, 150, 1, 3);
    transpose_narrow<1>(65, 2064, 1);
    transpose_narrow<2>(771, 132, 1, 2);
    transpose_narrow<4>(100, 804, 1, 4);
    transpose_narrow<16>(21, 999, 1);
    transpose_narrow<16>(501, 29, 1);
    transpose_narrow<3>(75, 701, 1, 3);
    transpose_narrow<3>(801, 60, 1);
    transpose_narrow<5>(43, 801, 1, 5);
    transpose_narrow<6>(41, 802, 1, 2);
    transpose_narrow<7>(34, 801, 1, 14);
    transpose_narrow<20>(24, 401, 1, 4);
    transpose_narrow<25>(401, 13, 1);
    transpose_staged_fields<1, 2>(9001, 2, 1);
    transpose_staged_fields<1, 3>(5077, 3, 0);
    transpose_staged_fields<1, 4>(4099, 2, 5);
    transpose_staged_fields<2, 2>(3001, 3, 2);
    transpose_staged_fields<2, 3>(5001, 2, 0);
    transpose_staged_fields<2, 4>(2501, 2, 6);
    small_batches<1>();
    small_batches<2>();
    small_batches<4>();
    small_batches<8>();
    small_batches<16>();
    small_batches<12>();
    small_batches<6>();
    transpose_small<1>(13, 15, 512);
    transpose_few_small<1>(16, 68, 40);
    transpose_few_small<2>(6, 44, 40);
    // Columns whose lanes are a word apart throughout, or up to 3 bytes further where a matrix
    // ends; of odd and even words; of more than one group of lanes.
    transpose_small_columns<1>(8, 12, 40, 40);
    transpose_small_columns<2>(6, 10, 40, 40);
    transpose_small_columns<1>(17, 19, 512, 1);
    transpose_small_columns<1>(17, 19, 512, 100);
    transpose_small_columns<1>(31, 29, 40, 40, 3);
    transpose_small_columns<1>(22, 18, 100, 4, 5);
    transpose_small_columns<1>(3, 7, 300, 9, 1);
    transpose_small_columns<1>(64, 63, 9, 2);
    transpose_small_columns<1>(90, 91, 5, 1, 15);
    transpose_small_columns<1>(181, 180, 2, 1, 2);
    transpose_small_columns<1>(577, 33, 3, 3);
    transpose_small_columns<1>(3, 65, 300, 30);
    transpose_small_columns<1>(3, 65, 300, 30, 3);
    transpose_small_columns<2>(65, 3, 300, 30, 2);
    transpose_small_columns<1>(20, 577, 3, 3, 7);
    transpose_small_columns<2>(25, 27, 1280, 1);
    transpose_small_columns<2>(17, 19, 40, 40, 2);
    transpose_small_columns<2>(30, 31, 64, 1);
    transpose_small_columns<2>(65, 67, 7, 1, 6);
    transpose_small_columns<2>(577, 5, 3, 3);
    transpose_small_columns<4>(9, 9, 40, 40);
    transpose_small_columns<4>(33, 31, 37, 37, 4);
    transpose_small_columns<4>(16, 12, 100, 1);
    transpose_small_columns<4>(577, 12, 3, 3, 4);
    transpose_small_columns<8>(17, 17, 40, 40);
    transpose_small_columns<8>(12, 9, 100, 1, 8);
    transpose_small_columns<8>(11, 259, 3, 3, 8);
    transpose_small_columns<2>(7, 1001, 3, 3, 2);
    transpose_few_small<12>(5, 7, 40);
    // Structs of no whole words: matrices whose lanes are as far apart throughout, or not where a
    // matrix ends, of which fewer gather; at their units and at any byte.
    transpose_small_columns<3>(17, 19, 512, 1);
    transpose_small_columns<3>(6, 21, 300, 40);
    transpose_small_columns<3>(31, 29, 40, 1, 1);
    transpose_small_columns<3>(9, 100, 40, 5, 6);
    transpose_small_columns<5>(13, 7, 512, 2);
    transpose_small_columns<5>(6, 21, 90, 1, 3);
    transpose_small_columns<6>(20, 20, 90, 40, 2);
    transpose_small_columns<6>(17, 19, 40, 1, 5);
    transpose_small_columns<7>(9, 10, 600, 1);
    transpose_small_columns<9>(17, 19, 40, 5, 9);
    transpose_small_columns<10>(21, 6, 100, 1);
    transpose_small_columns<13>(5, 5, 512, 3);
    transpose_small_columns<15>(19, 21, 40, 4, 7);
    transpose_small_columns<17>(9, 10, 100, 1, 3);
    transpose_small_columns<26>(5, 5, 200, 1, 2);
    transpose_small_columns<43>(6, 11, 30, 1);
    transpose_small_columns<63>(7, 9, 30, 4, 1);
    transpose_small_columns<3>(50, 50, 20, 1, 1);
    transpose_small_columns<9>(41, 31, 9, 1);
    // Lanes that lie from one to the next, neighbours along a side, and few of tall matrices.
    small_batches<3>();
    transpose_small<3>(28, 28, 64);
    transpose_small<7>(3, 5, 512);
    transpose_small<5>(64, 4, 40);
    transpose_small<26>(16, 4, 40);
}

}  // namespace counts
