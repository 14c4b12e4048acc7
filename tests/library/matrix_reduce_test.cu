// SPDX-License-Identifier: Apache-2.0
// `reduce_rows` and `reduce_columns` must combine every element of each row or column once, for any
// shape and alignment.
#include <wideload/device/matrix_reduce.cuh>

#include "support/elements.cuh"
#include "support/matrices.cuh"
#include "support/random.cuh"

namespace {

using test::GuardedBuffer;
using test::ThreeBytes;
using test::ThreeInts;

/// Numbers of which every sum is exact, and so the same in any order.
template <class T>
void fill_with_integers(GuardedBuffer& input) {
    for (std::size_t i = 0; i < input.size() / sizeof(T); ++i) {
        const T value = static_cast<int>(test::mix(i) % 201) - 100;
        std::memcpy(input.expected() + i * sizeof(T), &value, sizeof(T));
    }
    input.upload();
}

template <class T, class Result = long long, class Operation>
void both(std::size_t rows, std::size_t columns, std::size_t offset, Operation operation,
          const char* name) {
    GuardedBuffer input(rows * columns * sizeof(T), offset, 90);
    if constexpr (std::is_floating_point_v<T>) fill_with_integers<T>(input);
    const std::size_t results_offset = offset / sizeof(T) * sizeof(Result);
    GuardedBuffer row_results(rows * sizeof(Result), results_offset, 91);
    GuardedBuffer column_results(columns * sizeof(Result), results_offset, 92);
    const std::string what = std::string(name) + " of " + std::to_string(rows) + " x " +
                             std::to_string(columns) + " elements of " + std::to_string(sizeof(T)) +
                             " bytes at offset " + std::to_string(offset);
    auto* by_row = reinterpret_cast<Result*>(row_results.expected());
    auto* by_column = reinterpret_cast<Result*>(column_results.expected());
    const Result initial(3);
    std::fill_n(by_row, rows, initial);
    std::fill_n(by_column, columns, initial);
    for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t c = 0; c < columns; ++c) {
            T value;
            std::memcpy(&value, input.expected() + (r * columns + c) * sizeof(T), sizeof(T));
            by_row[r] = operation(by_row[r], static_cast<Result>(value));
            by_column[c] = operation(by_column[c], static_cast<Result>(value));
        }
    }
    test::expect_status(wideload::reduce_rows(input.as<const T>(), rows, columns,
                                              row_results.as<Result>(), operation, initial),
                        cudaSuccess, what);
    row_results.expect_equal("rows: " + what);
    test::expect_status(wideload::reduce_columns(input.as<const T>(), rows, columns,
                                                 column_results.as<Result>(), operation, initial),
                        cudaSuccess, what);
    column_results.expect_equal("columns: " + what);
}

template <class T>
void shapes() {
    const std::size_t all[][2] = {{1, 1},
                                  {1, 33},
                                  {33, 1},
                                  {2, 31},
                                  {31, 64},
                                  {100, 100},
                                  {7, 4096},
                                  {4096, 7},
                                  {3, 70001},
                                  {20011, 5},
                                  {513, 260},
                                  {64, 1025},
                                  // A row per thread; single columns; columns of few rows; thin
                                  // matrices in one block and in several; rows that begin anywhere.
                                  {300, 10},
                                  {131, 16},
                                  {129, 63},
                                  {130, 85},
                                  {5003, 1},
                                  {3, 140001},
                                  {4, 140000},
                                  {2, 170003},
                                  {270, 12320},
                                  {11, 3001},
                                  {70, 8200},
                                  {130, 17001},
                                  {4097, 2},
                                  {9001, 12},
                                  {70001, 5},
                                  {4099, 517}};
    for (const auto& [rows, columns] : all) {
        both<T>(rows, columns, 0, wideload::plus{}, "sum");
        both<T>(rows, columns, sizeof(T), wideload::maximum{}, "maximum");
    }
    for (std::size_t offset : {1, 3, 15}) both<T>(50, 129, offset, wideload::plus{}, "sum");
    test::random_cases(20, [](test::Random& random) {
        const auto [rows, columns, batch] = test::random_shape(random, sizeof(T));
        if (random.one_in(2)) {
            both<T>(rows, columns, random.offset(sizeof(T)), wideload::plus{}, "sum");
        } else {
            both<T>(rows, columns, random.offset(sizeof(T)), wideload::maximum{}, "maximum");
        }
    });
}

/// So many bytes that no words are whole ones of, and words that begin anywhere, go through shared
/// memory: rows as short as a lane's run, of several tiles, and more than there are warps.
void staged_rows() {
    for (std::size_t offset : {0, 1}) {
        both<ThreeBytes>(70013, 20, offset, wideload::plus{}, "sum");
        both<ThreeBytes>(14001, 101, offset, wideload::plus{}, "sum");
        both<ThreeBytes>(2100, 701, offset, wideload::plus{}, "sum");
    }
    both<int>(9001, 33, 1, wideload::plus{}, "sum");
    both<int>(2049, 1031, 3, wideload::maximum{}, "maximum");
}

/// Elements whose size is no power of two: few columns are an element a thread's in any order, too.
void few_columns_of_structs() {
    for (const std::size_t columns : {2, 3, 5, 16, 17}) {
        both<ThreeInts>(9001, columns, 0, wideload::plus{}, "sum");
        both<ThreeInts>(4099, columns, 4, wideload::plus{}, "sum");
    }
}

/// Wherever the elements begin, of all kinds of shapes.
template <class T, class Result = long long>
void offsets() {
    // Rows by the thread, some lanes, the warp, the block and in pieces, and by way of shared
    // memory; columns of few rows, by the block and in pieces, and as the range that they are.
    const std::size_t shapes[][2] = {{131, 10},  {61, 77},  {5, 1031},  {300, 33},
                                     {2, 12289}, {4099, 5}, {2111, 36}, {70, 260}};
    for (const auto& [rows, columns] : shapes) {
        for (std::size_t offset = 0; offset <= 16; ++offset)
            both<T, Result>(rows, columns, offset, wideload::plus{}, "sum");
    }
}

/// The largest results there are: the larger they are the fewer columns of bytes a lane has.
struct Many {
    int values[44];
    Many() = default;
    __host__ __device__ explicit Many(std::uint8_t first) {
        for (int i = 0; i < 44; ++i) values[i] = first * (i + 1);
    }
};
struct AddMany {
    __host__ __device__ Many operator()(Many a, const Many& b) const {
        for (int i = 0; i < 44; ++i) a.values[i] += b.values[i];
        return a;
    }
};

void contract() {
    GuardedBuffer buffer(4096, 0, 93);
    int* data = buffer.as<int>();
    int* null = nullptr;
    test::expect_status(wideload::reduce_rows(null, 0, 5, data, wideload::plus{}, 0), cudaSuccess,
                        "no rows");
    const auto misaligned = reinterpret_cast<int*>(buffer.as<char>() + 2050);
    test::expect_rejected(wideload::reduce_rows(data, 2, 2, misaligned, wideload::plus{}, 0),
                          "rows to a misaligned output");
    test::expect_rejected(wideload::reduce_columns(data, 2, 2, misaligned, wideload::plus{}, 0),
                          "columns to a misaligned output");
    test::expect_rejected(wideload::reduce_columns(null, 2, 2, data, wideload::plus{}, 0), "null");
    test::expect_rejected(wideload::reduce_columns(data, 4, 4, data + 8, wideload::plus{}, 0),
                          "overlap");
    test::expect_rejected(wideload::reduce_rows(null, 2, 2, data, wideload::plus{}, 0),
                          "rows of null");
    test::expect_rejected(wideload::reduce_rows(data, 2, 2, null, wideload::plus{}, 0),
                          "rows to null");
    test::expect_rejected(wideload::reduce_rows(data, 4, 4, data + 15, wideload::plus{}, 0),
                          "rows: overlap");
    test::expect_rejected(wideload::reduce_rows(data, SIZE_MAX / 8, 64, data, wideload::plus{}, 0),
                          "rows: too large");
    test::expect_rejected(wideload::reduce_columns(data, 2, 2, null, wideload::plus{}, 0),
                          "columns to null");
    test::expect_rejected(
        wideload::reduce_columns(data, 64, SIZE_MAX / 8, data, wideload::plus{}, 0),
        "columns: too large");
    buffer.expect_equal("a rejected reduction writes nothing");
    test::expect_status(wideload::reduce_rows(null, 5, 0, data, wideload::plus{}, 7), cudaSuccess,
                        "rows without columns");
    test::expect_status(wideload::reduce_columns(data, 0, 3, data + 5, wideload::plus{}, 9),
                        cudaSuccess, "columns without rows");
    const int given[] = {7, 7, 7, 7, 7, 9, 9, 9};
    std::memcpy(buffer.expected(), given, sizeof(given));
    buffer.expect_equal("nothing to combine gives the initial value");
}

/// More than 2^32 bytes in matrices of many rows and columns, of few of each.
void beyond_two_to_the_32() {
    for (auto [rows, columns] : {std::pair<std::size_t, std::size_t>{65537, 65551},
                                 {9, (std::size_t{1} << 29) + 3},
                                 {(std::size_t{1} << 29) + 3, 9}}) {
        test::LargeBuffer<std::uint8_t> input(rows * columns);
        test::LargeBuffer<long long> results(rows > columns ? rows : columns);
        // The element in row r and column c is r % 8 + c % 4.
        const auto remainders = [](std::size_t count, int modulus) {
            long long sum = 0;
            for (int i = 0; i < modulus; ++i) sum += (count - i + modulus - 1) / modulus * i;
            return sum;
        };
        const long long r = rows, c = columns, of_rows = remainders(rows, 8),
                        of_columns = remainders(columns, 4);
        test::generate(input.get(), rows * columns, [=] __device__(std::size_t i) {
            return (std::uint8_t)(i / c % 8 + i % c % 4);
        });
        const std::string what = test::shape(rows, columns, 1, 1);
        test::expect_status(
            wideload::reduce_rows(input.get(), rows, columns, results.get(), wideload::plus{}, 0ll),
            cudaSuccess, what);
        test::expect_values(
            results.get(), rows,
            [=] __device__(std::size_t i) { return of_columns + (long long)(i % 8) * c; },
            "sums of rows of " + what);
        test::expect_status(wideload::reduce_columns(input.get(), rows, columns, results.get(),
                                                     wideload::plus{}, 0ll),
                            cudaSuccess, what);
        test::expect_values(
            results.get(), columns,
            [=] __device__(std::size_t i) { return of_rows + (long long)(i % 4) * r; },
            "sums of columns of " + what);
    }
}

}  // namespace

int main(int argc, char** argv) {
    test::start(argc, argv);
    shapes<std::uint8_t>();
    shapes<std::int16_t>();
    shapes<std::int32_t>();
    shapes<long long>();
    // So many short rows that a thread takes several.
    both<std::uint8_t>(400003, 1, 0, wideload::plus{}, "sum");
    both<std::uint8_t>(290011, 3, 1, wideload::maximum{}, "maximum");
    both<std::int16_t>(560001, 2, 2, wideload::plus{}, "sum");
    both<std::int16_t>(290003, 3, 2, wideload::plus{}, "sum");
    // Rows by eight lanes each, with elements around their words; longer ones where they are many.
    for (const std::size_t offset : {0, 1, 2, 3}) {
        both<std::uint8_t>(261, 1001, offset, wideload::plus{}, "sum");
        both<std::int16_t>(33, 417, 2 * offset, wideload::maximum{}, "maximum");
        both<int>(35, 255, 4 * offset, wideload::plus{}, "sum");
        both<long long>(62, 101, 8 * offset, wideload::maximum{}, "maximum");
    }
    both<int>(8195, 287, 4, wideload::plus{}, "sum");
    both<int>(65539, 351, 0, wideload::plus{}, "sum");
    // Short rows of whole words in large matrices.
    both<int>(210001, 80, 0, wideload::plus{}, "sum");
    // A few rows of bytes by words that begin anywhere, and more of them by elements.
    for (const std::size_t offset : {0, 1, 7, 12}) {
        both<std::uint8_t>(14, 405511 + offset, offset, wideload::plus{}, "sum");
        both<std::uint8_t>(13, 405519, offset, wideload::maximum{}, "maximum");
    }
    both<std::uint8_t>(67, 135233, 3, wideload::plus{}, "sum");
    // Odd rows of bytes: four times 32 of them, or halves of four times 16.
    for (const std::size_t columns : {5, 13, 61, 255, 319, 321, 449, 575, 703}) {
        both<std::uint8_t>(260, columns, columns % 16, wideload::plus{}, "sum");
        both<std::uint8_t>(61, 2 * (columns / 2), 3, wideload::maximum{}, "maximum");
    }
    // Strips of columns of bytes, by words and by words that rows begin within, and bytes that have
    // signs, summed four at a time.
    for (const std::size_t columns : {4240, 4243}) {
        both<std::uint8_t>(720, columns, 0, wideload::plus{}, "sum");
        both<std::int8_t>(720, columns, 5, wideload::plus{}, "sum");
    }
    for (const std::size_t columns : {800, 9001}) {
        both<std::int8_t>(70, columns, 0, wideload::plus{}, "sum");
        both<std::int8_t>(3, columns, 3, wideload::plus{}, "sum");
    }
    few_columns_of_structs();
    // A few odd rows, of which lanes have several columns each.
    both<std::uint8_t>(5, 541003, 1, wideload::plus{}, "sum");
    both<std::int16_t>(3, 541003, 0, wideload::maximum{}, "maximum");
    both<int>(2, 541003, 4, wideload::plus{}, "sum");
    both<int>(513, 260, 0, cuda::maximum<>{}, "libcu++'s maximum");
    both<int>(64, 1025, 4, cuda::std::plus<>{}, "libcu++'s sum");
    staged_rows();
    for (const std::size_t columns : {9, 48, 1001}) {
        both<std::uint8_t, Many>(100, columns, 0, AddMany(), "176 bytes in order");
        both<std::uint8_t, Many>(100, columns, 0, wideload::commutative(AddMany()), "176 bytes");
    }
    offsets<std::uint8_t>();
    offsets<std::int16_t>();
    offsets<float, float>();
    offsets<double, double>();
    offsets<ThreeInts>();
    contract();
    if (test::state().full) beyond_two_to_the_32();
    return test::finish("matrix_reduce_test");
}
