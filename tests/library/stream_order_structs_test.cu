// SPDX-License-Identifier: Apache-2.0
// As stream_order_test.cu has it, of what does not commute and of structs, at multiples of their
// size and elsewhere: reductions in order and by way of shared memory, short rows and few columns,
// transposes of structs, and interleaving at any address.
#include "support/chains.cuh"
#include "support/in_order.cuh"
#include "support/matrices.cuh"

namespace {

using test::AddAll;
using test::Affine;
using test::Blob;
using test::Compose;
using test::Multiply;
using test::Triangle;
using test::Triangle12;
using test::chains::bytes_of;
using test::chains::kAddIndex;
using test::chains::kCount;
using test::chains::Kind;
using test::chains::kScale;
using test::chains::kSide;
using test::chains::Memory;
using test::chains::require;
using test::chains::State;

constexpr std::size_t kBytes = kCount * 4;
using Pair = Affine<std::uint16_t>;
using Triangle3 = Triangle<std::uint8_t, 0>;

/// An array of type T that begins at byte `byte` of the memory.
template <class T>
T* at(std::uint32_t* memory, std::size_t byte) {
    return reinterpret_cast<T*>(reinterpret_cast<char*>(memory) + byte);
}

/// All elements from byte `Byte` of the state on. Their result takes the place of one.
template <class T, class Operation, std::size_t Byte>
constexpr Kind reduction() {
    constexpr std::size_t kElements = (kBytes - Byte) / sizeof(T), kPlace = Byte + 7 * sizeof(T);
    return {[](const Memory& m, cudaStream_t stream) {
                T* const result = at<T>(m.sums, 0);
                require(wideload::reduce(at<const T>(m.state, Byte), kElements, result, Operation{},
                                         T{}, m.scratch, Memory::kScratchBytes, stream));
                require(wideload::copy(result, at<T>(m.state, kPlace), 1, stream));
            },
            [](State& state) {
                const T result =
                    test::fold<T>(bytes_of(state) + Byte, kElements, 1, Operation{}, T{});
                std::memcpy(bytes_of(state) + kPlace, &result, sizeof(T));
            }};
}

/// Rows of so many columns, or their columns. The results take the place of the first elements.
template <class T, class Result, class Operation, std::size_t Byte, std::size_t Columns,
          bool OfRows>
constexpr Kind matrix_reduction() {
    constexpr std::size_t kRows = (kBytes - Byte) / sizeof(T) / Columns;
    constexpr std::size_t kResults = OfRows ? kRows : Columns;
    return {[](const Memory& m, cudaStream_t stream) {
                const auto* const input = at<const T>(m.state, Byte);
                auto* const results = at<Result>(m.other, 0);
                require(OfRows ? wideload::reduce_rows(input, kRows, Columns, results, Operation{},
                                                       Result{}, stream)
                               : wideload::reduce_columns(input, kRows, Columns, results,
                                                          Operation{}, Result{}, stream));
                require(wideload::copy(results, at<Result>(m.state, Byte), kResults, stream));
            },
            [](State& state) {
                unsigned char* const first = bytes_of(state) + Byte;
                std::vector<Result> results(kResults);
                for (std::size_t i = 0; i < kResults; ++i) {
                    results[i] = test::fold<T>(first + i * (OfRows ? Columns : 1) * sizeof(T),
                                               OfRows ? Columns : kRows, OfRows ? 1 : Columns,
                                               Operation{}, Result{});
                }
                std::memcpy(first, results.data(), kResults * sizeof(Result));
            }};
}
template <class T, class Operation, std::size_t Byte, std::size_t Columns, class Result = T>
constexpr Kind rows() {
    return matrix_reduction<T, Result, Operation, Byte, Columns, true>();
}
template <class T, class Operation, std::size_t Byte, std::size_t Columns, class Result = T>
constexpr Kind columns() {
    return matrix_reduction<T, Result, Operation, Byte, Columns, false>();
}

/// To byte `Byte` of the other memory, and as they are there back.
template <int Size, std::size_t Byte, std::size_t Rows, std::size_t Columns, std::size_t Batch = 1>
constexpr Kind transposition() {
    constexpr std::size_t kElements = Rows * Columns * Batch;
    static_assert(kElements * Size <= kBytes && Byte <= 4);
    return {
        [](const Memory& m, cudaStream_t stream) {
            auto* const state = at<Blob<Size>>(m.state, 0);
            auto* const other = at<Blob<Size>>(m.other, Byte);
            require(wideload::transpose_batched(state, other, Rows, Columns, Batch, stream));
            require(wideload::copy(other, state, kElements, stream));
        },
        [](State& state) { test::transpose_on_host(bytes_of(state), Rows, Columns, Batch, Size); }};
}

/// From byte `Byte` of the state on.
template <int Size, std::size_t Byte, std::size_t Rows, std::size_t Columns>
constexpr Kind transposition_in_place() {
    static_assert(Rows * Columns * Size + Byte <= kBytes);
    return {[](const Memory& m, cudaStream_t stream) {
                auto* const data = at<Blob<Size>>(m.state, Byte);
                require(wideload::transpose_in_place(data, Rows, Columns, stream));
            },
            [](State& state) {
                test::transpose_on_host(bytes_of(state) + Byte, Rows, Columns, 1, Size);
            }};
}

/// Structs from byte `Byte` of the state on, whose fields change places by way of as many arrays:
/// the first with the last, and so on. Unless `Byte` is 0, array number f begins f bytes past a
/// word.
template <int Size, int Fields, std::size_t Byte>
constexpr Kind turned_fields() {
    constexpr std::size_t kStructs = (kBytes - Byte) / (Size * Fields);
    static_assert(Fields <= 5, "there is a word more for what lies between the arrays");
    return {[](const Memory& m, cudaStream_t stream) {
                Blob<Size>* fields[Fields];
                for (int f = 0; f < Fields; ++f)
                    fields[f] = at<Blob<Size>>(m.other, f * (kStructs * Size + (Byte != 0)));
                auto* const structs = at<Blob<Size>>(m.state, Byte);
                require(wideload::deinterleave(structs, fields, kStructs, stream));
                for (int f = 0; f < Fields / 2; ++f) std::swap(fields[f], fields[Fields - 1 - f]);
                require(wideload::interleave(fields, structs, kStructs, stream));
            },
            [](State& state) {
                auto* const structs = reinterpret_cast<Blob<Size>*>(bytes_of(state) + Byte);
                for (std::size_t i = 0; i < kStructs; ++i)
                    std::reverse(structs + i * Fields, structs + (i + 1) * Fields);
            }};
}

using Add = wideload::commutative_operation<AddAll>;
using wideload::plus;

constexpr Kind kKinds[] = {
    kAddIndex,
    reduction<Pair, Compose, 0>(),
    transposition<12, 0, 64, 108>(),
    rows<Pair, Compose, 0, 12>(),
    turned_fields<4, 3, 2>(),
    reduction<Triangle3, Multiply, 1>(),
    columns<Pair, Compose, 0, 4>(),
    transposition_in_place<12, 0, 83, 83>(),
    reduction<Triangle12, Add, 4>(),
    rows<Triangle3, Multiply, 1, 36>(),
    kScale,
    turned_fields<1, 5, 1>(),
    rows<std::uint8_t, plus, 0, 9, std::uint32_t>(),
    transposition<3, 1, kSide, kBytes / kSide / 3>(),
    reduction<Affine<std::uint64_t>, Compose, 0>(),
    columns<std::uint32_t, plus, 1, 3>(),
    transposition_in_place<3, 1, 100, 276>(),
    // Numbers that begin anywhere, added to one in memory that the caller has set.
    {[](const Memory& m, cudaStream_t stream) {
         require(cudaMemsetAsync(m.sums, 0, 4, stream));
         require(wideload::reduce_atomic(at<const std::uint32_t>(m.state, 1), kCount - 1, m.sums,
                                         plus{}, stream));
         require(wideload::copy(m.sums, m.state + 11, 1, stream));
     },
     [](State& state) {
         state[11] = test::fold<std::uint32_t>(bytes_of(state) + 1, kCount - 1, 1, plus{}, 0u);
     }},
    columns<Pair, Compose, 0, kSide>(),
    transposition<12, 0, 3, 4, kBytes / 144>(),
    turned_fields<264, 2, 0>(),
    rows<Triangle12, Add, 4, 100>(),
};

}  // namespace

int main(int argc, char** argv) {
    test::start(argc, argv);
    test::chains::expect_chains(kKinds);
    return test::finish("stream_order_structs_test");
}
