// SPDX-License-Identifier: Apache-2.0
// Small work, a few microseconds of it, in graphs: on input that lies in memory (`alone`) and on
// what the launch before wrote (`behind`): gathers and scatters, rows and strides, reductions of
// rows and columns, transposes.
#include <wideload/device/copy_rows.cuh>
#include <wideload/device/gather.cuh>
#include <wideload/device/matrix_reduce.cuh>
#include <wideload/device/strided_copy.cuh>
#include <wideload/device/transpose.cuh>

#include "pool_launches.cuh"

namespace {

bench::Pool* input_pool;
bench::Pool* output_pool;
bench::Pool* index_pool;

constexpr std::size_t kIndexed = 1024;  ///< rows of a table

/// `move(from, to, rotation, stream)` of buffers of `bytes` bytes: each its own, then between two
/// in turn.
template <class T, class Move>
void measure(bench::Bench& bench, const char* section, const std::string& parameters,
             std::size_t bytes, const Move& move) {
    const auto alone = [=](int rotation, cudaStream_t stream) {
        move(input_pool->buffer<T>(rotation, bytes), output_pool->buffer<T>(rotation, bytes),
             rotation, stream);
    };
    const auto behind = [=](int rotation, cudaStream_t stream) {
        move(input_pool->buffer<T>(rotation % 2, bytes),
             input_pool->buffer<T>(1 - rotation % 2, bytes), rotation, stream);
    };
    bench.compare(section, parameters, 2 * bytes, {{"alone", alone}, {"behind", behind}});
}

/// Indices below `table`, as many for each launch.
void make_indices(std::size_t table, bool random) {
    auto* const indices = index_pool->buffer<unsigned>(0, index_pool->size());
    const auto mask = static_cast<unsigned>(table - 1);
    bench::check(index_pool->size() / 4, [=] __device__(std::size_t i) {
        const unsigned number = static_cast<unsigned>(i) & mask;
        indices[i] = random ? bench::permuted(number, mask + 1) : number;
        return true;
    });
}
const unsigned* indices(int rotation, std::size_t count) {
    return index_pool->buffer<const unsigned>(rotation, count < 1024 ? 4096 : count * 4);
}

template <class T>
void indexed(bench::Bench& bench) {
    for (const bool random : {false, true}) {
        for (int log2 = 12; log2 <= 19; ++log2) {
            const std::size_t count = std::size_t{1} << log2;
            make_indices(count, random);
            const std::string parameters = (random ? "random" : "in_order") +
                                           bench::of("size", sizeof(T)) + bench::of("count", count);
            measure<T>(bench, "gather", parameters, count * sizeof(T),
                       [=](T* from, T* to, int rotation, cudaStream_t stream) {
                           BENCH_REQUIRE(
                               wideload::gather(from, indices(rotation, count), to, count, stream));
                       });
            measure<T>(bench, "scatter", parameters, count * sizeof(T),
                       [=](T* from, T* to, int rotation, cudaStream_t stream) {
                           BENCH_REQUIRE(wideload::scatter(from, indices(rotation, count), to,
                                                           count, stream));
                       });
        }
    }
}

void rows(bench::Bench& bench) {
    make_indices(kIndexed, true);
    for (const std::size_t row : {64, 202, 203, 256, 1021, 1024, 4096}) {
        for (const std::size_t kibibytes : {32, 128, 512, 1024, 2048, 4096, 8192}) {
            const std::size_t count = (kibibytes << 10) / row, pitch = row + 64;
            const std::string parameters = "row=" + std::to_string(row) + bench::of("rows", count);
            measure<char>(
                bench, "copy_rows", parameters, pitch * count,
                [=](char* from, char* to, int, cudaStream_t stream) {
                    BENCH_REQUIRE(wideload::copy_rows(from, pitch, to, pitch, count, row, stream));
                });
            const std::size_t table = kIndexed * row;
            measure<char>(
                bench, "gather_rows", parameters, std::max(table, row * count),
                [=](char* from, char* to, int rotation, cudaStream_t stream) {
                    BENCH_REQUIRE(wideload::gather_rows(from, kIndexed, indices(rotation, count),
                                                        to, count, row, stream));
                });
            if (count > kIndexed) continue;
            measure<char>(
                bench, "scatter_rows", parameters, table,
                [=](char* from, char* to, int rotation, cudaStream_t stream) {
                    BENCH_REQUIRE(wideload::scatter_rows(from, indices(rotation, count), to,
                                                         kIndexed, count, row, stream));
                });
        }
    }
}

template <class T>
void strides(bench::Bench& bench) {
    for (const std::size_t stride : {2, 4, 8, 16, 32}) {
        for (int log2 = 12; log2 <= 18; ++log2) {
            const std::size_t count = std::size_t{1} << log2;
            measure<T>(
                bench, "strided",
                "size=" + std::to_string(sizeof(T)) + bench::of("stride", stride) +
                    bench::of("count", count),
                count * stride * sizeof(T), [=](T* from, T* to, int, cudaStream_t stream) {
                    BENCH_REQUIRE(wideload::strided_copy(from, stride, to, stride, count, stream));
                });
        }
    }
}

/// What is behind reads what a copy wrote, whose time is part of it.
template <class T, class Reduce>
void reduction(bench::Bench& bench, const char* section, std::size_t rows, std::size_t columns,
               const Reduce& reduce) {
    const std::size_t count = rows * columns, bytes = count * sizeof(T);
    const auto alone = [=](int rotation, cudaStream_t stream) {
        reduce(input_pool->buffer<const T>(rotation, bytes),
               output_pool->buffer<T>(rotation, bytes), stream);
    };
    const auto behind = [=](int rotation, cudaStream_t stream) {
        T* const copy = output_pool->buffer<T>(rotation, bytes);
        BENCH_REQUIRE(
            wideload::copy(input_pool->buffer<const T>(rotation, bytes), copy, count, stream));
        reduce(copy, input_pool->buffer<T>(rotation, bytes), stream);
    };
    bench.compare(section,
                  "size=" + std::to_string(sizeof(T)) + bench::of("rows", rows) +
                      bench::of("columns", columns),
                  bytes, {{"alone", alone}, {"behind", behind}});
}

template <class T>
void reductions(bench::Bench& bench) {
    const auto of_operation = [&](const char* by_row, const char* by_column, std::size_t rows,
                                  std::size_t columns, auto operation) {
        reduction<T>(bench, by_row, rows, columns, [=](const T* from, T* to, cudaStream_t stream) {
            BENCH_REQUIRE(wideload::reduce_rows(from, rows, columns, to, operation, T(0), stream));
        });
        reduction<T>(
            bench, by_column, rows, columns, [=](const T* from, T* to, cudaStream_t stream) {
                BENCH_REQUIRE(
                    wideload::reduce_columns(from, rows, columns, to, operation, T(0), stream));
            });
    };
    for (const std::size_t columns : {16, 100, 101, 256, 1000, 1024, 4096, 10000}) {
        for (const std::size_t rows : {16, 32, 64, 128, 192, 256, 512, 1024, 4096, 16384}) {
            if (rows * columns * sizeof(T) > std::size_t{8} << 20) continue;
            of_operation("reduce_rows", "reduce_columns", rows, columns, wideload::plus{});
            of_operation("reduce_rows_in_order", "reduce_columns_in_order", rows, columns,
                         bench::AddInOrder{});
        }
    }
}

template <class T>
void transposes(bench::Bench& bench) {
    for (const std::size_t batch : {1, 4, 16, 64}) {
        for (const std::size_t side : {64, 100, 101, 197, 256, 512, 513, 724, 1024, 1448}) {
            const std::size_t bytes = batch * side * side * sizeof(T);
            if (bytes > std::size_t{8} << 20) continue;
            const std::string parameters = "size=" + std::to_string(sizeof(T)) +
                                           bench::of("batch", batch) + bench::of("side", side);
            measure<T>(
                bench, "transpose", parameters, bytes,
                [=](T* from, T* to, int, cudaStream_t stream) {
                    BENCH_REQUIRE(wideload::transpose_batched(from, to, side, side, batch, stream));
                });
            measure<T>(bench, "transpose_in_place", parameters, bytes,
                       [=](T* data, T*, int, cudaStream_t stream) {
                           BENCH_REQUIRE(wideload::transpose_in_place_batched(data, side, side,
                                                                              batch, stream));
                       });
        }
    }
}

template <class T>
void all(bench::Bench& bench) {
    strides<T>(bench);
    reductions<T>(bench);
    transposes<T>(bench);
}

}  // namespace

int main(int argc, char** argv) {
    bench::Bench bench(argc, argv);
    input_pool = new bench::Pool(std::size_t{1} << 30, 1);
    output_pool = new bench::Pool(std::size_t{1} << 30, 2);
    index_pool = new bench::Pool(std::size_t{1} << 28, 3);
    indexed<float>(bench);
    indexed<float4>(bench);
    rows(bench);
    all<std::uint8_t>(bench);
    all<std::uint16_t>(bench);
    all<float>(bench);
    all<double>(bench);
}
