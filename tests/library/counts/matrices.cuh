// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/transpose.cuh>

#include "case.cuh"
#include "narrow_sectors.cuh"
#include "packed_sectors.cuh"
#include "rectangle_sectors.cuh"
#include "shifted_sectors.cuh"
#include "small_columns_sectors.cuh"
#include "staged_sectors.cuh"
#include "transpose_sectors.cuh"

#include <numeric>

/// transpose, in and out of place.
namespace counts {

/// Shapes whose rows fill whole words on both sides.
template <int Size>
void transpose_whole(std::size_t rows, std::size_t columns, std::size_t batch = 1) {
    const std::size_t bytes = rows * columns * batch * Size;
    Memory from(bytes), to(bytes);
    Case("transpose of " + std::to_string(batch) + " × " + std::to_string(rows) + " × " +
         std::to_string(columns) + " elements of " + std::to_string(Size) + " bytes")
        .whole("global_ld", sectors(bytes))
        .whole("global_st", sectors(bytes))
        .run([&] {
            return wideload::transpose_batched(from.as<Blob<Size>>(), to.as<Blob<Size>>(), rows,
                                               columns, batch);
        });
}

/// Rows that begin anywhere in sectors.
template <int Size>
void transpose_anywhere(std::size_t rows, std::size_t columns, std::size_t offset) {
    const Matrix matrix{rows, columns, Size, offset};
    const Moved moved = move_anywhere<Size>(matrix);
    Memory from(matrix.bytes(), offset), to(matrix.bytes(), offset);
    Case("transpose of " + std::to_string(rows) + " × " + std::to_string(columns) +
         " elements of " + std::to_string(Size) + " bytes, " + std::to_string(offset) +
         " past a line")
        .exactly("global_ld", moved.read)
        .exactly("global_st", moved.written)
        .run([&] {
            return wideload::transpose(from.as<Blob<Size>>(), to.as<Blob<Size>>(), rows, columns);
        });
}

/// The same by one of the ways, whatever the size.
template <int Size>
void transpose_by_tiles(bool shifted, std::size_t rows, std::size_t columns, std::size_t offset) {
    using T = wideload::detail::access_word_t<Size>;
    const Matrix matrix{rows, columns, Size, offset};
    Memory from(matrix.bytes(), offset), to(matrix.bytes(), offset);
    const std::string what = " tiles of " + std::to_string(rows) + " × " + std::to_string(columns) +
                             " elements of " + std::to_string(Size) + " bytes, " +
                             std::to_string(offset) + " past a line";
    const auto expect = [&](const std::string& name, const Moved& moved, auto run) {
        Case(name + what)
            .exactly("global_ld", moved.read)
            .exactly("global_st", moved.written)
            .run(run);
    };
    if (shifted) {
        expect("shifted", move_shifted<T>(matrix), [&] {
            return wideload::detail::launch_transpose_shifted<T>(from.as<T>(), to.as<T>(), rows,
                                                                 columns, 1, nullptr);
        });
    } else if constexpr (Size == 4 || Size == 8) {
        expect("rotated", move_rotated<T>(matrix), [&] {
            return wideload::detail::launch_transpose_rotated<T>(from.as<T>(), to.as<T>(), rows,
                                                                 columns, 1, nullptr);
        });
    } else if constexpr (Size <= 2) {
        const auto expect_packed = [&](const std::string& name, auto tile) {
            expect(name, PackedTiles<T, decltype(tile)>::moved(matrix), [&] {
                return wideload::detail::launch_transpose_packed_with<T, decltype(tile)>(
                    from.as<T>(), to.as<T>(), rows, columns, 1, nullptr);
            });
        };
        using Tiles = wideload::tuning::PackedTiles<Size>;
        expect_packed("few packed", typename Tiles::Few{});
        expect_packed("small packed", typename Tiles::Small{});
        expect_packed("large packed", typename Tiles::Large{});
        expect_packed("a batch's large packed", typename Tiles::LargeOfBatch{});
    } else {
        expect("padded", move_by_units<Size, 1>(matrix), [&] {
            return wideload::detail::launch_transpose_padded<T, 1>(from.as<T>(), to.as<T>(), rows,
                                                                   columns, 1, nullptr);
        });
    }
}

/// Matrices that a block takes one at a time, whose ranges begin anywhere, whatever their number.
template <int Size>
void transpose_blocks(std::size_t rows, std::size_t columns, std::size_t batch,
                      std::size_t offset = 0) {
    const std::size_t bytes = rows * columns * Size;
    const std::size_t moved = sectors_of_blocks(offset, bytes * batch, bytes);
    Memory from(bytes * batch, offset), to(bytes * batch, offset);
    Case("transpose of " + std::to_string(batch) + " × " + std::to_string(rows) + " × " +
         std::to_string(columns) + " elements of " + std::to_string(Size) + " bytes, " +
         std::to_string(offset) + " past a line, by whole matrices")
        .exactly("global_ld", moved)
        .exactly("global_st", moved)
        .run([&] {
            return wideload::detail::dispatch_transpose_small<Size>(from.as<void>(), to.as<void>(),
                                                                    rows, columns, batch, nullptr);
        });
}

/// Few rows or columns, whose runs begin anywhere, by pieces whatever the size.
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

template <int Size>
void transpose_square(std::size_t size, std::size_t batch, std::size_t offset) {
    const Matrix matrix{size, size, Size, offset};
    Memory data(matrix.bytes() * batch, offset);
    Case c("transpose in place of " + std::to_string(batch) + " × " + std::to_string(size) +
           "² elements of " + std::to_string(Size) + " bytes, " + std::to_string(offset) +
           " past a line");
    if (matrix.row_bytes() % kSectorBytes == 0 && offset % kSectorBytes == 0) {
        c.whole("global_ld", sectors(matrix.bytes() * batch));
        c.whole("global_st", sectors(matrix.bytes() * batch));
    } else {
        // Structs move by units, on both sides by warps along the same rows; so do elements of
        // small squares.
        constexpr std::size_t kUnit = wideload::lowest_power_of_two(Size);
        static_assert(wideload::tuning::kInPlaceSide<Size> * (Size / kUnit) % kLanes == 0 &&
                          wideload::tuning::kSmallInPlaceSide % kLanes == 0,
                      "a tile's rows are whole requests");
        const std::size_t each =
            Matrix{size * batch, size, Size, offset}.by_requests(kLanes * kUnit);
        c.runs_exactly("global_ld", each).runs_exactly("global_st", each);
    }
    c.run([&] { return wideload::transpose_square_in_place(data.as<Blob<Size>>(), size, batch); });
}

/// Squares of 4- or 8-byte elements by the tiles of large ones.
template <int Size, class Tuned = wideload::tuning::RotatedInPlaceTile<Size>>
void transpose_square_rotated(std::size_t size, std::size_t offset) {
    using T = wideload::detail::access_word_t<Size>;
    const Matrix matrix{size, size, Size, offset};
    const Moved moved = move_rotated_in_place<T, Tuned>(matrix);
    Memory data(matrix.bytes(), offset);
    Case("rotated tiles in place of " + std::to_string(size) + "² elements of " +
         std::to_string(Size) + " bytes, " + std::to_string(offset) + " past a line")
        .exactly("global_ld", moved.read)
        .exactly("global_st", moved.written)
        .run([&] {
            return wideload::detail::launch_in_place_rotated_with<Tuned>(data.as<T>(), size, 1,
                                                                         nullptr);
        });
}

/// Elements of 1 or 2 bytes in place by words of 4 bytes.
template <int Size, class Tuned>
void transpose_square_packed(std::size_t size, std::size_t offset) {
    using T = wideload::detail::access_word_t<Size>;
    const Matrix matrix{size, size, Size, offset};
    const Moved moved = PackedTiles<T, Tuned, false>::moved(matrix);
    Memory data(matrix.bytes(), offset);
    Case("packed tiles in place of " + std::to_string(size) + "² elements of " +
         std::to_string(Size) + " bytes, " + std::to_string(offset) + " past a line")
        .exactly("global_ld", moved.read)
        .exactly("global_st", moved.written)
        .run([&] {
            return wideload::detail::launch_in_place_packed_with<Tuned>(data.as<T>(), size, 1,
                                                                        nullptr);
        });
}

template <int Size>
void transpose_squares_packed() {
    using Small = typename wideload::tuning::PackedTiles<Size>::Small;
    transpose_square_packed<Size, Small>(181, 0);
    transpose_square_packed<Size, Small>(127, 2);
    transpose_square_packed<Size, wideload::tuning::PackedInPlaceTile>(255, 4);
    transpose_square_packed<Size, wideload::tuning::PackedInPlaceTile>(311, 6);
}

inline std::string rectangle_name(std::size_t rows, std::size_t columns, std::size_t size) {
    return "transpose in place of " + std::to_string(rows) + " × " + std::to_string(columns) +
           " elements of " + std::to_string(size) + " bytes";
}

/// A rectangle in place: out of place and copied back, its rows and columns being whole words.
template <int Size>
void transpose_rectangle(std::size_t rows, std::size_t columns) {
    Memory data(rows * columns * Size);
    Case(rectangle_name(rows, columns, Size))
        .whole("global_ld", 2 * sectors(rows * columns * Size))
        .whole("global_st", 2 * sectors(rows * columns * Size))
        .run([&] { return wideload::transpose_in_place(data.as<Blob<Size>>(), rows, columns); });
}

/// The same in panels of about so many bytes.
template <int Size>
void transpose_rectangle_in_panels(std::size_t rows, std::size_t columns, std::size_t bytes) {
    constexpr int kUnit = wideload::lowest_power_of_two(Size);
    const wideload::detail::PanelSize panel{bytes, 1};
    const auto grid = wideload::detail::rectangle_grid(rows, columns, Size, panel);
    const Moved moved = RectanglePanels<kUnit, Size / kUnit>(rows, columns, grid).moved();
    const std::size_t scratch_bytes =
        wideload::detail::in_place_scratch_size(rows, columns, Size, panel);
    Memory data(rows * columns * Size), scratch(scratch_bytes);
    Case(rectangle_name(rows, columns, Size) + ", " + std::to_string(grid.panels) + " panels")
        .exactly("global_ld", moved.read)
        .exactly("global_st", moved.written)
        .run([&] {
            return wideload::detail::dispatch_transpose_rectangle<Size>(
                data.as<void>(), rows, columns, 1, 0, panel,
                {scratch.as<void>(), scratch_bytes, false}, nullptr);
        });
}

/// Small matrices of 1- or 2-byte elements whose columns are gathered by words, out of place and in
/// place, shared among so many multiprocessors.
template <int Size>
void transpose_small_columns(std::size_t rows, std::size_t columns, std::size_t batch,
                             std::size_t multiprocessors, std::size_t offset = 0) {
    const std::size_t bytes = rows * columns * batch * Size;
    const wideload::detail::SmallColumns shape{static_cast<unsigned>(rows),
                                               static_cast<unsigned>(columns), Size};
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

inline void transposes() {
    transpose_whole<1>(512, 512);
    transpose_whole<2>(256, 384);
    transpose_whole<4>(256, 256);
    transpose_whole<1>(4224, 4096);  // larger tiles than of small matrices
    transpose_whole<2>(1536, 2112);
    transpose_whole<4>(1056, 1024);
    transpose_whole<8>(128, 128);
    transpose_whole<16>(128, 64);
    transpose_whole<12>(128, 128);
    transpose_whole<24>(64, 64);
    transpose_whole<36>(64, 64);
    transpose_whole<4>(1024, 3);
    transpose_whole<4>(8, 2048);
    transpose_whole<3>(128, 128);
    // Few rows or columns: by fields, or by pieces.
    transpose_whole<1>(4096, 3, 2);
    transpose_whole<1>(4, 4096, 2);
    transpose_whole<2>(2048, 2, 2);
    transpose_whole<2>(3, 2048, 2);
    transpose_whole<4>(1024, 4, 2);
    transpose_whole<8>(2, 1024, 2);
    transpose_whole<1>(4096, 5, 2);
    transpose_whole<1>(6, 4096, 2);
    transpose_whole<1>(4096, 8, 2);
    transpose_whole<2>(2048, 7, 2);
    transpose_whole<2>(12, 2048, 2);
    transpose_whole<2>(5, 2048, 2);
    transpose_whole<4>(1024, 6, 2);
    transpose_whole<4>(16, 1024, 2);
    transpose_whole<8>(1024, 12);
    transpose_whole<16>(5, 512);
    transpose_whole<12>(1024, 6, 2);
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
    transpose_staged_fields<1, 2>(9001, 2, 1);
    transpose_staged_fields<1, 3>(5077, 3, 0);
    transpose_staged_fields<1, 4>(4099, 2, 5);
    transpose_staged_fields<2, 2>(3001, 3, 2);
    transpose_staged_fields<2, 3>(5001, 2, 0);
    transpose_staged_fields<2, 4>(2501, 2, 6);
    // Many small matrices.
    transpose_whole<4>(4, 4, 1024);
    transpose_whole<4>(8, 8, 256);
    transpose_whole<4>(16, 16, 128);
    transpose_whole<4>(32, 32, 32);
    transpose_whole<8>(4, 4, 512);
    transpose_whole<8>(8, 8, 256);
    transpose_whole<8>(16, 16, 64);
    transpose_whole<16>(4, 4, 256);
    transpose_whole<2>(16, 16, 1100);
    transpose_whole<1>(32, 32, 600);
    // So few that they go by tiles, of which a matrix fills but a corner.
    transpose_whole<2>(16, 16, 128);
    transpose_whole<1>(32, 32, 64);
    transpose_whole<4>(16, 16, 64);
    transpose_whole<8>(16, 16, 64);
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
    transpose_few_small<3>(9, 11, 40);
    transpose_few_small<6>(11, 13, 40);
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
    transpose_small_columns<1>(20, 577, 3, 3, 7);
    transpose_small_columns<2>(25, 27, 1280, 1);
    transpose_small_columns<2>(17, 19, 40, 40, 2);
    transpose_small_columns<2>(30, 31, 64, 1);
    transpose_small_columns<2>(65, 67, 7, 1, 6);
    transpose_small_columns<2>(577, 5, 3, 3);
    transpose_small_columns<2>(7, 1001, 3, 3, 2);
    transpose_few_small<4>(9, 9, 40);
    transpose_few_small<4>(33, 31, 37);
    transpose_few_small<8>(17, 17, 40);
    transpose_few_small<12>(5, 7, 40);

    transpose_anywhere<4>(255, 257, 0);
    transpose_anywhere<4>(256, 256, 4);
    transpose_anywhere<8>(127, 129, 0);
    transpose_anywhere<4>(515, 555, 0);
    transpose_anywhere<8>(515, 515, 8);
    transpose_anywhere<16>(63, 65, 0);
    transpose_anywhere<12>(127, 129, 0);
    transpose_anywhere<3>(127, 129, 0);
    transpose_anywhere<5>(127, 129, 0);
    transpose_anywhere<7>(63, 65, 0);
    transpose_anywhere<10>(63, 65, 0);
    transpose_anywhere<1>(255, 257, 0);
    transpose_anywhere<2>(255, 257, 0);
    transpose_anywhere<4>(127, 129, 1);
    transpose_anywhere<1>(1801, 1803, 3);
    transpose_anywhere<1>(2403, 2405, 3);
    transpose_anywhere<1>(70, 50001, 0);
    transpose_anywhere<4>(1301, 1303, 4);
    transpose_anywhere<4>(50, 33001, 0);
    for (bool shifted : {false, true}) {
        transpose_by_tiles<1>(shifted, 255, 257, 0);
        transpose_by_tiles<1>(shifted, 291, 263, 5);
        transpose_by_tiles<2>(shifted, 255, 257, 0);
        transpose_by_tiles<2>(shifted, 341, 323, 6);
        transpose_by_tiles<4>(shifted, 255, 257, 0);
        transpose_by_tiles<4>(shifted, 515, 555, 0);
        transpose_by_tiles<8>(shifted, 127, 129, 0);
        transpose_by_tiles<8>(shifted, 515, 515, 8);
    }
    transpose_blocks<4>(577, 12, 3, 4);
    transpose_blocks<8>(11, 259, 3, 8);

    transpose_square<1>(256, 1, 0);
    transpose_square<2>(128, 2, 0);
    transpose_square<4>(256, 1, 0);
    transpose_square<8>(128, 1, 0);
    transpose_square<16>(64, 1, 0);
    transpose_square<12>(64, 1, 0);
    transpose_square<4>(255, 1, 0);
    transpose_square<8>(127, 1, 0);
    transpose_square<4>(128, 1, 4);
    transpose_square<1>(95, 1, 1);
    transpose_square<2>(127, 1, 2);
    transpose_squares_packed<1>();
    transpose_squares_packed<2>();
    transpose_square_rotated<4>(255, 0);
    transpose_square_rotated<4>(128, 4);
    transpose_square_rotated<4, wideload::tuning::LargeRotatedInPlaceTile>(511, 8);
    transpose_square_rotated<8>(127, 0);
    transpose_square<12>(63, 2, 0);
    transpose_square<3>(64, 1, 0);

    transpose_rectangle<4>(256, 384);
    transpose_rectangle<8>(128, 192);
    transpose_rectangle<1>(512, 768);
    transpose_rectangle_in_panels<4>(256, 384, 256 * 384);
    transpose_rectangle_in_panels<4>(384, 256, 256 * 384);
    transpose_rectangle_in_panels<4>(255, 1024, 300000);
    transpose_rectangle_in_panels<4>(331, 257, 100000);
    transpose_rectangle_in_panels<8>(128, 192, 60000);
    transpose_rectangle_in_panels<8>(129, 193, 60000);
    transpose_rectangle_in_panels<12>(96, 160, 50000);
    transpose_rectangle_in_panels<1>(510, 768, 100000);
    transpose_rectangle_in_panels<2>(256, 500, 50000);
}

}  // namespace counts
