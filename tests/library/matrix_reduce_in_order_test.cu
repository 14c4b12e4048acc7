// SPDX-License-Identifier: Apache-2.0
// Rows and columns whose operation does not commute must meet their elements in order, whatever the
// shape, alignment and element size.
#include "support/in_order.cuh"

namespace {

using test::Affine;
using test::Compose;
using test::matrix;
using test::Multiply;
using test::Permutation;
using test::Permute;
using test::Triangle;
using test::Triangle12;

template <class T, class Result, class Operation>
void matrices(Operation operation, Result initial) {
    const std::size_t shapes[][2] = {
        {1, 1},
        {1, 33},
        {33, 1},
        {2, 31},
        {40, 100},
        // Rows by the thread, the warp, the block and in pieces; by words and by elements.
        {130, 10},
        {129, 63},
        {130, 64},
        {20, 333},
        {5, 3000},
        {2, 20001},
        // Columns by the block and in pieces, by words, few and very few of them.
        {513, 68},
        {4099, 37},
        {4100, 32},
        {5001, 12},
        {5001, 5},
        {5003, 3}};
    for (const auto& [rows, columns] : shapes) {
        matrix<T>(rows, columns, 0, operation, initial);
        if (rows < 1000) matrix<T>(rows, columns, sizeof(T), operation, initial);
    }
    matrix<T>(50, 129, 1, operation, initial);
    matrix<T>(4099, 3, 1, operation, initial);
    test::random_cases(20, [&](test::Random& random) {
        const auto [rows, columns, batch] = test::random_shape(random, sizeof(T));
        matrix<T>(rows, columns, random.offset(sizeof(T)), operation, initial);
    });
}

/// Wherever the elements begin, of all kinds of shapes.
template <class T, class Result, class Operation>
void offsets(Operation operation, Result initial) {
    const std::size_t shapes[][2] = {{131, 10},  {61, 77},   {5, 1031},  {300, 33},
                                     {2, 12289}, {4103, 17}, {2111, 12}, {2111, 36}};
    for (const auto& [rows, columns] : shapes) {
        for (std::size_t offset = 0; offset <= 16; ++offset)
            matrix<T>(rows, columns, offset, operation, initial);
    }
}

/// Rows by eight lanes each: whole words and others, more and longer ones where they are many.
template <class Unsigned>
void rows_by_lanes() {
    using T = Affine<Unsigned>;
    const T initial{1, 3};
    constexpr std::size_t kMost = 768 / sizeof(T);
    for (const std::size_t columns : {kMost / 2, kMost - 3, kMost - 1, kMost}) {
        matrix<T>(35, columns, 0, Compose{}, initial);
        matrix<T>(261, columns, sizeof(T), Compose{}, initial);
    }
    matrix<T>(8195, 1201 / sizeof(T), 0, Compose{}, initial);
    if (sizeof(T) == 4) matrix<T>(24577, 515, sizeof(T), Compose{}, initial);
}

/// Short rows of vectors of 8 and 16 bytes, which begin at those or not.
template <class T, class Result, class Operation>
void rows_of_vectors(Operation operation, Result initial) {
    for (const std::size_t bytes : {8, 16, 24, 32, 48, 64, 112, 128, 192, 320, 384, 600}) {
        for (const std::size_t offset : {std::size_t{0}, std::size_t{8}, sizeof(T)})
            matrix<T>(261, bytes / sizeof(T), offset, operation, initial);
    }
}

/// Columns of more rows than a block has: few of them, of which a warp has several rows, and more.
template <class T, class Result, class Operation>
void long_columns(Operation operation, Result initial) {
    for (const std::size_t columns :
         {2, 11, 12, 13, 16, 17, 20, 31, 33, 44, 48, 63, 64, 100, 112, 128, 257, 319, 321, 401}) {
        matrix<T>(4103, columns, columns % 3 * sizeof(T), operation, initial);
        if (columns < 20) matrix<T>(21001, columns, columns % 5 * sizeof(T), operation, initial);
    }
}

/// As many as are few, and more, of elements that are read byte by byte and of whole ones.
template <class Unsigned>
void few_columns() {
    using T = Affine<Unsigned>;
    constexpr std::size_t kCount = (std::size_t{2} << 20) / sizeof(T);
    for (const std::size_t columns : {17, 24, 25, 33, 45, 64, 65, 80, 96, 97}) {
        matrix<T>(kCount / columns + 1, columns, 0, Compose{}, T{1, 3});
        matrix<T>(kCount / columns + 1, columns, 1, Compose{}, T{1, 3});
    }
}

/// Columns of so many bytes that they are read by words, wherever rows begin.
void columns_by_words() {
    constexpr std::size_t kBytes = std::size_t{4} << 20;
    for (const std::size_t columns : {17, 33, 64, 100, 257, 319, 401}) {
        matrix<std::uint8_t>(kBytes / columns + 3, columns, columns % 5, Permute{}, Permutation(0));
    }
}

}  // namespace

int main(int argc, char** argv) {
    test::start(argc, argv);
    matrices<Affine<std::uint16_t>>(Compose{}, Affine<std::uint16_t>{1, 3});
    matrices<Triangle12>(Multiply{}, Triangle12{1, 5, 1});
    using Triangle24 = Triangle<std::uint64_t, 0>;
    matrix<Triangle24>(20, 333, 0, Multiply{}, test::initial_triangle<Triangle24>());
    // Rows of structs whose words change lanes, by warps and by blocks.
    for (std::size_t offset : {0, 1, 3}) {
        const Triangle<std::uint8_t, 0> initial{3, 5, 7};
        matrix<Triangle<std::uint8_t, 0>>(4099, 1100, offset, Multiply{}, initial);
        matrix<Triangle<std::uint8_t, 0>>(5, 14003, offset, Multiply{}, initial);
    }
    matrix<Triangle12>(4099, 333, 12, Multiply{}, Triangle12{1, 5, 1});
    matrix<Triangle12>(3, 5003, 4, Multiply{}, Triangle12{1, 5, 1});
    matrices<std::uint8_t>(Permute{}, Permutation(0));
    // So many short rows that a thread takes several.
    matrix<std::uint8_t>(290011, 3, 1, Permute{}, Permutation(0));
    // Columns of few rows.
    matrix<Affine<std::uint16_t>>(3, 140001, 0, Compose{}, Affine<std::uint16_t>{1, 3});
    matrix<Affine<std::uint16_t>>(4, 140000, 0, Compose{}, Affine<std::uint16_t>{1, 3});
    for (const std::size_t offset : {0, 5})
        matrix<std::uint8_t>(14, 405511, offset, Permute{}, Permutation(0));
    offsets<std::uint8_t>(Permute{}, Permutation(0));
    offsets<Affine<std::uint8_t>>(Compose{}, Affine<std::uint8_t>{1, 3});
    offsets<Affine<std::uint16_t>>(Compose{}, Affine<std::uint16_t>{1, 3});
    offsets<Affine<std::uint32_t>>(Compose{}, Affine<std::uint32_t>{1, 3});
    offsets<Triangle12>(Multiply{}, Triangle12{1, 5, 1});
    rows_of_vectors<std::uint8_t>(Permute{}, Permutation(0));
    rows_of_vectors<Affine<std::uint8_t>>(Compose{}, Affine<std::uint8_t>{1, 3});
    rows_by_lanes<std::uint8_t>();
    rows_by_lanes<std::uint16_t>();
    rows_by_lanes<std::uint32_t>();
    rows_by_lanes<std::uint64_t>();
    long_columns<std::uint8_t>(Permute{}, Permutation(0));
    long_columns<Affine<std::uint8_t>>(Compose{}, Affine<std::uint8_t>{1, 3});
    long_columns<Affine<std::uint16_t>>(Compose{}, Affine<std::uint16_t>{1, 3});
    long_columns<Affine<std::uint32_t>>(Compose{}, Affine<std::uint32_t>{1, 3});
    few_columns<std::uint8_t>();
    few_columns<std::uint16_t>();
    few_columns<std::uint32_t>();
    columns_by_words();
    return test::finish("matrix_reduce_in_order_test");
}
