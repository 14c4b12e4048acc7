// SPDX-License-Identifier: Apache-2.0
// Transposes in place must move every element to its place wherever the matrices begin, whatever
// they go through.
#include "support/transposes.cuh"

namespace {

using test::in_panels;
using test::rectangle_in_place;
using test::square_in_place;

template <int Size>
void offsets() {
    for (std::size_t offset = 0; offset <= 16; ++offset) {
        // Pairs of tiles, of rows that are whole words and others, one matrix and several to a
        // block.
        square_in_place<Size>(64, 1, offset);
        square_in_place<Size>(97, 2, offset);
        square_in_place<Size>(12, 40, offset);
        square_in_place<Size>(17, 33, offset);
        // Rectangles in a block's shared memory, out of place and back, and in panels.
        rectangle_in_place<Size>(24, 40, 3, offset);
        rectangle_in_place<Size>(31, 33, 5, offset);
        rectangle_in_place<Size>(130, 74, 1, offset);
        in_panels<Size>(60, 84, 60 * 84 * Size / 4, offset);
        in_panels<Size>(97, 53, 97 * 53 * Size / 5, offset);
    }
}

/// Panels that blocks hold where elements are at multiples of their size, rows an odd number of
/// them or whole words.
template <int Size>
void held_offsets() {
    constexpr std::size_t kRows = 192, kColumns = 16 / Size * 80;
    for (std::size_t offset = 0; offset <= 16; ++offset) {
        in_panels<Size>(kRows, kColumns, kRows * kColumns * Size / 3, offset, 1, 24);
        in_panels<Size>(kRows + 5, kColumns + 1, kRows * kColumns * Size / 3, offset, 1, 24);
    }
}

}  // namespace

int main(int argc, char** argv) {
    test::start(argc, argv);
    offsets<1>();
    offsets<2>();
    offsets<4>();
    offsets<8>();
    offsets<12>();
    held_offsets<1>();
    held_offsets<4>();
    return test::finish("transpose_in_place_alignment_test");
}
