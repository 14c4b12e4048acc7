// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/transpose.cuh>

#include "case.cuh"
#include "packed_sectors.cuh"
#include "shifted_sectors.cuh"
#include "transpose_sectors.cuh"

/// transpose out of place, by tiles or by whatever the size calls for.
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

/// That so much is moved of one matrix, `what` with its sizes, by `run`.
template <class Run>
void expect_moved(const std::string& what, const Matrix& matrix, const Moved& moved, Run run) {
    Case(what + " of " + std::to_string(matrix.rows) + " × " + std::to_string(matrix.columns) +
         " elements of " + std::to_string(matrix.size) + " bytes, " +
         std::to_string(matrix.offset) + " past a line")
        .exactly("global_ld", moved.read)
        .exactly("global_st", moved.written)
        .run(run);
}

/// Rows that begin anywhere in sectors.
template <int Size>
void transpose_anywhere(std::size_t rows, std::size_t columns, std::size_t offset) {
    const Matrix matrix{rows, columns, Size, offset};
    const Moved moved = move_anywhere<Size>(matrix);
    Memory from(matrix.bytes(), offset), to(matrix.bytes(), offset);
    expect_moved("transpose", matrix, moved, [&] {
        return wideload::transpose(from.as<Blob<Size>>(), to.as<Blob<Size>>(), rows, columns);
    });
}

/// The same by one of the ways, whatever the size.
template <int Size>
void transpose_by_tiles(bool shifted, std::size_t rows, std::size_t columns, std::size_t offset) {
    using T = wideload::detail::access_word_t<Size>;
    const Matrix matrix{rows, columns, Size, offset};
    Memory from(matrix.bytes(), offset), to(matrix.bytes(), offset);
    const auto expect = [&](const std::string& name, const Moved& moved, auto run) {
        expect_moved(name + " tiles", matrix, moved, run);
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
            expect(name, move_packed_by<T, decltype(tile)>(matrix), [&] {
                return wideload::detail::launch_transpose_packed_with<T, decltype(tile)>(
                    from.as<T>(), to.as<T>(), rows, columns, 1, nullptr);
            });
        };
        using Tiles = wideload::tuning::PackedTiles<Size>;
        expect_packed("few packed", typename Tiles::Few{});
        expect_packed("small packed", typename Tiles::Small{});
        expect_packed("large packed", typename Tiles::Large{});
        expect_packed("other large packed", typename Tiles::OtherLarge{});
    } else {
        expect("padded", move_by_units<Size, 1>(matrix), [&] {
            return wideload::detail::launch_transpose_padded<T, 1>(from.as<T>(), to.as<T>(), rows,
                                                                   columns, 1, nullptr);
        });
    }
}

/// What `transpose` with pitches goes by.
template <int Size>
Moved move_pitched(const Matrix& from) {
    constexpr int kUnit = wideload::lowest_power_of_two(Size);
    if constexpr (wideload::detail::kMayBeGrouped<Size>) {
        if (from.offset % kUnit == 0 && wideload::detail::prefers_grouped_tiles<Size>(
                                            from.rows, from.columns, 1, from.columns + from.gap,
                                            from.rows + from.transposed_gap))
            return WordTiles::moved(from, WordTile::grouped<Size>());
    }
    if constexpr (kUnit != Size || Size > kWordBytes) {
        constexpr int kWord = kUnit < kWordBytes ? kUnit : kWordBytes;
        return from.offset % kWord == 0 ? move_by_units<kWord, Size / kWord>(from)
                                        : move_by_units<1, Size>(from);
    } else {
        using T = wideload::detail::access_word_t<Size>;
        const Matrix to = from.transposed();
        bool words = from.offset % kWordBytes == 0;
        for (const std::size_t elements : {from.columns, from.gap, to.columns, to.gap})
            words = words && elements * Size % kWordBytes == 0;
        if (words) return move_swizzled<T>(from);
        if constexpr (Size <= 8) {
            using Small = wideload::tuning::SmallPitchedTile<Size>;
            if (from.offset % Size == 0 && from.bytes() <= Small::kMostBytes)
                return {from.by_parts(Small::kHeight, kLanes * Size),
                        to.by_parts(Small::kWidth, kLanes * Size)};
        }
        if constexpr (Size == 4 || Size == 8) {
            if (from.offset % Size == 0) return move_rotated<T>(from);
        }
        return move_shifted<T>(from);
    }
}

template <int Size>
void transpose_pitched(std::size_t rows, std::size_t columns, std::size_t gap, std::size_t to_gap,
                       std::size_t offset = 0) {
    const Matrix matrix{rows, columns, Size, offset, gap, to_gap};
    Memory from(matrix.span(), offset), to(matrix.transposed().span(), offset);
    expect_moved("with pitches " + std::to_string(columns + gap) + " and " +
                     std::to_string(rows + to_gap) + ", transpose",
                 matrix, move_pitched<Size>(matrix), [&] {
                     return wideload::transpose(from.as<Blob<Size>>(), columns + gap,
                                                to.as<Blob<Size>>(), rows + to_gap, rows, columns);
                 });
}

inline void transposes_pitched() {
    transpose_pitched<1>(256, 512, 64, 32);
    transpose_pitched<1>(255, 257, 3, 5, 1);
    transpose_pitched<1>(1025, 1031, 3, 5, 1);
    transpose_pitched<2>(256, 128, 8, 24);
    transpose_pitched<2>(255, 257, 7, 1);
    transpose_pitched<2>(255, 257, 7, 1, 1);
    transpose_pitched<4>(256, 256, 32, 32);
    transpose_pitched<4>(256, 128, 4, 12);
    transpose_pitched<4>(65, 67, 3, 2);
    transpose_pitched<4>(515, 555, 6, 1);
    transpose_pitched<4>(1283, 1285, 6, 1);
    transpose_pitched<4>(127, 129, 6, 1, 2);
    transpose_pitched<8>(128, 128, 16, 16);
    transpose_pitched<8>(515, 515, 1, 4, 8);
    transpose_pitched<8>(2049, 2051, 1, 4);
    transpose_pitched<16>(64, 65, 1, 2);
    transpose_pitched<16>(64, 65, 1, 2, 4);
    transpose_pitched<12>(127, 129, 1, 2);
    transpose_pitched<12>(63, 65, 1, 2, 2);
    transpose_pitched<3>(127, 129, 1, 3);
    transpose_pitched<3>(1001, 903, 1, 3);
    transpose_pitched<3>(1024, 1024, 64, 2, 1);
    transpose_pitched<6>(1205, 1107, 3, 1, 2);
    transpose_pitched<64>(33, 35, 1, 3);
}

/// Rows of whole words of 8 bytes, which begin anywhere in sectors, whatever the size.
template <int Size>
void transpose_sheared(std::size_t rows, std::size_t columns, std::size_t offset,
                       std::size_t gap = 0, std::size_t to_gap = 0) {
    using T = wideload::detail::access_word_t<Size>;
    const Matrix matrix{rows, columns, Size, offset, gap, to_gap};
    Memory from(matrix.span(), offset), to(matrix.transposed().span(), offset);
    const auto plan =
        wideload::detail::plan_transpose<T>(from.as<T>(), to.as<T>(), rows, columns, 1);
    const bool apart = gap != 0 || to_gap != 0;
    expect_moved(apart ? "sheared tiles, rows apart," : "sheared tiles", matrix,
                 move_sheared<T>(matrix), [&] {
                     if (!apart)
                         return wideload::detail::launch_transpose_sheared<T>(plan, nullptr);
                     const wideload::detail::PitchedPlan<T> pitched{
                         plan, {columns + gap, 0}, {rows + to_gap, 0}};
                     return wideload::detail::launch_transpose_sheared<T>(pitched, nullptr);
                 });
}
inline void transposes_sheared() {
    transpose_sheared<1>(520, 264, 0);
    transpose_sheared<1>(264, 520, 8);
    transpose_sheared<1>(264, 520, 24, 8, 48);
    transpose_sheared<2>(260, 516, 0);
    transpose_sheared<2>(516, 260, 8);
    transpose_sheared<2>(260, 260, 16, 12, 4);
    transpose_sheared<4>(130, 258, 0);
    transpose_sheared<4>(258, 130, 8);
    transpose_sheared<4>(130, 130, 24, 2, 6);
}

/// Elements that are no whole words by words of 4 bytes.
template <int Size>
void transpose_grouped(std::size_t rows, std::size_t columns, std::size_t offset) {
    const Matrix matrix{rows, columns, Size, offset};
    const Moved moved = WordTiles::moved(matrix, WordTile::grouped<Size>());
    Memory from(matrix.bytes(), offset), to(matrix.bytes(), offset);
    expect_moved("grouped tiles", matrix, moved, [&] {
        return wideload::detail::launch_transpose_grouped<Size>(
            from.as<Blob<Size>>(), to.as<Blob<Size>>(), rows, columns, 1, nullptr);
    });
}
template <int Size>
void transposes_grouped() {
    transpose_grouped<Size>(129, 71, 0);
    transpose_grouped<Size>(251, 93, Size % 2 == 0 ? 6 : 3);
    transpose_grouped<Size>(252, 96, 0);
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
    transpose_anywhere<3>(621, 1283, 5);
    transposes_pitched();
    transposes_sheared();
    transposes_grouped<3>();
    transposes_grouped<5>();
    transposes_grouped<6>();
    transposes_grouped<7>();
    transposes_grouped<9>();
    transposes_grouped<10>();
    transposes_grouped<13>();
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
}

}  // namespace counts
