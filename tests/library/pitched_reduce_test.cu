// SPDX-License-Identifier: Apache-2.0
// `reduce_rows` and `reduce_columns` of matrices whose rows lie apart must combine the rows'
// elements, in order where the operation need not commute, and nothing of what lies between.
#include <wideload/device/span.cuh>

#include <cuda/std/mdspan>

#include "support/elements.cuh"
#include "support/in_order.cuh"

namespace {

using test::Affine;
using test::Compose;
using test::GuardedBuffer;
using test::Multiply;
using test::Permutation;
using test::Permute;
using test::ThreeBytes;
using test::ThreeInts;
using test::Triangle12;

template <class T, class Result, class Operation>
void matrix(std::size_t rows, std::size_t columns, std::size_t pitch, std::size_t offset,
            Operation operation, Result initial) {
    test::expect_matrix<T>(
        rows, columns, pitch,
        " of " + std::to_string(rows) + " x " + std::to_string(columns) + ", " +
            std::to_string(pitch) + " apart," + test::elements<T>(offset),
        offset, operation, initial, [&](bool by_rows, const T* input, Result* output) {
            return by_rows ? wideload::reduce_rows(input, pitch, rows, columns, output, operation,
                                                   initial)
                           : wideload::reduce_columns(input, pitch, rows, columns, output,
                                                      operation, initial);
        });
}

/// Rows by some lanes, the warp, the block and in pieces; columns by the block and in pieces, few
/// of them and very few; by words, where rows are such, and by elements.
template <class T, class Result, class Operation>
void shapes(Operation operation, Result initial) {
    const std::size_t all[][2] = {{1, 9},      {33, 1},    {2, 31},    {40, 100},  {130, 10},
                                  {129, 63},   {20, 333},  {5, 3000},  {2, 20001}, {513, 68},
                                  {4099, 37},  {4100, 32}, {5001, 3},  {9001, 16}, {9001, 17},
                                  {3, 170003}, {11, 3001}, {2300, 520}};
    constexpr std::size_t kWord = 16;
    for (const auto& [rows, columns] : all) {
        const std::size_t words = (columns + kWord - 1) / kWord * kWord;
        matrix<T>(rows, columns, columns + 1, 0, operation, initial);
        matrix<T>(rows, columns, words + kWord, sizeof(T), operation, initial);
        if (rows * columns < 100000) matrix<T>(rows, words, words + kWord, 0, operation, initial);
    }
    for (std::size_t offset = 1; offset <= 16; ++offset) {
        matrix<T>(61, 77, 80, offset, operation, initial);
        matrix<T>(300, 12, 17, offset, operation, initial);
        matrix<T>(64, 48, 64, offset, operation, initial);
        matrix<T>(300, 5, 80, offset, operation, initial);
        matrix<T>(133, 21, 160, offset, operation, initial);
    }
    test::random_cases(12, [&](test::Random& random) {
        const auto [rows, columns, batch] = test::random_shape(random, sizeof(T));
        matrix<T>(rows, columns, columns + 1 + random.length(100), random.offset(sizeof(T)),
                  operation, initial);
    });
}

/// Rows that only large matrices have staged as a range or by their words: of whole words, of bytes
/// of which every fourth is a lane's or two lanes', and of more than 256 bytes.
void many_short_rows() {
    matrix<int>(60000, 20, 32, 0, wideload::plus{}, 3ll);
    matrix<int>(60000, 20, 48, 4, wideload::plus{}, 3ll);
    matrix<signed char>(70000, 150, 171, 1, wideload::plus{}, 3ll);
    matrix<unsigned char>(17000, 260, 341, 3, Permute{}, Permutation(0));
    matrix<Affine<std::uint32_t>>(200, 35, 38, 0, Compose{}, Affine<std::uint32_t>{1, 3});
}

void mdspans() {
    using extents = cuda::std::dextents<std::size_t, 2>;
    constexpr std::size_t kRows = 37, kColumns = 61, kPitch = 70;
    GuardedBuffer input(kRows * kPitch * 4, 0, 80), rows(kRows * 4, 0, 81);
    const auto view = [&](std::size_t pitch, std::size_t step) {
        return cuda::std::mdspan<const int, extents, cuda::std::layout_stride>(
            input.as<const int>(),
            cuda::std::layout_stride::mapping<extents>(
                extents(kRows, kColumns), cuda::std::array<std::size_t, 2>{pitch, step}));
    };
    const cuda::std::span<int> sums(rows.as<int>(), kRows);
    for (std::size_t r = 0; r < kRows; ++r) {
        const int want =
            test::fold<int>(input.expected() + r * kPitch * 4, kColumns, 1, wideload::plus{}, -5);
        std::memcpy(rows.expected() + r * 4, &want, 4);
    }
    test::expect_status(wideload::reduce_rows(view(kPitch, 1), sums, wideload::plus{}, -5),
                        cudaSuccess, "rows of an mdspan that lie apart");
    rows.expect_equal("rows of an mdspan that lie apart");
    GuardedBuffer columns(kColumns * 4, 0, 82);
    for (std::size_t c = 0; c < kColumns; ++c) {
        const int want =
            test::fold<int>(input.expected() + c * 4, kRows, kPitch, wideload::plus{}, -5);
        std::memcpy(columns.expected() + c * 4, &want, 4);
    }
    const cuda::std::span<int> column_sums(columns.as<int>(), kColumns);
    test::expect_status(
        wideload::reduce_columns(view(kPitch, 1), column_sums, wideload::plus{}, -5), cudaSuccess,
        "columns of an mdspan whose rows lie apart");
    columns.expect_equal("columns of an mdspan whose rows lie apart");
    test::expect_rejected(wideload::reduce_rows(view(1, kRows), sums, wideload::plus{}, 0),
                          "rows of a column-major mdspan");
    test::expect_rejected(wideload::reduce_rows(view(kColumns - 1, 1), sums, wideload::plus{}, 0),
                          "rows of an mdspan that overlap");
    test::expect_rejected(wideload::reduce_rows(view(kPitch, 1), column_sums, wideload::plus{}, 0),
                          "more results than rows");
}

void contract() {
    GuardedBuffer buffer(65536, 0, 83);
    int* const data = buffer.as<int>();
    int* const other = data + 8192;
    int* const null = nullptr;
    constexpr std::size_t kMuch = SIZE_MAX / 8;
    struct {
        const int* input;
        std::size_t pitch, rows, columns;
        int* output;
        const char* what;
    } const cases[] = {
        {null, 9, 4, 4, other, "a null input"},
        {data, 9, 4, 4, null, "a null output"},
        {data, 3, 4, 4, other, "rows that overlap"},
        {data, 0, 4, 4, other, "a pitch of none"},
        {data, kMuch, 9, 4, other, "an input past the address space"},
        {data, 90, 4, 4, data + 50, "an output between rows"},
        {data, 90, 4, 4, data + 273, "an output at the last row's end"},
        {data, 9, 4, 4, reinterpret_cast<int*>(buffer.as<char>() + 40001), "a misaligned output"}};
    for (const auto& [input, pitch, rows, columns, output, what] : cases) {
        test::expect_rejected(
            wideload::reduce_rows(input, pitch, rows, columns, output, wideload::plus{}, 0),
            std::string("rows: ") + what);
        test::expect_rejected(
            wideload::reduce_columns(input, pitch, rows, columns, output, wideload::plus{}, 0),
            std::string("columns: ") + what);
    }
    test::expect_status(wideload::reduce_rows(null, 9, 0, 4, null, wideload::plus{}, 0),
                        cudaSuccess, "no rows");
    test::expect_status(wideload::reduce_columns(null, 9, 4, 0, null, wideload::plus{}, 0),
                        cudaSuccess, "no columns");
    buffer.expect_equal("a rejected call writes nothing");
    GuardedBuffer results(16, 0, 84);
    const int initial[] = {7, 7, 7, 7};
    std::memcpy(results.expected(), initial, 16);
    test::expect_status(
        wideload::reduce_rows(null, 9, 4, 0, results.as<int>(), wideload::plus{}, 7), cudaSuccess,
        "rows without columns");
    results.expect_equal("rows without columns");
}

struct Bytes {
    __host__ __device__ std::uint8_t operator()(std::size_t i) const {
        return static_cast<std::uint8_t>(test::mix(i));
    }
};
/// The sum of `count` such bytes, `step` apart, from number i * `apart` on.
struct Sum {
    std::size_t count, step, apart;
    __host__ __device__ unsigned operator()(std::size_t i) const {
        unsigned sum = 0;
        for (std::size_t k = 0; k < count; ++k) sum += Bytes{}(i * apart + k * step);
        return sum;
    }
};

void beyond_two_to_the_32() {
    constexpr std::size_t kRows = 6, kColumns = 1003, kPitch = (std::size_t{1} << 30) + 7;
    constexpr std::size_t kCount = (kRows - 1) * kPitch + kColumns;
    test::LargeBuffer<std::uint8_t> input(kCount);
    test::generate(input.get(), kCount, Bytes{});
    test::LargeBuffer<unsigned> output(kColumns);
    test::expect_status(wideload::reduce_rows(input.get(), kPitch, kRows, kColumns, output.get(),
                                              wideload::plus{}, 0u),
                        cudaSuccess, "rows far apart");
    test::expect_values(output.get(), kRows, Sum{kColumns, 1, kPitch}, "rows far apart");
    test::expect_status(wideload::reduce_columns(input.get(), kPitch, kRows, kColumns, output.get(),
                                                 wideload::plus{}, 0u),
                        cudaSuccess, "columns of rows far apart");
    test::expect_values(output.get(), kColumns, Sum{kRows, kPitch, 1}, "columns of rows far apart");
}

}  // namespace

int main(int argc, char** argv) {
    test::start(argc, argv);
    shapes<signed char>(wideload::plus{}, 3ll);
    shapes<short>(wideload::maximum{}, -30000ll);
    shapes<int>(wideload::plus{}, 3ll);
    shapes<long long>(wideload::maximum{}, 3ll);
    shapes<ThreeBytes>(wideload::plus{}, 3ll);
    shapes<ThreeInts>(wideload::plus{}, 3ll);
    shapes<Triangle12>(wideload::commutative(test::AddAll{}), test::initial_triangle<Triangle12>());
    shapes<Affine<std::uint8_t>>(Compose{}, Affine<std::uint8_t>{1, 3});
    shapes<Affine<std::uint32_t>>(Compose{}, Affine<std::uint32_t>{1, 3});
    shapes<Triangle12>(Multiply{}, test::initial_triangle<Triangle12>());
    many_short_rows();
    mdspans();
    contract();
    if (test::state().full) beyond_two_to_the_32();
    return test::finish("pitched_reduce_test");
}
