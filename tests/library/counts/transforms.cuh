// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/matrix_reduce.cuh>
#include <wideload/device/operations.cuh>
#include <wideload/device/reduce.cuh>
#include <wideload/device/transform.cuh>

#include "case.cuh"

/// transform and the reductions.
namespace counts {

/// The bytes of a blob, so that an operation depends on all of its input.
template <class Output>
struct Mix {
    template <class... Inputs>
    __device__ Output operator()(const Inputs&... inputs) const {
        Output output{};
        auto* to = reinterpret_cast<unsigned char*>(&output);
        unsigned sum = 0;
        const auto add = [&](const auto& input) {
            const auto* from = reinterpret_cast<const unsigned char*>(&input);
            for (unsigned i = 0; i < sizeof(input); ++i) sum = sum * 3 + from[i];
        };
        (add(inputs), ...);
        for (unsigned i = 0; i < sizeof(Output); ++i) to[i] = static_cast<unsigned char>(sum + i);
        return output;
    }
};

template <int Output, int... Inputs, std::size_t... I>
void transform_whole(std::size_t count, std::index_sequence<I...>) {
    const Memory from[] = {Memory(count * Inputs)...};
    const Memory to(count * Output);
    std::string name = "transform of " + std::to_string(count);
    ((name += " " + std::to_string(Inputs)), ...);
    Case(name + " -> " + std::to_string(Output) + " bytes")
        .whole("global_ld", (sectors(count * Inputs) + ...))
        .whole("global_st", sectors(count * Output))
        .run([&] {
            return wideload::transform(from[I].template as<Blob<Inputs>>()...,
                                       to.as<Blob<Output>>(), count, Mix<Blob<Output>>{});
        });
}

template <int Output, int... Inputs>
void transform_whole(std::size_t count) {
    transform_whole<Output, Inputs...>(count, std::make_index_sequence<sizeof...(Inputs)>{});
}

template <int Output, int Input>
void transform_anywhere(std::size_t count, std::size_t from_offset, std::size_t to_offset) {
    Memory from(count * Input, from_offset), to(count * Output, to_offset);
    Case c("transform of " + std::to_string(count) + " " + std::to_string(Input) + " -> " +
           std::to_string(Output) + " bytes from " + std::to_string(from_offset) + " to " +
           std::to_string(to_offset) + " past a line");
    // Misaligned inputs of less than a word a lane are read twice, each time a sector more a warp;
    // the elements outside of whole tiles move one by one.
    const std::size_t lane = Input * (16 / (Input > Output ? Input : Output));
    const std::size_t reads = lane < 16 && from_offset % lane != 0 ? 2 : 1;
    const std::size_t one_by_one = 40 * (Input > Output ? Input : Output);
    c.at_most("global_ld", reads * sectors(count * Input) + count / 32 + one_by_one);
    c.at_most("global_st", sectors(count * Output) + one_by_one);
    c.run([&] {
        return wideload::transform(from.as<Blob<Input>>(), to.as<Blob<Output>>(), count,
                                   Mix<Blob<Output>>{});
    });
}

inline void transforms() {
    for (const std::size_t count : {1 << 9, 1 << 14, 1 << 16}) {
        transform_whole<4, 4>(count);
        transform_whole<4, 4, 4>(count);
        transform_whole<1, 1>(count);
        transform_whole<4, 1>(count);
        transform_whole<1, 4>(count);
        transform_whole<4, 8>(count);
        transform_whole<2, 2, 2, 2>(count);
        transform_whole<12, 12>(count);
        transform_whole<24, 24>(count);
        transform_whole<4, 12>(count);
        transform_whole<8, 8, 4, 2, 1>(count);
    }
    for (const std::size_t count : {(1 << 14) + 77, (1 << 16) - 1}) {
        transform_anywhere<4, 4>(count, 0, 0);
        transform_anywhere<4, 4>(count, 4, 4);
        transform_anywhere<4, 4>(count, 4, 0);
        transform_anywhere<1, 1>(count, 3, 5);
        transform_anywhere<4, 1>(count, 1, 0);
        transform_anywhere<12, 12>(count, 4, 8);
    }
}

/// A block sends its result through a few sectors and one atomic operation.
constexpr std::size_t kMostBlocks = 132 * 8;

/// A sum of which the library does not know that it commutes.
struct SumInOrder {
    template <class T>
    __device__ T operator()(const T& a, const T& b) const {
        return a + b;
    }
};

template <class T>
void reduce_range(std::size_t count, std::size_t offset) {
    Memory from(count * sizeof(T), offset), to(256);
    const std::string name = " of " + std::to_string(count) + " elements of " +
                             std::to_string(sizeof(T)) + " bytes, " + std::to_string(offset) +
                             " past a line";
    const bool whole = offset % 32 == 0;
    const std::size_t bound =
        sectors(count * sizeof(T)) + (whole ? 0 : count * sizeof(T) / 512 + 2);
    const auto expect = [&](Case& c, std::size_t more) -> Case& {
        return whole ? c.whole_at_most("global_ld", bound + more)
                     : c.wide_runs_at_most("global_ld", bound + more);
    };
    const auto reduce = [&](const std::string& what, auto operation) {
        Case ordered(what + name);
        // Results of 8 bytes travel as two marked words, which lie 16 bytes apart.
        expect(ordered, kMostBlocks).at_most("global_st", 4 * kMostBlocks);
        ordered.whole_at_most("global_atom", kMostBlocks);
        ordered.run(
            [&] { return wideload::reduce(from.as<T>(), count, to.as<T>(), operation, T{}); });
    };
    reduce("reduce", wideload::plus{});
    reduce("reduce in order", SumInOrder{});
    Case atomic("reduce_atomic" + name);
    expect(atomic, 2).whole_at_most("global_red", kMostBlocks);
    atomic.run(
        [&] { return wideload::reduce_atomic(from.as<T>(), count, to.as<T>(), wideload::plus{}); });
}

template <class T, class Operation>
void reduce_matrix(std::size_t rows, std::size_t columns, bool by_rows, Operation operation) {
    constexpr bool kInOrder = !wideload::is_commutative<Operation, T>::value;
    Memory from(rows * columns * sizeof(T)), to((rows + columns) * sizeof(T));
    Case c(std::string("reduce ") + (by_rows ? "rows" : "columns") +
           (kInOrder ? " in order of " : " of ") + std::to_string(rows) + " x " +
           std::to_string(columns) + " elements of " + std::to_string(sizeof(T)) + " bytes");
    // Long rows or columns are cut into pieces, whose results are written and read again.
    const std::size_t read = sectors(rows * columns * sizeof(T)), pieces = read / 8 + 64;
    if (columns * sizeof(T) % 32 == 0) {
        c.whole_at_most("global_ld", read + pieces);
    } else {
        // Every row may begin and end within a sector, for each request of a warp.
        c.wide_runs_at_most("global_ld", read + pieces + rows * (columns / 32 + 2));
    }
    // Rows give a result each, whose sector nobody else writes at the same time.
    const std::size_t written = by_rows ? rows : sectors(columns * sizeof(T));
    if (by_rows || columns * sizeof(T) % 32 == 0) {
        c.whole_at_most("global_st", written + pieces);
    } else {
        c.runs_at_most("global_st", written + pieces);
    }
    c.run([&] {
        return by_rows
                   ? wideload::reduce_rows(from.as<T>(), rows, columns, to.as<T>(), operation, T{})
                   : wideload::reduce_columns(from.as<T>(), rows, columns, to.as<T>(), operation,
                                              T{});
    });
}

inline void reductions() {
    Memory to(256);
    Case("reduce of nothing").whole("global_st", 1).run([&] {
        return wideload::reduce(to.as<float>(), 0, to.as<float>() + 1, wideload::plus{}, 1.0f);
    });
    for (const std::size_t count :
         {std::size_t{1}, std::size_t{1000}, std::size_t{1} << 16, (std::size_t{1} << 18) + 3}) {
        reduce_range<float>(count, 0);
        reduce_range<float>(count, 4);
        reduce_range<double>(count, 0);
        reduce_range<unsigned>(count, 16);
    }
    // A row per thread, a lane per columns of few rows, thin matrices and rows that begin anywhere
    // have kernels of their own.
    const std::size_t shapes[][2] = {{64, 1024}, {1024, 64},  {2, 32768},  {300, 200}, {77, 333},
                                     {4096, 8},  {8, 8192},   {3000, 10},  {700, 87},  {5, 163840},
                                     {9000, 12}, {4500, 520}, {4501, 1021}};
    for (const auto& shape : shapes) {
        for (const bool by_rows : {true, false}) {
            reduce_matrix<float>(shape[0], shape[1], by_rows, wideload::plus{});
            reduce_matrix<double>(shape[0], shape[1], by_rows, wideload::plus{});
            reduce_matrix<float>(shape[0], shape[1], by_rows, SumInOrder{});
            reduce_matrix<double>(shape[0], shape[1], by_rows, SumInOrder{});
        }
    }
}

}  // namespace counts
