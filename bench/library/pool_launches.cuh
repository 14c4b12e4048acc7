// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/interleave.cuh>
#include <wideload/device/reduce.cuh>

#include "harness.cuh"

/// Work between two pools that several benchmarks time.
namespace bench {

/// So many bytes that begin anywhere.
template <int Size>
struct Element {
    unsigned char bytes[Size];
};

/// A part of a row's parameters.
inline std::string of(const char* what, std::size_t value) {
    return std::string(";") + what + "=" + std::to_string(value);
}

/// The same sum as wideload::plus, not said to commute.
struct AddInOrder {
    template <class T>
    __host__ __device__ T operator()(const T& a, const T& b) const {
        return static_cast<T>(a + b);
    }
};

/// Splits structs, or joins arrays, each of which begins so many bytes past a line.
template <class T, int Fields>
Launch interleaving(const Pool* from, const Pool* to, bool split, std::size_t count,
                    std::size_t structs_at, std::size_t arrays_at) {
    struct Arrays {
        T* fields[Fields];
    };
    const std::size_t array_bytes = (count * sizeof(T) + 767) / 256 * 256;
    return [=](int rotation, cudaStream_t stream) {
        T* structs = (split ? from : to)
                         ->template buffer<T>(rotation, count * sizeof(T) * Fields, structs_at);
        char* base = (split ? to : from)->template buffer<char>(rotation, array_bytes * Fields);
        Arrays arrays;
        for (int f = 0; f < Fields; ++f)
            arrays.fields[f] = reinterpret_cast<T*>(base + f * array_bytes + arrays_at);
        BENCH_REQUIRE(split ? wideload::deinterleave<T>(structs, arrays.fields, count, stream)
                            : wideload::interleave(arrays.fields, structs, count, stream));
    };
}

/// A reduction of so many bytes, launched one by one.
template <class T>
Contender reduction_of_as_much(const Pool* from, const Pool* to, std::size_t bytes) {
    const auto launch = [=](int rotation, cudaStream_t stream) {
        BENCH_REQUIRE(wideload::reduce(from->buffer<const T>(rotation, bytes), bytes / sizeof(T),
                                       to->buffer<T>(0, sizeof(T)), wideload::plus{}, T(0),
                                       stream));
    };
    return {"reduce_of_as_much", launch, true, true};
}

}  // namespace bench
