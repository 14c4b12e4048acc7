// SPDX-License-Identifier: Apache-2.0
// Odd matrices of bytes and halves, one and several, out of place and in: what
// docs/results/transpose_packed_tiles_h200.csv compares.
#include <wideload/device/transpose.cuh>

#include <set>
#include <tuple>

#include "harness.cuh"
#include "transposed.cuh"

namespace {

bench::Pool* input_pool;
bench::Pool* output_pool;

/// Batch, rows and columns.
using Shape = std::tuple<std::size_t, std::size_t, std::size_t>;

/// More than this is left out.
constexpr std::size_t kMostBytes = std::size_t{1} << 30;

std::set<Shape> shapes() {
    std::set<Shape> all;
    for (const std::size_t side : {61, 101, 151, 201, 251, 301, 333, 351, 401, 451, 501, 551})
        all.emplace(1, side, side + 2);
    for (std::size_t side = 601; side <= 3001; side += side < 1001 ? 50 : 100)
        all.emplace(1, side, side + 2);
    for (const std::size_t side :
         {3101, 3201, 3301, 3401, 3501, 3601, 3801, 4001, 4201, 4401, 4601, 5001, 6001, 7001, 8191})
        all.emplace(1, side, side + 2);
    for (const auto& [rows, columns] : {std::pair<std::size_t, std::size_t>{333, 3001},
                                        {333, 60001},
                                        {101, 10001},
                                        {101, 100001},
                                        {481, 1443},
                                        {63, 50257},
                                        {767, 50257}}) {
        all.emplace(1, rows, columns);
        all.emplace(1, columns, rows);
    }
    for (const std::size_t batch : {10, 30, 60, 100, 200, 300, 600, 1000}) {
        for (const std::size_t side : {33, 41, 51, 61, 63, 121, 181})
            all.emplace(batch, side, side + 2);
    }
    for (const std::size_t batch : {100, 200, 300}) {
        all.emplace(batch, 121, 247);
        all.emplace(batch, 247, 121);
    }
    for (const std::size_t batch : {10, 16, 30, 50, 64, 100, 128, 256}) {
        for (const auto& [rows, columns] : {std::pair<std::size_t, std::size_t>{197, 768},
                                            {197, 384},
                                            {577, 1024},
                                            {401, 403},
                                            {129, 577},
                                            {201, 1001},
                                            {64, 1001}}) {
            all.emplace(batch, rows, columns);
            all.emplace(batch, columns, rows);
        }
    }
    for (const std::size_t batch : {2, 3, 4, 6, 8, 12, 16, 24, 48}) {
        for (const auto& [rows, columns] : {std::pair<std::size_t, std::size_t>{501, 503},
                                            {751, 999},
                                            {1001, 1003},
                                            {2001, 1001}})
            all.emplace(batch, rows, columns);
    }
    for (const std::size_t batch : {512, 2000}) all.emplace(batch, 129, 131);
    return all;
}

template <class T>
void measure(bench::Bench& bench, const char* way, const Shape& shape, bool in_place) {
    const auto [batch, rows, columns] = shape;
    const std::size_t bytes = rows * columns * batch * sizeof(T);
    if (bytes > kMostBytes) return;
    const auto launch = [=, batch = batch, rows = rows, columns = columns](int rotation,
                                                                           cudaStream_t stream) {
        const T* input = input_pool->buffer<const T>(rotation, bytes);
        T* output = output_pool->buffer<T>(rotation, bytes);
        BENCH_REQUIRE(
            in_place ? wideload::transpose_square_in_place(output, rows, batch, stream)
                     : wideload::transpose_batched(input, output, rows, columns, batch, stream));
    };
    const T* input = input_pool->buffer<const T>(0, bytes);
    T* output = output_pool->buffer<T>(0, bytes);
    if (in_place) {
        BENCH_REQUIRE(
            cudaMemcpyAsync(output, input, bytes, cudaMemcpyDeviceToDevice, bench.stream()));
    } else {
        bench.poison(output, bytes);
    }
    launch(0, bench.stream());
    const bool ok = bench::transposed(input, output, rows, columns, batch);
    bench.compare(
        "transpose_odd",
        std::string(way) + "size=" + std::to_string(sizeof(T)) + ";" + std::to_string(batch) + "x" +
            std::to_string(rows) + "x" + std::to_string(columns),
        2 * bytes, {{"wideload", launch, ok}, bench::copy_of(input_pool, output_pool, bytes)});
}

template <class T>
void all_shapes(bench::Bench& bench) {
    for (const Shape& shape : shapes()) measure<T>(bench, "", shape, false);
    for (const std::size_t side : {501, 1001, 2001, 3001, 8191})
        measure<T>(bench, "in_place;", {1, side, side}, true);
    for (const auto& [batch, side] :
         {std::pair<std::size_t, std::size_t>{1000, 63}, {1000, 90}, {500, 181}, {4000, 181}})
        measure<T>(bench, "in_place;", {batch, side, side}, true);
}

}  // namespace

int main(int count, char** arguments) {
    bench::Bench bench(count, arguments);
    bench::Pool inputs(kMostBytes, 1), outputs(kMostBytes, 2);
    input_pool = &inputs;
    output_pool = &outputs;
    all_shapes<std::uint16_t>(bench);
    all_shapes<std::uint8_t>(bench);
}
