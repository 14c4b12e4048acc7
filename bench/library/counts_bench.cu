// SPDX-License-Identifier: Apache-2.0
// What the powers of two of other benchmarks leave out, against the copy, or the reduction, of as
// many bytes: counts of structs that fill no row of any kernel, in many numbers of arrays; matrices
// of few rows or columns, as images of several channels are; columns of few rows.
#include <wideload/device/matrix_reduce.cuh>
#include <wideload/device/transpose.cuh>

#include "pool_launches.cuh"

namespace {

bench::Pool* input_pool;
bench::Pool* output_pool;

/// Odd numbers of structs of `Fields` elements, which begin 0 or 3 elements past a line, and their
/// arrays 0 or 15.
template <class T, int Fields>
void structs(bench::Bench& bench) {
    const auto measure = [&](double mebibytes, bool split, std::size_t from, std::size_t to) {
        const std::size_t count =
            static_cast<std::size_t>(mebibytes * (1 << 20) / sizeof(T) / Fields) | 1;
        const std::size_t bytes = count * sizeof(T) * Fields;
        const auto launch = bench::interleaving<T, Fields>(input_pool, output_pool, split, count,
                                                           from * sizeof(T), to * sizeof(T));
        bench.compare(
            "structs",
            (split ? "split" : "join") + bench::of("size", sizeof(T)) +
                bench::of("fields", Fields) + bench::of("structs_at", from) +
                bench::of("arrays_at", to) + bench::of("count", count),
            2 * bytes,
            {{"wideload", launch}, bench::copy_of(input_pool, output_pool, bytes / 16 * 16)});
    };
    for (const double mebibytes : {0.06, 0.25, 0.8, 1.6, 3.3, 3.9, 6.5, 26.0}) {
        for (const bool split : {false, true}) {
            for (const std::size_t from : {0, 3}) {
                for (const std::size_t to : {0, 15}) measure(mebibytes, split, from, to);
            }
        }
    }
}

template <class T>
void all_structs(bench::Bench& bench) {
    structs<T, 2>(bench);
    structs<T, 3>(bench);
    structs<T, 4>(bench);
    structs<T, 5>(bench);
    structs<T, 6>(bench);
    structs<T, 7>(bench);
    structs<T, 8>(bench);
    structs<T, 11>(bench);
    structs<T, 13>(bench);
    structs<T, 15>(bench);
    structs<T, 16>(bench);
}

/// Images of several channels that change their order, one and eight of them.
template <class T>
void images(bench::Bench& bench) {
    const auto measure = [&](std::size_t pixels, std::size_t channels, bool last, std::size_t count,
                             std::size_t at) {
        const std::size_t bytes = pixels * channels * count * sizeof(T);
        if (bytes > std::size_t{64} << 20) return;
        const auto launch = [=](int rotation, cudaStream_t stream) {
            BENCH_REQUIRE(wideload::transpose_batched(
                input_pool->buffer<const T>(rotation, bytes, at * sizeof(T)),
                output_pool->buffer<T>(rotation, bytes), last ? pixels : channels,
                last ? channels : pixels, count, stream));
        };
        bench.compare(
            "images",
            std::string(last ? "last_to_first" : "first_to_last") + bench::of("size", sizeof(T)) +
                bench::of("channels", channels) + bench::of("pixels", pixels) +
                bench::of("images", count) + bench::of("at", at),
            2 * bytes,
            {{"wideload", launch}, bench::copy_of(input_pool, output_pool, bytes / 16 * 16)});
    };
    for (const std::size_t channels : {2, 3, 4, 8}) {
        for (const std::size_t pixels :
             {3136, 12544, 50176, 50177, 90000, 152100, 307200, 307201, 921600, 2073600, 8294400}) {
            for (const std::size_t count : {1, 8}) {
                for (const std::size_t at : {0, 1}) {
                    measure(pixels, channels, false, count, at);
                    measure(pixels, channels, true, count, at);
                }
            }
        }
    }
}

/// Columns of a number of rows, which are whole words or begin anywhere. Launched one by one, as
/// some allocate in the stream's order.
template <class T>
void columns(bench::Bench& bench) {
    const auto measure = [&](std::size_t all_bytes, std::size_t rows, bool odd) {
        const std::size_t any = all_bytes / sizeof(T) / rows;
        const std::size_t columns = odd ? any | 1 : any / 16 * 16;
        const std::size_t bytes = rows * columns * sizeof(T), moved = bytes + columns * sizeof(T);
        const auto by = [=](auto sum) -> bench::Launch {
            return [=](int rotation, cudaStream_t stream) {
                BENCH_REQUIRE(wideload::reduce_columns(
                    input_pool->buffer<const T>(rotation, bytes), rows, columns,
                    output_pool->buffer<T>(0, columns * sizeof(T)), sum, T(0), stream));
            };
        };
        bench.compare("columns",
                      "size=" + std::to_string(sizeof(T)) + bench::of("rows", rows) +
                          bench::of("columns", columns),
                      moved,
                      {{"wideload", by(wideload::plus{}), true, true},
                       {"wideload_in_order", by(bench::AddInOrder{}), true, true},
                       bench::reduction_of_as_much<T>(input_pool, output_pool, moved)});
    };
    for (const std::size_t mebibytes : {2, 8, 32, 128}) {
        for (const std::size_t rows : {8, 13, 24, 40, 69, 95, 150, 300, 600, 1000, 1677, 3000}) {
            measure(mebibytes << 20, rows, false);
            measure(mebibytes << 20, rows, true);
        }
    }
}

template <class T>
void all(bench::Bench& bench) {
    all_structs<T>(bench);
    images<T>(bench);
    columns<T>(bench);
}

}  // namespace

int main(int argc, char** argv) {
    bench::Bench bench(argc, argv);
    input_pool = new bench::Pool(std::size_t{1} << 30, 1);
    output_pool = new bench::Pool(std::size_t{1} << 30, 2);
    all<std::uint8_t>(bench);
    all<std::uint16_t>(bench);
    all<float>(bench);
}
