// SPDX-License-Identifier: Apache-2.0
// Operations that do not commute must meet the elements in their order, whatever the count, shape,
// alignment and element size. Every element of the groups here changes the result, and so does
// every exchange of two, nearly.
#include "support/commuting.cuh"
#include "support/in_order.cuh"

namespace {

using test::Affine;
using test::Compose;
using test::elements;
using test::GuardedBuffer;
using test::matrix;
using test::Multiply;
using test::Permutation;
using test::Permute;
using test::random_ranges;
using test::range;
using test::SumFrom;
using test::Triangle;
using test::Triangle12;

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
    const T initial = test::initial_triangle<T>();
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

/// Structs by way of shared memory, of which every warp has tiles whose lanes are combined
/// together, and some one more or the last one, which is no whole one.
///
/// @tparam Warps  of their blocks
template <class Unsigned, int Carried, int Warps = 4>
void several_staged_tiles() {
    using T = Triangle<Unsigned, Carried>;
    using Runs = wideload::detail::ReduceRuns<T, T, Multiply>;
    static_assert(Runs::kWarps == Warps && Runs::kRows > 1);
    constexpr std::size_t kTogether = Runs::kRows;
    const std::size_t warps = 2 * test::multiprocessors() * Runs::kWarps;
    const std::size_t tiles = warps * kTogether + warps / 3;
    range<T>(tiles * Runs::kElements + 5, sizeof(T), Multiply{}, test::initial_triangle<T>());
}

struct Sum {
    __host__ __device__ int operator()(int a, int b) const { return a + b; }
};

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

/// Columns of so many bytes that they are read by words, wherever rows begin.
void columns_by_words_meet_elements_alone() {
    constexpr std::size_t kBytes = std::size_t{4} << 20;
    for (const std::size_t columns : {65, 401}) {
        meets_elements_alone<std::uint8_t, MarkedByte>(kBytes / columns + 1, columns, 1,
                                                       AddMarkedBytes{});
    }
}

/// More bytes than 32 bits count, and more elements.
void beyond_two_to_the_32() {
    constexpr std::size_t kCount = std::size_t{1} << 32;
    using Element = Affine<std::uint16_t>;
    test::large_range<Element>(kCount / sizeof(Element) + 99, 4, Compose{}, Element{1, 3});
    test::large_range<std::uint8_t>(kCount + 99, 1, Permute{}, Permutation(0));
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
    many_blocks();
    several_staged_tiles<std::uint8_t, 0>();
    several_staged_tiles<std::uint64_t, 0>();
    several_staged_tiles<std::uint32_t, 6>();
    several_staged_tiles<std::uint32_t, 12>();
    several_staged_tiles<std::uint8_t, 14>();
    several_staged_tiles<std::uint8_t, 30, 3>();
    several_staged_tiles<std::uint8_t, 45, 2>();
    commuting();
    meet_elements_alone<std::uint8_t, MarkedByte, AddMarkedBytes>();
    columns_by_words_meet_elements_alone();
    meet_elements_alone<Marked<0>, Marked<0>, AddMarked>();
    meet_elements_alone<Marked<1>, Marked<1>, AddMarked>();
    meet_elements_alone<Marked<2>, Marked<2>, AddMarked>();
    meet_elements_alone<Marked<7>, Marked<7>, AddMarked>();
    if (test::state().full) beyond_two_to_the_32();
    return test::finish("reduce_in_order_test");
}
