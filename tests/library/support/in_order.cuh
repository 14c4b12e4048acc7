// SPDX-License-Identifier: Apache-2.0
// Operations that do not commute, and what the tests of reductions in order share.
#pragma once

#include <wideload/device/matrix_reduce.cuh>
#include <wideload/device/reduce.cuh>

#include "large.cuh"
#include "random.cuh"

namespace test {

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

/// What comes before the elements.
template <class T>
T initial_triangle() {
    T initial{};
    initial.a = 3;
    initial.b = 5;
    initial.c = 7;
    return initial;
}

/// What commutes: all that triangles hold, each summed by itself.
struct AddAll {
    template <class Unsigned, int Carried>
    __host__ __device__ Triangle<Unsigned, Carried> operator()(
        Triangle<Unsigned, Carried> x, const Triangle<Unsigned, Carried>& y) const {
        x.a += y.a;
        x.b += y.b;
        x.c += y.c;
        if constexpr (Carried != 0) {
            for (int i = 0; i < Carried; ++i) x.carried[i] += y.carried[i];
        }
        return x;
    }
};

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
    expect_status(
        wideload::reduce(input.as<const T>(), count, output.as<Result>(), operation, initial),
        cudaSuccess, what);
    output.expect_equal(what);
}

/// What `reduce(by_rows, input, output)` gives of a matrix whose rows are `pitch` elements apart.
template <class T, class Result, class Operation, class Reduce>
void expect_matrix(std::size_t rows, std::size_t columns, std::size_t pitch,
                   const std::string& what, std::size_t offset, Operation operation, Result initial,
                   Reduce reduce) {
    constexpr std::size_t kSize = sizeof(T);
    const std::size_t elements = rows == 0 || columns == 0 ? 0 : (rows - 1) * pitch + columns;
    GuardedBuffer input(elements * kSize, offset, 70);
    for (const bool by_rows : {true, false}) {
        const std::size_t results = by_rows ? rows : columns, length = by_rows ? columns : rows;
        GuardedBuffer output(results * sizeof(Result), 0, by_rows ? 71 : 72);
        for (std::size_t i = 0; i < results; ++i) {
            const Result want = fold<T>(input.expected() + i * (by_rows ? pitch : 1) * kSize,
                                        length, by_rows ? 1 : pitch, operation, initial);
            std::memcpy(output.expected() + i * sizeof(want), &want, sizeof(want));
        }
        const std::string name = (by_rows ? "rows" : "columns") + what;
        expect_status(reduce(by_rows, input.as<const T>(), output.as<Result>()), cudaSuccess, name);
        output.expect_equal(name);
    }
}

template <class T, class Result, class Operation>
void matrix(std::size_t rows, std::size_t columns, std::size_t offset, Operation operation,
            Result initial) {
    expect_matrix<T>(
        rows, columns, columns,
        " in order of " + std::to_string(rows) + " x " + std::to_string(columns) +
            elements<T>(offset),
        offset, operation, initial, [&](bool by_rows, const T* input, Result* output) {
            return by_rows
                       ? wideload::reduce_rows(input, rows, columns, output, operation, initial)
                       : wideload::reduce_columns(input, rows, columns, output, operation, initial);
        });
}

template <class T, class Result, class Operation>
void random_ranges(Operation operation, Result initial) {
    random_cases(20, [&](Random& random) {
        const std::size_t count = random.length(random_bytes(random) / sizeof(T));
        range<T>(count, random.offset(sizeof(T)), operation, initial);
    });
}

/// Elements that come again after so many others, a prime number.
template <class T>
struct Periodic {
    static constexpr std::size_t kPeriod = 10007;
    __host__ __device__ T operator()(std::size_t i) const {
        std::uint64_t words[(sizeof(T) + 7) / 8];
        std::size_t number = i % kPeriod;
        for (std::uint64_t& word : words) word = mix(number += kPeriod);
        T value;
        std::memcpy(&value, words, sizeof(T));
        return value;
    }
};

/// A range too large to bring to the host.
template <class T, class Result, class Operation>
void large_range(std::size_t count, std::size_t offset, Operation operation, Result initial) {
    constexpr Periodic<T> kElements{};
    constexpr std::size_t kPeriod = Periodic<T>::kPeriod;
    LargeBuffer<unsigned char> memory(offset + count * sizeof(T));
    LargeBuffer<Result> output(1);
    T* const input = reinterpret_cast<T*>(memory.get() + offset);
    generate(input, count, kElements);
    const std::string what = "large range: " + std::to_string(count) + elements<T>(offset);
    expect_status(wideload::reduce(input, count, output.get(), operation, initial), cudaSuccess,
                  what);

    Result want = initial, periods = static_cast<Result>(kElements(0)), got;
    for (std::size_t i = 1; i < kPeriod; ++i)
        periods = operation(periods, static_cast<Result>(kElements(i)));
    for (std::size_t left = count / kPeriod; left != 0; left /= 2) {
        if (left % 2 == 1) want = operation(want, periods);
        periods = operation(periods, periods);
    }
    for (std::size_t i = 0; i < count % kPeriod; ++i)
        want = operation(want, static_cast<Result>(kElements(i)));
    require(cudaMemcpy(&got, output.get(), sizeof(got), cudaMemcpyDeviceToHost), "download");
    expect(std::memcmp(&got, &want, sizeof(got)) == 0, what);
}

}  // namespace test
