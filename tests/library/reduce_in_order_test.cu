// SPDX-License-Identifier: Apache-2.0
// Operations that do not commute must meet the elements in their order, whatever the count, shape,
// alignment and element size. Every element of the groups here changes the result, and so does
// every exchange of two, nearly.
#include <wideload/device/matrix_reduce.cuh>
#include <wideload/device/reduce.cuh>

#include "support/random.cuh"

namespace {

using test::GuardedBuffer;

/// x → a x + b, with an odd a, so that none is lost modulo a power of two.
template <class Unsigned>
struct Affine {
    Unsigned a, b;
};
/// The one behind the other, the first one first.
struct Compose {
    template <class Unsigned>
    __host__ __device__ Affine<Unsigned> operator()(const Affine<Unsigned>& first,
                                                    const Affine<Unsigned>& then) const {
        const std::uint64_t a = first.a | 1u, b = first.b, c = then.a | 1u, d = then.b;
        return {static_cast<Unsigned>(a * c), static_cast<Unsigned>(b * c + d)};
    }
};

/// Upper triangular matrices with odd diagonals, and what the last one carries besides: elements
/// whose size is no power of two.
template <class Unsigned, int Carried>
struct Triangle {
    Unsigned a, b, c, carried[Carried];
};
template <class Unsigned>
struct Triangle<Unsigned, 0> {
    Unsigned a, b, c;
};
struct Multiply {
    template <class Unsigned, int Carried>
    __host__ __device__ Triangle<Unsigned, Carried> operator()(
        const Triangle<Unsigned, Carried>& x, const Triangle<Unsigned, Carried>& y) const {
        Triangle<Unsigned, Carried> both = y;
        const std::uint64_t a = x.a | 1u, b = x.b, c = x.c | 1u;
        both.a = static_cast<Unsigned>(a * (y.a | 1u));
        both.b = static_cast<Unsigned>(a * y.b + b * (y.c | 1u));
        both.c = static_cast<Unsigned>(c * (y.c | 1u));
        return both;
    }
};
using Triangle12 = Triangle<std::uint32_t, 0>;

/// A permutation of four things in a byte; of any other byte it is an exchange or a rotation, which
/// generate all.
struct Permutation {
    std::uint8_t places;

    Permutation() = default;
    __host__ __device__ explicit Permutation(std::uint8_t any) : places(any % 2 ? 0xe1 : 0x39) {}
};
struct Permute {
    __host__ __device__ Permutation operator()(const Permutation& first,
                                               const Permutation& then) const {
        Permutation both{};
        unsigned places = 0;
        for (int i = 0; i < 4; ++i)
            places |= (then.places >> (first.places >> 2 * i & 3) * 2 & 3) << 2 * i;
        both.places = static_cast<std::uint8_t>(places);
        return both;
    }
};

template <class T, class Result, class Operation>
Result fold(const unsigned char* elements, std::size_t count, std::size_t step, Operation operation,
            Result result) {
    for (std::size_t i = 0; i < count; ++i) {
        T value;
        std::memcpy(&value, elements + i * step * sizeof(T), sizeof(T));
        result = operation(result, static_cast<Result>(value));
    }
    return result;
}

template <class T>
std::string elements(std::size_t offset) {
    return " elements of " + std::to_string(sizeof(T)) + " bytes at offset " +
           std::to_string(offset);
}

template <class T, class Result, class Operation>
void range(std::size_t count, std::size_t offset, Operation operation, Result initial) {
    GuardedBuffer input(count * sizeof(T), offset, 60), output(sizeof(Result), 0, 61);
    const Result want = fold<T>(input.expected(), count, 1, operation, initial);
    std::memcpy(output.expected(), &want, sizeof(want));
    const std::string what = "in order: " + std::to_string(count) + elements<T>(offset);
    test::expect_status(
        wideload::reduce(input.as<const T>(), count, output.as<Result>(), operation, initial),
        cudaSuccess, what);
    output.expect_equal(what);
}

template <class T, class Result, class Operation>
void matrix(std::size_t rows, std::size_t columns, std::size_t offset, Operation operation,
            Result initial) {
    constexpr std::size_t kSize = sizeof(T);
    GuardedBuffer input(rows * columns * kSize, offset, 70);
    GuardedBuffer by_row(rows * sizeof(Result), 0, 71), by_column(columns * sizeof(Result), 0, 72);
    for (std::size_t r = 0; r < rows; ++r) {
        const Result want =
            fold<T>(input.expected() + r * columns * kSize, columns, 1, operation, initial);
        std::memcpy(by_row.expected() + r * sizeof(want), &want, sizeof(want));
    }
    for (std::size_t c = 0; c < columns; ++c) {
        const Result want =
            fold<T>(input.expected() + c * kSize, rows, columns, operation, initial);
        std::memcpy(by_column.expected() + c * sizeof(want), &want, sizeof(want));
    }
    const std::string what = " in order of " + std::to_string(rows) + " x " +
                             std::to_string(columns) + elements<T>(offset);
    test::expect_status(wideload::reduce_rows(input.as<const T>(), rows, columns,
                                              by_row.as<Result>(), operation, initial),
                        cudaSuccess, "rows" + what);
    by_row.expect_equal("rows" + what);
    test::expect_status(wideload::reduce_columns(input.as<const T>(), rows, columns,
                                                 by_column.as<Result>(), operation, initial),
                        cudaSuccess, "columns" + what);
    by_column.expect_equal("columns" + what);
}

template <class T, class Result, class Operation>
void random_ranges(Operation operation, Result initial) {
    test::random_cases(20, [&](test::Random& random) {
        const std::size_t count = random.length(test::random_bytes(random) / sizeof(T));
        range<T>(count, random.offset(sizeof(T)), operation, initial);
    });
}

template <class T, class Result, class Operation>
void ranges(Operation operation, Result initial) {
    for (std::size_t count : {0,   1,   2,   15,   31,   32,   33,   127,  128,   129,
                              509, 511, 513, 1023, 1025, 4093, 8191, 8193, 65537, 100003}) {
        range<T>(count, 0, operation, initial);
        range<T>(count, sizeof(T), operation, initial);
    }
    for (std::size_t offset = 1; offset <= 16; ++offset) range<T>(3001, offset, operation, initial);
    random_ranges<T>(operation, initial);
}

template <class Unsigned, int Carried>
void triangles() {
    using T = Triangle<Unsigned, Carried>;
    const T initial{3, 5, 7};
    for (std::size_t count : {1, 33, 511, 1025, 8191, 40001}) {
        range<T>(count, 0, Multiply{}, initial);
        range<T>(count, sizeof(T), Multiply{}, initial);
    }
    for (std::size_t offset : {1, 4, 8}) range<T>(3001, offset, Multiply{}, initial);
    // Rows that lanes have runs of, and rows of several tiles.
    matrix<T>(150, 61, 1, Multiply{}, initial);
    matrix<T>(2050, 83, 0, Multiply{}, initial);
    matrix<T>(7, 4096 / sizeof(T), 3, Multiply{}, initial);
    random_ranges<T>(Multiply{}, initial);
}

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

/// A tile for each warp of two blocks a multiprocessor; several for some warps and one more for
/// others; element by element, by more blocks than the last one has threads.
void many_blocks() {
    using Element = Affine<std::uint16_t>;
    for (std::size_t count : {(std::size_t{5} << 18) + 77, (std::size_t{9} << 18) + 3})
        range<Element>(count, 4, Compose{}, Element{1, 3});
    range<Element>((std::size_t{5} << 18) + 77, 1, Compose{}, Element{1, 3});
}

/// Whole tiles for all warps, with nothing before or behind them, and for all but the last block's
/// or the first one's: blocks of so many elements, whose lanes combine runs.
template <class Unsigned>
void whole_tiles() {
    using Element = Affine<Unsigned>;
    for (std::size_t block : {16384 / sizeof(Element), 32768 / sizeof(Element)}) {
        const std::size_t blocks = block * sizeof(Element) == 16384 ? 33 : 133;
        for (std::size_t count : {block * blocks, block * blocks + 1, block * blocks - 1})
            range<Element>(count, 0, Compose{}, Element{1, 3});
        range<Element>(block * 2 + 5, sizeof(Element) == 16 ? 0 : sizeof(Element), Compose{},
                       Element{1, 3});
    }
}

struct Sum {
    __host__ __device__ int operator()(int a, int b) const { return a + b; }
};

/// An operation that holds something, and of which it is known that it commutes.
struct SumFrom {
    int origin;
    __host__ __device__ int operator()(int a, int b) const { return a + b - origin; }
};

}  // namespace

template <>
struct wideload::is_commutative<SumFrom, int> : std::true_type {};

namespace {

/// What commutes is known of the library's operations and cuda::std's, and said of others.
void commuting() {
    using wideload::is_commutative;
    const auto said = wideload::commutative(Sum{});
    static_assert(is_commutative<wideload::plus, float>::value);
    static_assert(is_commutative<wideload::maximum, Triangle12>::value);
    static_assert(!is_commutative<Sum, int>::value);
    static_assert(is_commutative<std::remove_const_t<decltype(said)>, int>::value);
    static_assert(is_commutative<cuda::std::plus<>, int>::value);
    static_assert(is_commutative<cuda::std::bit_xor<unsigned>, unsigned>::value);
    static_assert(!is_commutative<cuda::std::multiplies<>, Triangle12>::value);
    static_assert(!is_commutative<cuda::std::minus<>, int>::value);
    for (std::size_t count : {0, 1, 1000, 70001}) {
        range<int>(count, 4, said, 5);
        range<int>(count, 4, cuda::std::bit_xor<>{}, 5);
        range<int>(count, 4, wideload::commutative(SumFrom{3}), 5);
        range<std::int8_t>(count, 4, wideload::commutative([] __host__ __device__(int a, int b) {
                               return a > b ? a : b;
                           }),
                           5);
    }
    matrix<int>(40, 1000, 0, said, 5);
}

/// A sum, and what tells it from anything that no elements make.
template <int Carried>
struct Marked {
    std::uint32_t sum, mark, carried[Carried];
};
template <>
struct Marked<0> {
    std::uint32_t sum, mark;
};
__device__ unsigned strangers;
struct AddMarked {
    template <int Carried>
    __device__ Marked<Carried> operator()(const Marked<Carried>& a,
                                          const Marked<Carried>& b) const {
        if (a.mark != ~a.sum || b.mark != ~b.sum) atomicAdd(&strangers, 1);
        Marked<Carried> both = b;
        both.sum = a.sum + b.sum;
        both.mark = ~both.sum;
        if constexpr (Carried != 0) {  // so that all of both is read
            for (int i = 0; i < Carried; ++i) both.carried[i] ^= a.carried[i];
        }
        return both;
    }
};

/// The same of a byte.
struct MarkedByte : Marked<0> {
    MarkedByte() = default;
    __host__ __device__ explicit MarkedByte(std::uint8_t byte)
        : Marked<0>{byte, ~std::uint32_t{byte}} {}
};
struct AddMarkedBytes {
    __device__ MarkedByte operator()(const MarkedByte& a, const MarkedByte& b) const {
        MarkedByte both;
        static_cast<Marked<0>&>(both) = AddMarked{}(a, b);
        return both;
    }
};

void make_element(std::size_t number, std::uint8_t* byte) {
    *byte = static_cast<std::uint8_t>(test::mix(number));
}
template <int Carried>
void make_element(std::size_t number, Marked<Carried>* element) {
    element->sum = static_cast<std::uint32_t>(test::mix(number));
    element->mark = ~element->sum;
}

/// What a user's operation gets is made of elements and the initial value alone: it may index
/// memory by them.
template <class T, class Result, class Operation>
void meets_elements_alone(std::size_t rows, std::size_t columns, std::size_t offset,
                          Operation operation) {
    const std::size_t count = rows * columns;
    std::vector<T> all(count);
    std::vector<std::uint32_t> sums(rows + columns + 1, 7);  // each row's, each column's, all
    for (std::size_t i = 0; i < count; ++i) {
        make_element(i, &all[i]);
        const std::uint32_t own = static_cast<Result>(all[i]).sum;
        sums[i / columns] += own;
        sums[rows + i % columns] += own;
        sums[rows + columns] += own;
    }
    const unsigned none = 0;
    unsigned met = 1;
    GuardedBuffer input(count * sizeof(T), offset, 80);
    test::require(
        cudaMemcpy(input.as<char>(), all.data(), count * sizeof(T), cudaMemcpyHostToDevice),
        "elements");
    GuardedBuffer output(sums.size() * sizeof(Result), 0, 81);
    test::require(cudaMemcpyToSymbol(strangers, &none, sizeof(none)), "strangers");
    const std::string what = std::to_string(rows) + " x " + std::to_string(columns) +
                             elements<T>(offset) + " meet elements alone";
    Result initial{};
    initial.sum = 7;
    initial.mark = ~7u;
    Result* const results = output.as<Result>();
    test::expect_status(
        wideload::reduce_rows(input.as<const T>(), rows, columns, results, operation, initial),
        cudaSuccess, what);
    test::expect_status(wideload::reduce_columns(input.as<const T>(), rows, columns, results + rows,
                                                 operation, initial),
                        cudaSuccess, what);
    test::expect_status(
        wideload::reduce(input.as<const T>(), count, results + rows + columns, operation, initial),
        cudaSuccess, what);
    std::vector<Result> got(sums.size());
    test::require(
        cudaMemcpy(got.data(), results, got.size() * sizeof(Result), cudaMemcpyDeviceToHost),
        "results");
    test::require(cudaMemcpyFromSymbol(&met, strangers, sizeof(met)), "strangers");
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < got.size(); ++i)
        wrong += got[i].sum != sums[i] || got[i].mark != ~sums[i];
    test::expect(wrong == 0, what + ": " + std::to_string(wrong) + " wrong sums");
    test::expect(met == 0, what + ": " + std::to_string(met) + " others");
}

template <class T, class Result, class Operation>
void meet_elements_alone() {
    for (const auto& [rows, columns] : {std::pair<std::size_t, std::size_t>{1, 1},
                                        {3, 11},
                                        {70, 37},
                                        {2100, 33},
                                        {530, 401},
                                        {4200, 13},
                                        {4200, 65},
                                        {37, 701},
                                        {61, 92},
                                        {62, 93},
                                        {5, 9001}}) {
        for (std::size_t offset : {0, 1, 4}) {
            meets_elements_alone<T, Result>(rows, columns, offset, Operation{});
            meets_elements_alone<T, Result>(rows, columns, offset,
                                            wideload::commutative(Operation{}));
        }
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
    for (const std::size_t columns : {65, 401}) {
        meets_elements_alone<std::uint8_t, MarkedByte>(kBytes / columns + 1, columns, 1,
                                                       AddMarkedBytes{});
    }
}

}  // namespace

int main(int argc, char** argv) {
    test::start(argc, argv);
    ranges<Affine<std::uint16_t>>(Compose{}, Affine<std::uint16_t>{1, 3});
    ranges<Affine<std::uint32_t>>(Compose{}, Affine<std::uint32_t>{1, 3});
    ranges<Affine<std::uint64_t>>(Compose{}, Affine<std::uint64_t>{1, 3});
    whole_tiles<std::uint16_t>();
    whole_tiles<std::uint32_t>();
    whole_tiles<std::uint64_t>();
    ranges<Triangle12>(Multiply{}, Triangle12{1, 5, 1});
    // By words of 16 bytes, an even number of them, of 8 and 4 bytes, and one by one.
    triangles<std::uint8_t, 0>();
    triangles<std::uint64_t, 0>();
    triangles<std::uint32_t, 5>();
    triangles<std::uint16_t, 8>();
    triangles<std::uint8_t, 16>();
    triangles<std::uint8_t, 34>();
    ranges<std::uint8_t>(Permute{}, Permutation(0));
    matrices<Affine<std::uint16_t>>(Compose{}, Affine<std::uint16_t>{1, 3});
    matrices<Triangle12>(Multiply{}, Triangle12{1, 5, 1});
    matrix<Triangle<std::uint64_t, 3>>(20, 333, 0, Multiply{}, Triangle<std::uint64_t, 3>{3, 5, 7});
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
    many_blocks();
    commuting();
    meet_elements_alone<std::uint8_t, MarkedByte, AddMarkedBytes>();
    meet_elements_alone<Marked<0>, Marked<0>, AddMarked>();
    meet_elements_alone<Marked<1>, Marked<1>, AddMarked>();
    meet_elements_alone<Marked<2>, Marked<2>, AddMarked>();
    meet_elements_alone<Marked<7>, Marked<7>, AddMarked>();
    return test::finish("reduce_in_order_test");
}
