// SPDX-License-Identifier: Apache-2.0
// Batches of small matrices, which blocks take whole, must be transposed for any shape, element
// size, batch and alignment, whatever their lanes lie along.
#include "support/transposes.cuh"

#include <array>

namespace {

using test::GuardedBuffer;
using test::out_of_place;
using test::square_in_place;

/// Batches that go by whole matrices, several or one to a block, and those that go by tiles.
template <int Size>
void blocks() {
    for (auto [rows, columns, batch] : {std::array<std::size_t, 3>{61, 63, 3},
                                        {31, 31, 70},
                                        {9, 7, 1000},
                                        {577, 11, 5},
                                        {6, 901, 5},
                                        {16, 16, 300},
                                        {24, 24, 600},
                                        {48, 48, 90},
                                        {50, 50, 800},
                                        {47, 43, 1100}}) {
        out_of_place<Size>(rows, columns, batch);
        out_of_place<Size>(rows, columns, batch, Size, 3 * Size);
        out_of_place<Size>(rows, columns, batch, 5, 2);
    }
    square_in_place<Size>(17, 600);
    for (std::size_t size : {16, 32}) square_in_place<Size>(size, 100);
    for (std::size_t size : {33, 50, 63, 90}) {
        square_in_place<Size>(size, 5);
        square_in_place<Size>(size, 5, 3);
    }
}

/// By whole matrices, however many: among so many multiprocessors, of which many leave a block but
/// one matrix and one leaves it all that fit.
template <int Size>
void whole_matrices(std::size_t rows, std::size_t columns, std::size_t batch,
                    std::size_t multiprocessors, std::size_t from, std::size_t to) {
    using wideload::detail::dispatch_transpose_small;
    const std::string name =
        "whole matrices among " + std::to_string(multiprocessors) + ", transpose";
    test::expect_transposed<Size>(
        name, rows, columns, batch, from, to, [&](GuardedBuffer& input, GuardedBuffer& output) {
            return dispatch_transpose_small<Size>(input.as<void>(), output.as<void>(), rows,
                                                  columns, batch, nullptr, multiprocessors);
        });
    GuardedBuffer data(rows * columns * batch * Size, from, 43);
    const std::string what = name + " in place of " + test::shape(rows, columns, batch, Size) +
                             " at offset " + std::to_string(from);
    test::expect_status(dispatch_transpose_small<Size>(data.as<void>(), data.as<void>(), rows,
                                                       columns, batch, nullptr, multiprocessors),
                        cudaSuccess, what);
    test::transpose_on_host(data.expected(), rows, columns, batch, Size);
    data.expect_equal(what);
}

template <int Size>
void random_matrices() {
    test::random_cases(20, [](test::Random& random) {
        const std::size_t most = random.size((std::size_t{4} << 10) / Size);
        const std::size_t rows = random.length(most), columns = random.rounded(most / rows);
        const std::size_t batch = random.size(test::random_bytes(random) / Size) / most + 1;
        whole_matrices<Size>(rows, columns, batch, random.size(batch + 10), random.offset(Size),
                             random.offset(Size));
    });
}

/// Columns that begin at any byte of a word, matrices that end at any, groups of columns that
/// several matrices share, words of two columns, and rows that are the bank's again.
template <int Size>
void every_shape() {
    for (auto [rows, columns] : {std::array<std::size_t, 2>{2, 2},
                                 {2, 5},
                                 {3, 2},
                                 {3, 3},
                                 {4, 6},
                                 {5, 7},
                                 {8, 12},
                                 {17, 19},
                                 {20, 18},
                                 {31, 33},
                                 {7, 100},
                                 {100, 9},
                                 {63, 62},
                                 {64, 64}}) {
        for (std::size_t batch : {1, 3, 21}) {
            for (std::size_t multiprocessors : {1, 5}) {
                whole_matrices<Size>(rows, columns, batch, multiprocessors, 0, 0);
                whole_matrices<Size>(rows, columns, batch, multiprocessors, Size, 3 * Size);
                whole_matrices<Size>(rows, columns, batch, multiprocessors, 5, 2);
            }
        }
    }
    for (std::size_t offset = 0; offset <= 16; ++offset) {
        whole_matrices<Size>(11, 13, 9, 2, offset, 0);
        whole_matrices<Size>(13, 10, 9, 1, 0, offset);
        whole_matrices<Size>(9, 11, 40, 3, offset, 16 - offset);
    }
    // As large as a block takes.
    const std::size_t columns = 32768 / (128 * Size);
    whole_matrices<Size>(128, columns, 2, 1, 0, 0);
    whole_matrices<Size>(127, columns, 2, 1, Size, 0);
    whole_matrices<Size>(3, 32768 / (3 * Size), 2, 1, 0, Size);
    // As many as make lanes that lie from one to the next.
    whole_matrices<Size>(5, 5, 700, 1, 0, 0);
    whole_matrices<Size>(5, 6, 300, 1, Size, 2 * Size);
    whole_matrices<Size>(8, 8, 150, 1, 0, 0);
    random_matrices<Size>();
}

/// Structs of no whole words, which are gathered by the words that they lie in: matrices of so many
/// columns that lanes have banks of their own or that fewer gather, of few rows and of many, which
/// begin and end at any byte.
template <int Size>
void every_struct() {
    for (auto [rows, columns] :
         {std::array<std::size_t, 2>{2, 3}, {3, 20}, {6, 21}, {5, 5}, {9, 10}, {17, 19}, {23, 3}}) {
        for (std::size_t batch : {1, 4, 37}) {
            whole_matrices<Size>(rows, columns, batch, 1, 0, 0);
            whole_matrices<Size>(rows, columns, batch, 3, 5, 2);
        }
    }
    for (std::size_t offset = 0; offset <= 16; ++offset)
        whole_matrices<Size>(7, 9, 11, 2, offset, 16 - offset);
    random_matrices<Size>();
    // By blocks, as there are many, of more than small matrices' bytes.
    const std::size_t side = Size < 9 ? 40 : Size < 16 ? 24 : 17;
    out_of_place<Size>(side, side + 1, Size > 16 ? 1030 : 410, 1, 3);
    out_of_place<Size>(side * 2, side - 2, 410);
}

}  // namespace

int main(int argc, char** argv) {
    test::start(argc, argv);
    blocks<1>();
    blocks<2>();
    blocks<4>();
    blocks<8>();
    blocks<12>();
    every_shape<1>();
    every_shape<2>();
    every_shape<3>();
    every_shape<4>();
    every_shape<8>();
    every_struct<5>();
    every_struct<6>();
    every_struct<7>();
    every_struct<9>();
    every_struct<10>();
    every_struct<15>();
    every_struct<17>();
    every_struct<26>();
    every_struct<43>();
    every_struct<63>();
    return test::finish("transpose_small_test");
}
