// SPDX-License-Identifier: Apache-2.0
// `transpose` and its variants must move every element to its place for any shape, element size,
// batch and alignment.
#include <wideload/device/transpose.cuh>

#include "support/transposes.cuh"

#include <algorithm>

namespace {

using test::Blob;
using test::expect_transposed;
using test::GuardedBuffer;
using test::large;
using test::out_of_place;
using test::shape;
using test::square_in_place;
using test::transpose_on_host;

/// Each way through tiles for rows that begin anywhere, whatever the size.
template <int Size>
void by_tiles(std::size_t rows, std::size_t columns, std::size_t batch, std::size_t from = 0,
              std::size_t to = 0) {
    using T = wideload::detail::access_word_t<Size>;
    const auto expect = [&](const char* name, auto launch) {
        expect_transposed<Size>(name + std::string(" tiles"), rows, columns, batch, from, to,
                                [&](GuardedBuffer& input, GuardedBuffer& output) {
                                    return launch(input.as<const T>(), output.as<T>());
                                });
    };
    expect("shifted", [&](const T* input, T* output) {
        return wideload::detail::launch_transpose_shifted<T>(input, output, rows, columns, batch,
                                                             nullptr);
    });
    if (from % Size != 0 || to % Size != 0) return;
    if constexpr (Size <= 4) {
        constexpr std::size_t kWord = wideload::tuning::kShearedWordBytes;
        if (rows * Size % kWord == 0 && columns * Size % kWord == 0 && from % kWord == 0 &&
            to % kWord == 0) {
            expect("sheared", [&](const T* input, T* output) {
                return wideload::detail::launch_transpose_sheared<T>(
                    wideload::detail::plan_transpose<T>(input, output, rows, columns, batch),
                    nullptr);
            });
        }
    }
    if constexpr (Size <= 2) {
        using Tiles = wideload::tuning::PackedTiles<Size>;
        const auto expect_packed = [&](const char* name, auto tile) {
            expect(name, [&](const T* input, T* output) {
                return wideload::detail::launch_transpose_packed_with<T, decltype(tile)>(
                    input, output, rows, columns, batch, nullptr);
            });
        };
        expect_packed("few packed", typename Tiles::Few{});
        expect_packed("small packed", typename Tiles::Small{});
        expect_packed("large packed", typename Tiles::Large{});
        expect_packed("other large packed", typename Tiles::OtherLarge{});
    } else {
        expect("padded", [&](const T* input, T* output) {
            return wideload::detail::launch_transpose_padded<T, 1>(input, output, rows, columns,
                                                                   batch, nullptr);
        });
    }
    if constexpr (Size == 4 || Size == 8) {
        using SmallTile = wideload::tuning::SmallPaddedTile<Size>;
        expect("small padded", [&](const T* input, T* output) {
            return wideload::detail::launch_transpose_small_padded<SmallTile>(
                input, output, rows, columns, batch, nullptr);
        });
        expect("rotated", [&](const T* input, T* output) {
            return wideload::detail::launch_transpose_rotated<T>(input, output, rows, columns,
                                                                 batch, nullptr);
        });
    }
}

/// By tiles for rows that are whole 16-byte words, counted in 64 and in 32 bits.
template <int Size>
void by_words(std::size_t rows, std::size_t columns, std::size_t batch) {
    using T = wideload::detail::access_word_t<Size>;
    using Tile = wideload::tuning::SwizzledTile<Size>;
    using Load = wideload::tuning::TransposeLoadPolicy;
    const auto expect = [&](const char* name, auto launch) {
        expect_transposed<Size>(name + std::string(" tiles"), rows, columns, batch, 0, 0,
                                [&](GuardedBuffer& input, GuardedBuffer& output) {
                                    return launch(input.as<const T>(), output.as<T>());
                                });
    };
    for (bool across_first : {false, true}) {
        expect("swizzled", [&](const T* input, T* output) {
            return wideload::detail::launch_transpose_swizzled_with<T, Tile, Load>(
                wideload::detail::plan_transpose<T>(input, output, rows, columns, batch),
                across_first && wideload::detail::kSwizzledTilesTurn<T>, nullptr);
        });
    }
    expect("small swizzled", [&](const T* input, T* output) {
        return wideload::detail::launch_transpose_small_swizzled<Tile, Load>(
            input, output, rows, columns, batch, nullptr);
    });
}

/// Of every length of the last tile along the output: a sheared row may end before the tile begins.
template <int Size>
void tiles() {
    for (std::size_t rows = 113; rows <= 130; ++rows) by_tiles<Size>(rows, 41, 1);
    for (std::size_t rows = 250; rows <= 266; ++rows)
        by_tiles<Size>(rows, 39, 1, rows % 5, rows % 2 * Size);
    for (std::size_t rows = 257; rows <= 264; ++rows)
        by_tiles<Size>(rows, 380 + rows % 5, 1, rows % 3 * Size, rows % 2 * Size);
    for (std::size_t offset = 0; offset <= 16; ++offset) {
        by_tiles<Size>(71, 133, 2, offset, 0);
        by_tiles<Size>(133, 71, 2, 0, offset);
        by_tiles<Size>(260, 129, 1, offset, 16 - offset);
    }
    // The words that a batch begins and ends within hold several rows of few columns.
    for (std::size_t rows = 2; rows <= 6; ++rows) {
        for (std::size_t columns = 2; columns <= 6; ++columns)
            by_tiles<Size>(rows, columns, 1 + rows % 3, rows % 4 * Size, columns % 4 * Size);
    }
    by_tiles<Size>(61, 62, 2, 3 * Size, Size);
    by_words<Size>(16, 32, 3);
    by_words<Size>(144, 272, 2);
    by_tiles<Size>(33, 34, 3, 1, 2);
    by_tiles<Size>(321, 553, 2, Size, 0);
}

/// Rows of whole words of 8 bytes, which begin anywhere in sectors.
template <int Size>
void whole_words_of_8_bytes() {
    constexpr std::size_t kUnit = wideload::tuning::kShearedWordBytes / Size;
    constexpr std::size_t kRows = wideload::tuning::ShearedTile<Size>::kRows;
    constexpr std::size_t kColumns = wideload::tuning::ShearedTile<Size>::kColumns;
    for (std::size_t from : {0, 8, 24}) {
        for (std::size_t to : {0, 8, 16, 24}) {
            by_tiles<Size>(kRows + kUnit, kColumns - kUnit, 2, from, to);
            by_tiles<Size>(kRows * 3 / 2, kColumns + kUnit, 1, from, to);
        }
    }
    // Parts of a tile, and one row of words more and less than tiles write of a column.
    constexpr std::size_t kWidth =
        wideload::detail::ShearedTranspose<wideload::detail::access_word_t<Size>>::kWidth;
    for (std::size_t rows : {kUnit, kWidth - kUnit, kWidth, kWidth + kUnit, 2 * kWidth})
        by_tiles<Size>(rows, 3 * kUnit, 3, 8, rows % 16 == 0 ? 8 : 16);
}

/// 2, 3 or 4 rows or columns as structs at any address, by blocks of either size.
template <bool Small, class T>
cudaError_t transpose_as_fields(const T* input, T* output, std::size_t rows, std::size_t columns,
                                std::size_t batch) {
    const auto launch = [&](auto fields) {
        constexpr int kFields = decltype(fields)::value;
        using wideload::detail::launch_transpose_staged_fields;
        return rows >= columns ? launch_transpose_staged_fields<T, kFields, true, Small>(
                                     input, output, rows, batch, nullptr)
                               : launch_transpose_staged_fields<T, kFields, false, Small>(
                                     input, output, columns, batch, nullptr);
    };
    switch (std::min(rows, columns)) {
        case 2:
            return launch(std::integral_constant<int, 2>{});
        case 3:
            return launch(std::integral_constant<int, 3>{});
        default:
            return launch(std::integral_constant<int, 4>{});
    }
}

/// Few rows or columns by pieces, and 2, 3 or 4 of 1 or 2 bytes as fields, whatever the size.
template <int Size>
void by_pieces(std::size_t rows, std::size_t columns, std::size_t batch, std::size_t from,
               std::size_t to) {
    const auto expect = [&](const char* name, auto launch) {
        expect_transposed<Size>(name, rows, columns, batch, from, to,
                                [&](GuardedBuffer& input, GuardedBuffer& output) {
                                    return launch(input.as<const void>(), output.as<void>());
                                });
    };
    expect("pieces", [&](const void* input, void* output) {
        return wideload::detail::dispatch_transpose_narrow<Size>(
            {input, output, rows, columns, batch, Size}, nullptr);
    });
    if constexpr (Size <= 2) {
        using T = wideload::detail::access_word_t<Size>;
        if (std::min(rows, columns) > 4 || from % Size != 0 || to % Size != 0) return;
        expect("fields", [&](const void* input, void* output) {
            return transpose_as_fields<false>(static_cast<const T*>(input), static_cast<T*>(output),
                                              rows, columns, batch);
        });
        expect("fields by small blocks", [&](const void* input, void* output) {
            return transpose_as_fields<true>(static_cast<const T*>(input), static_cast<T*>(output),
                                             rows, columns, batch);
        });
    }
}

/// Few rows or columns, several matrices.
template <int Size>
void narrow() {
    for (std::size_t side : {2, 3, 4, 5, 6, 8, 16, 31}) {
        for (std::size_t length : {33, 1000, 1021, 4096}) {
            out_of_place<Size>(length, side, 2, 0, 0);
            out_of_place<Size>(side, length, 3, 0, 0);
            out_of_place<Size>(length, side, 3, side % 16, 5);
            out_of_place<Size>(side, length, 2, 1, side * 3 % 16);
            by_pieces<Size>(length, side, 3, side % 16, 5);
            by_pieces<Size>(side, length, 2, 1, side * 3 % 16);
            by_pieces<Size>(length, side, 2, Size, side % 4 * Size);
            by_pieces<Size>(side, length, 3, side % 5 * Size, 2 * Size);
        }
    }
    for (std::size_t offset = 0; offset <= 16; ++offset) {
        by_pieces<Size>(517 + offset, 12, 2, offset, 16 - offset);
        by_pieces<Size>(7, 530 - offset, 2, 16 - offset, offset);
        by_pieces<Size>(389, 3, 3, offset, offset);
        by_pieces<Size>(4, 407, 3, offset, offset);
    }
    by_pieces<Size>(5, 10007, 1, 0, 0);
    by_pieces<Size>(10007, 5, 1, 0, 0);
}

/// Of as many bytes across as pieces are for at most.
template <int Size>
void pieces_of_long(std::size_t narrow) {
    for (const std::size_t length : {700, 832}) {
        by_pieces<Size>(length, narrow, 1, 0, 0);
        by_pieces<Size>(narrow, length, 2, 0, 0);
        by_pieces<Size>(narrow, length, 1, Size, 3 * Size);
        by_pieces<Size>(length, narrow, 2, 1, 6);
    }
}

template <int Size>
void element_size() {
    const std::size_t shapes[][2] = {{1, 1},    {1, 37},   {37, 1},  {2, 1000},  {1000, 2},
                                     {3, 777},  {777, 3},  {4, 4},   {4, 516},   {516, 4},
                                     {8, 520},  {31, 33},  {64, 64}, {65, 63},   {128, 64},
                                     {132, 68}, {67, 260}, {100, 7}, {192, 256}, {257, 129}};
    for (const auto& [rows, columns] : shapes) out_of_place<Size>(rows, columns, 1);
    // Every length of the last tile along the output: a sheared row may end before the tile begins.
    for (std::size_t rows = 250; rows <= 266; ++rows)
        out_of_place<Size>(rows, 9, 1, 0, rows % 2 * Size);
    for (std::size_t rows = 113; rows <= 130; ++rows) out_of_place<Size>(rows, 11, 1);
    for (std::size_t offset : {1, 2, 3, 4, 8, 12, 15, 16}) {
        out_of_place<Size>(70, 90, 1, offset, 0);
        out_of_place<Size>(71, 91, 1, 0, offset);
        out_of_place<Size>(64, 96, 1, offset, offset);
    }
    out_of_place<Size>(4, 4, 1000);
    out_of_place<Size>(3, 5, 777);
    out_of_place<Size>(16, 8, 65);
    out_of_place<Size>(64, 64, 5);
    out_of_place<Size>(63, 65, 3, 0, Size);
    out_of_place<Size>(0, 5, 2);
    for (std::size_t size : {1, 2, 31, 32, 64, 65, 132, 200}) square_in_place<Size>(size, 1);
    square_in_place<Size>(36, 7);
    square_in_place<Size>(64, 2, 1);
    test::random_transposes<Size>();
}

/// Squares by the tiles of large ones.
template <int Size>
void square_by_tiles(std::size_t size, std::size_t batch, std::size_t offset) {
    using T = wideload::detail::access_word_t<Size>;
    const auto expect = [&](const char* name, auto launch) {
        GuardedBuffer data(size * size * batch * Size, offset, 46);
        const std::string what = name + (" tiles in place of " + shape(size, size, batch, Size)) +
                                 " at offset " + std::to_string(offset);
        test::expect_status(launch(data.as<T>()), cudaSuccess, what);
        transpose_on_host(data.expected(), size, size, batch, Size);
        data.expect_equal(what);
    };
    expect("padded", [&](T* data) {
        return wideload::detail::launch_in_place_any<T, 1>(data, size, batch, nullptr);
    });
    if constexpr (Size <= 2) {
        expect("packed", [&](T* data) {
            return wideload::detail::launch_in_place_packed_with<
                wideload::tuning::PackedInPlaceTile>(data, size, batch, nullptr);
        });
        expect("small packed", [&](T* data) {
            return wideload::detail::launch_in_place_packed_with<
                typename wideload::tuning::PackedTiles<Size>::Small>(data, size, batch, nullptr);
        });
    }
    if constexpr (Size <= 8) {
        expect("few small", [&](T* data) {
            return wideload::detail::launch_in_place_small_with<256>(data, size, batch, nullptr);
        });
        expect("small", [&](T* data) {
            return wideload::detail::launch_in_place_small_with<128>(data, size, batch, nullptr);
        });
    }
    if constexpr (Size == 4 || Size == 8) {
        expect("rotated", [&](T* data) {
            return wideload::detail::launch_in_place_rotated(data, size, batch, nullptr);
        });
    }
    if constexpr (Size == 4) {
        expect("large rotated", [&](T* data) {
            return wideload::detail::launch_in_place_rotated_with<
                wideload::tuning::LargeRotatedInPlaceTile>(data, size, batch, nullptr);
        });
    }
    if (size * Size % 16 != 0 || offset % 16 != 0) return;
    using Tile = wideload::tuning::InPlaceTile<Size>;
    expect("swizzled", [&](T* data) {
        return wideload::detail::launch_in_place_swizzled_with<Tile>(data, size, batch, nullptr);
    });
    expect("small swizzled", [&](T* data) {
        return wideload::detail::launch_in_place_small_swizzled_with<Tile>(data, size, batch,
                                                                           nullptr);
    });
}

/// Squares of odd rows that have tiles inside as well as at their edges.
template <int Size>
void inside_and_edges() {
    for (std::size_t size : {33, 64, 121, 144, 181, 251, 309})
        square_by_tiles<Size>(size, 1, size % 3 * Size);
    square_by_tiles<Size>(192, 2, 0);
    for (std::size_t size = 2; size <= 6; ++size)
        square_by_tiles<Size>(size, 1 + size % 3, size % 4 * Size);
    square_by_tiles<Size>(125, 3, 3 * Size);
    for (std::size_t size : {121, 181, 251, 309}) square_in_place<Size>(size, 1, size % 3 * Size);
    square_in_place<Size>(187, 2, Size);
}

void contract() {
    GuardedBuffer buffer(4096, 0, 43);
    float* data = buffer.as<float>();
    float* null = nullptr;
    test::expect_status(wideload::transpose(null, null, 0, 10), cudaSuccess, "empty");
    test::expect_rejected(wideload::transpose(null, data, 2, 2), "null input");
    test::expect_rejected(wideload::transpose(data, null, 2, 2), "null output");
    test::expect_rejected(wideload::transpose(data, data, 4, 4), "overlap");
    test::expect_rejected(wideload::transpose(data, data + 512, SIZE_MAX / 8, 64), "too large");
    test::expect_rejected(wideload::transpose_square_in_place(null, 3), "null in place");
    test::expect_rejected(wideload::transpose_square_in_place(data, std::size_t{1} << 33),
                          "in place: too large");
    test::expect_rejected(wideload::transpose_square_in_place(data, 64, SIZE_MAX / 64),
                          "in place: too many");
    test::expect_status(wideload::transpose_square_in_place(null, 0), cudaSuccess,
                        "in place: empty");
    buffer.expect_equal("a rejected transpose writes nothing");
}

/// Squares of more than 2^32 bytes: of aligned rows, and of rows that start anywhere.
template <class T>
void large_square(std::size_t size) {
    test::LargeBuffer<T> data(size * size);
    test::generate(data.get(), size * size,
                   [] __device__(std::size_t i) { return (T)test::mix(i); });
    test::expect_status(wideload::transpose_square_in_place(data.get(), size), cudaSuccess,
                        "large square");
    test::expect_values(
        data.get(), size * size,
        [=] __device__(std::size_t i) { return (T)test::mix(i % size * size + i / size); },
        "in-place transpose of " + shape(size, size, 1, sizeof(T)));
}

void large_matrices() {
    // More than 2^32 bytes, by the aligned and the sheared kernel.
    large<std::uint8_t>(65792, 65536);
    large<std::uint8_t>(65537, 65541);
    // More matrices than one grid has along z, and more than that of small ones.
    large<std::uint8_t>(251, 247, 70001);
    large<std::uint8_t>(33, 35, 4000001);
    // Of so many rows that tiles are counted across first, once more than a grid has along y.
    large<std::uint32_t>(100003, 1001);
    large<std::uint32_t>(100004, 1000);
    large<std::uint64_t>(60002, 601);
    large<std::uint8_t>(163856, 1632);
    large<std::uint16_t>(4300003, 66);
    // So few rows or columns that pieces are faster than tiles.
    large<std::uint8_t>(65, 160000);
    large<std::uint16_t>(1008, 129, 40);
    large<std::uint32_t>(100000, 50);
    // Whole words whose output rows end within sectors.
    large<std::uint32_t>(2900, 2900);
    large<std::uint64_t>(4098, 4098);
    large<std::uint8_t>(8208, 8208);
}

}  // namespace

int main(int argc, char** argv) {
    test::start(argc, argv);
    element_size<1>();
    element_size<2>();
    element_size<4>();
    element_size<8>();
    element_size<16>();
    element_size<3>();
    element_size<12>();
    element_size<20>();
    element_size<64>();
    // More than small tiles are for.
    out_of_place<1>(4112, 4096, 1);
    out_of_place<2>(1800, 1768, 1);
    out_of_place<4>(1028, 1060, 1);
    out_of_place<1>(1801, 1803, 1, 3, 5);
    out_of_place<1>(60, 55001, 1, 2, 1);
    out_of_place<2>(1601, 1703, 1, 2, 4);
    out_of_place<1>(2401, 2403, 1);
    out_of_place<2>(2301, 2303, 1);
    out_of_place<4>(1201, 1353, 1, 4, 8);
    // Words of 8 bytes that begin anywhere in sectors, one matrix and several.
    out_of_place<1>(1576, 1256, 1, 8, 16);
    out_of_place<2>(196, 256, 33);
    out_of_place<4>(1250, 1262, 1, 16, 8);
    tiles<1>();
    tiles<2>();
    tiles<4>();
    tiles<8>();
    tiles<16>();
    whole_words_of_8_bytes<1>();
    whole_words_of_8_bytes<2>();
    whole_words_of_8_bytes<4>();
    inside_and_edges<1>();
    inside_and_edges<2>();
    inside_and_edges<4>();
    inside_and_edges<8>();
    narrow<1>();
    narrow<2>();
    narrow<4>();
    narrow<8>();
    narrow<16>();
    narrow<3>();
    narrow<12>();
    pieces_of_long<1>(150);
    pieces_of_long<2>(132);
    pieces_of_long<4>(100);
    pieces_of_long<16>(29);
    pieces_of_long<3>(75);
    pieces_of_long<5>(43);
    pieces_of_long<6>(41);
    pieces_of_long<7>(34);
    pieces_of_long<20>(24);
    pieces_of_long<25>(13);
    out_of_place<1>(131073, 6, 1);
    out_of_place<1>(21, 49155, 2, 3, 1);
    out_of_place<1>(32769, 3, 3, 1, 2);
    out_of_place<2>(4, 49153, 2, 2, 4);
    out_of_place<4>(98307, 5, 1, 4, 8);
    out_of_place<3>(10007, 42, 1, 1, 2);
    out_of_place<36>(7, 10007, 1, 4, 8);
    square_in_place<8>(1266, 1);  // whole words, but not at lines
    // Of so many rows that tiles are counted across first.
    out_of_place<2>(54624, 136, 1);
    out_of_place<4>(54701, 65, 1, 4, 8);
    out_of_place<4>(42300, 93, 1, 4, 8);
    by_tiles<4>(8197, 187, 1, 4, 0);
    by_tiles<8>(8195, 125, 1, 0, 8);
    out_of_place<1>(82001, 250, 1, 1, 2);
    contract();
    if (test::state().full) {
        large_matrices();
        large_square<std::uint8_t>(65552);
        large_square<std::uint8_t>(65537);
        large_square<std::uint32_t>(32771);
        // Whole words that do not begin at lines.
        large_square<std::uint32_t>(8196);
        large_square<std::uint64_t>(4098);
        large_square<std::uint64_t>(2050);
    }
    return test::finish("transpose_test");
}
