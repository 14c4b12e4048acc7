// SPDX-License-Identifier: Apache-2.0
// Which way `transpose` takes for a shape: nothing is launched.
#include <wideload/device/transpose.cuh>

#include "support/transposes.cuh"

namespace {

using test::shape;

/// Which batches tiles may count in 32 bits: with 128 rows more of the input, and of the output.
void counts_in_32_bits() {
    const struct {
        std::size_t rows, columns, batch;
        bool counted;
    } cases[] = {
        {65000, 65000, 1, true},
        {65536, 65536, 1, false},
        {std::size_t{1} << 24, 64, 1, true},
        {std::size_t{1} << 25, 64, 1, false},
        {64, std::size_t{1} << 24, 1, true},
        {64, std::size_t{1} << 25, 1, false},
        {16, 16, std::size_t{1} << 23, true},
        {16, 16, std::size_t{1} << 24, false},
    };
    for (const auto& [rows, columns, batch, counted] : cases) {
        test::expect(wideload::detail::counts_in_32_bits(rows, columns, batch) == counted,
                     "32 bits for " + shape(rows, columns, batch, 1));
    }
}

/// Which matrices of whole words are large enough, and fill them enough, for sheared tiles.
void sheared_tiles() {
    const auto expect = [&](bool wanted, bool found, const char* what) {
        test::expect(wanted == found, std::string("sheared tiles: ") + what);
    };
    using wideload::detail::sheared_tiles_suit;
    expect(true, sheared_tiles_suit<float>(2900, 2900, 1), "large");
    expect(false, sheared_tiles_suit<float>(1004, 1004, 1), "small");
    expect(true, sheared_tiles_suit<float>(1004, 1004, 9), "small, but many");
    expect(false, sheared_tiles_suit<float>(300004, 36, 1), "few columns");
    expect(true, sheared_tiles_suit<double>(4098, 4098, 1), "doubles");
    expect(false, sheared_tiles_suit<std::uint16_t>(8200, 8200, 1), "halves never");
}

/// The same of words of 8 bytes.
template <class T>
void expect_sheared_words(bool wanted, std::size_t rows, std::size_t columns, std::size_t batch,
                          bool whole, bool at_sectors, const char* what, std::size_t gap = 0) {
    const std::size_t span = rows * (columns + gap);
    test::expect(wideload::detail::sheared_words_suit<T>(rows, columns, batch, span, whole,
                                                         at_sectors) == wanted,
                 std::string("sheared tiles of words of 8 bytes: ") + what);
}
void sheared_words() {
    expect_sheared_words<char>(true, 1576, 1256, 1, false, false, "bytes");
    expect_sheared_words<char>(false, 1000, 1000, 1, false, false, "small");
    expect_sheared_words<char>(true, 1000, 1000, 2, false, false, "small, but two");
    expect_sheared_words<char>(true, 256, 196 * 8, 50, false, true, "rows that are written whole");
    expect_sheared_words<char>(false, 4096, 4112, 1, true, true, "all whole");
    expect_sheared_words<char>(true, 4112, 4112, 1, true, false, "whole words of 16 bytes");
    expect_sheared_words<char>(false, 1264, 1264, 2, true, false, "fewer of them");
    expect_sheared_words<char>(false, 40, 100000, 1, false, false, "tiles mostly empty");
    expect_sheared_words<std::uint16_t>(true, 196, 256, 33, false, false, "halves");
    expect_sheared_words<std::uint16_t>(false, 60, 4068, 100, false, false, "half of each tile");
    expect_sheared_words<float>(true, 250, 250, 30, false, false, "floats");
    expect_sheared_words<float>(true, 60000, 60000, 1, false, false, "most that 32 bits count");
    expect_sheared_words<float>(false, 60000, 60000, 1, false, false, "apart, more", 12000);
    expect_sheared_words<float>(false, 70000, 70000, 1, false, false, "more than 32 bits count");
}

/// Which matrices whose rows lie apart go by whole 16-byte words.
template <class T>
void expect_words(bool wanted, std::size_t side, std::size_t pitch, std::size_t to_pitch,
                  std::size_t offset, const char* what) {
    alignas(32) static char data[64];
    const wideload::detail::PitchedMatrices matrices{data, data + offset, side,         side,
                                                     1,    {pitch, 0},    {to_pitch, 0}};
    test::expect(wideload::detail::go_by_words<T>(matrices) == wanted,
                 std::string("rows apart, by words: ") + what);
}
void rows_apart() {
    expect_words<float>(true, 2900, 2900, 2904, 0, "the output's rows begin at sectors");
    expect_words<float>(false, 2900, 2904, 2900, 0, "large, and they do not");
    expect_words<float>(false, 2900, 2904, 2904, 16, "large, all within one");
    expect_words<float>(true, 1004, 1008, 1004, 0, "small");
    expect_words<float>(false, 1004, 1005, 1008, 0, "rows of the input that begin anywhere");
    expect_words<float>(false, 1004, 1008, 1006, 0, "rows of the output that do");
    expect_words<float>(false, 1004, 1008, 1008, 4, "all that do");
    expect_words<char>(false, 6016, 6032, 6032, 0, "large, of bytes");
    expect_words<std::uint16_t>(true, 8200, 8208, 8200, 0, "large, of halves");
    expect_words<float4>(true, 3000, 3001, 3001, 0, "elements that are words");
}

/// Which matrices of few rows or columns go by pieces of them.
template <int Size>
void expect_pieces(bool wanted, std::size_t rows, std::size_t columns, std::size_t batch,
                   std::size_t offset, const char* what) {
    alignas(32) static char data[64];
    const wideload::detail::NarrowMatrices matrices{data,    data + offset, rows,
                                                    columns, batch,         Size};
    const bool found =
        wideload::detail::transpose_way<Size>(matrices) == wideload::detail::TransposeWay::pieces;
    test::expect(wanted == found, std::string("pieces: ") + what);
}
void pieces() {
    expect_pieces<1>(true, 65, 160000, 1, 0, "one row more than tiles have");
    expect_pieces<1>(false, 65, 80000, 1, 0, "the same of fewer bytes");
    expect_pieces<1>(false, 160001, 65, 1, 0, "columns that begin anywhere");
    expect_pieces<1>(false, 80, 160000, 1, 0, "whole words");
    expect_pieces<1>(false, 163, 160000, 1, 0, "more rows");
    expect_pieces<2>(true, 1008, 129, 40, 0, "columns of a batch");
    expect_pieces<2>(false, 400, 129, 100, 0, "not four times as long");
    expect_pieces<3>(true, 43, 100001, 1, 0, "structs wherever rows begin");
    expect_pieces<3>(false, 64, 100001, 1, 0, "which fill tiles");
    expect_pieces<6>(true, 33, 100001, 1, 0, "structs at multiples of 2");
    expect_pieces<6>(false, 33, 100001, 1, 3, "elsewhere");
    expect_pieces<16>(true, 10, 100000, 1, 0, "rows of words");
    expect_pieces<25>(true, 100000, 13, 1, 0, "large structs");
    // Small ones.
    expect_pieces<1>(true, 784, 5, 40000, 0, "so long that few lanes would gather");
    expect_pieces<1>(true, 256, 16, 4000, 0, "whole words as well");
    expect_pieces<1>(false, 256, 4, 40000, 0, "shorter, of fewer columns");
    expect_pieces<2>(false, 2, 400, 80000, 0, "wide, many");
    expect_pieces<2>(true, 2, 400, 2000, 0, "wide, fewer");
    expect_pieces<1>(false, 100, 24, 800, 0, "not whole words, and short");
    expect_pieces<1>(true, 100, 24, 290, 0, "few of those");
    expect_pieces<1>(true, 250, 24, 800, 0, "longer ones");
}

/// Which small matrices of 2 to 4 rows or columns go by fields, and which by elements.
void small_few() {
    using wideload::tuning::are_few_columns;
    using wideload::tuning::are_small_fields;
    constexpr std::size_t kFew = 4 << 20, kMany = 64 << 20;
    test::expect(are_small_fields(1, 400, 800, kFew), "small fields: few matrices");
    test::expect(!are_small_fields(1, 400, 1600, kMany), "small fields: many");
    test::expect(are_small_fields(1, 784, 2352, kMany), "small fields: many of 784 × 3");
    test::expect(!are_small_fields(2, 512, 1024, kFew), "small fields: short halves");
    test::expect(are_few_columns(1, 196, 3, kMany), "by elements: 3 columns");
    test::expect(!are_few_columns(1, 256, 3, kMany), "by elements: 3 of whole words");
    test::expect(!are_few_columns(1, 196, 5, kFew), "by elements: 5 columns, few");
    test::expect(are_few_columns(1, 196, 5, kMany), "by elements: 5 columns, many");
    test::expect(!are_few_columns(1, 196, 4, kMany), "by elements: 4 columns");
    test::expect(are_few_columns(2, 450, 4, kMany), "by elements: 4 long columns");
    test::expect(!are_few_columns(4, 196, 2, kMany), "by elements: floats have another limit");
}

}  // namespace

int main(int argc, char** argv) {
    test::start(argc, argv);
    counts_in_32_bits();
    sheared_tiles();
    sheared_words();
    rows_apart();
    pieces();
    small_few();
    return test::finish("transpose_choices_test");
}
