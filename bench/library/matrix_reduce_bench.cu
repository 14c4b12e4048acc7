// SPDX-License-Identifier: Apache-2.0
// `reduce_rows` and `reduce_columns` against CUB's segmented reduction (rows; it has none for
// columns) and against `reduce` of a range of as many bytes as the matrix and its results have.
#include <wideload/device/matrix_reduce.cuh>
#include <wideload/device/reduce.cuh>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_segmented_reduce.cuh>

#include "harness.cuh"

namespace {

bench::Pool* pool;

struct RowBegin {
    std::size_t columns;
    __host__ __device__ std::size_t operator()(std::size_t row) const { return row * columns; }
};

/// Whether each of `count` sums equals that of `length` elements, `step` apart, from `first(i)` on.
/// The inputs are integers: any order gives the same bits.
bool verify(const int* input, const int* sums, std::size_t count, std::size_t length,
            std::size_t line_step, std::size_t element_step) {
    return bench::check(count, [=] __device__(std::size_t i) {
        int want = 0;
        for (std::size_t k = 0; k < length; ++k) want += input[i * line_step + k * element_step];
        return want == sums[i];
    });
}

void measure(bench::Bench& bench, std::size_t rows, std::size_t columns) {
    const std::size_t bytes = rows * columns * 4;
    const std::size_t row_bytes = bytes + rows * 4, column_bytes = bytes + columns * 4;
    const std::string shape = std::to_string(rows) + "x" + std::to_string(columns);
    const bench::Memory all_sums((rows > columns ? rows : columns) * 4);
    int* const sums = all_sums.get<int>();
    const int* input = pool->buffer<const int>(0, bytes);

    const auto by_row = [=](int rotation, cudaStream_t stream) {
        BENCH_REQUIRE(wideload::reduce_rows(pool->buffer<const int>(rotation, bytes), rows, columns,
                                            sums, wideload::plus{}, 0, stream));
    };
    const auto by_column = [=](int rotation, cudaStream_t stream) {
        BENCH_REQUIRE(wideload::reduce_columns(pool->buffer<const int>(rotation, bytes), rows,
                                               columns, sums, wideload::plus{}, 0, stream));
    };
    const auto as_much = [=](std::size_t moved) {
        return [=](int rotation, cudaStream_t stream) {
            BENCH_REQUIRE(wideload::reduce(pool->buffer<const int>(rotation, moved), moved / 4,
                                           sums, wideload::plus{}, 0, stream));
        };
    };
    const auto begins = thrust::make_transform_iterator(
        thrust::make_counting_iterator(std::size_t{0}), RowBegin{columns});
    const auto segmented_sums = [=](void* temporary, std::size_t& temporary_bytes, int rotation,
                                    cudaStream_t stream) {
        return cub::DeviceSegmentedReduce::Sum(
            temporary, temporary_bytes, pool->buffer<const int>(rotation, bytes), sums,
            static_cast<long long>(rows), begins, begins + 1, stream);
    };
    std::size_t temporary_bytes = 0;
    BENCH_REQUIRE(segmented_sums(nullptr, temporary_bytes, 0, nullptr));
    const bench::Memory temporary(temporary_bytes + 1);
    const auto segmented = [&](int rotation, cudaStream_t stream) {
        BENCH_REQUIRE(segmented_sums(temporary.get(), temporary_bytes, rotation, stream));
    };

    bench.poison(sums, rows * 4);
    by_row(0, bench.stream());
    const bool ok = verify(input, sums, rows, columns, columns, 1);
    bench.poison(sums, rows * 4);
    segmented(0, bench.stream());
    const bool peer_ok = verify(input, sums, rows, columns, columns, 1);
    // All are launched one by one: some allocate in the stream's order.
    bench.compare("matrix_reduce", "rows;type=i32;" + shape, row_bytes,
                  {{"wideload", by_row, ok, true},
                   {"cub", segmented, peer_ok, true},
                   {"reduce_of_as_much", as_much(row_bytes), true, true}});
    bench.poison(sums, columns * 4);
    by_column(0, bench.stream());
    const bool columns_ok = verify(input, sums, columns, rows, 1, columns);
    bench.compare("matrix_reduce", "columns;type=i32;" + shape, column_bytes,
                  {{"wideload", by_column, columns_ok, true},
                   {"reduce_of_as_much", as_much(column_bytes), true, true}});
}

}  // namespace

int main(int argc, char** argv) {
    bench::Bench bench(argc, argv);
    // What works in the stream's memory would wait for the driver in every replay otherwise.
    cudaMemPool_t memory = nullptr;
    std::uint64_t kept = UINT64_MAX;
    BENCH_REQUIRE(cudaDeviceGetDefaultMemPool(&memory, 0));
    BENCH_REQUIRE(cudaMemPoolSetAttribute(memory, cudaMemPoolAttrReleaseThreshold, &kept));
    pool = new bench::Pool(std::size_t{5} << 30, 1);
    for (auto [rows, columns] : {std::pair<std::size_t, std::size_t>{16384, 16384},
                                 {4096, 4096},
                                 {1048576, 256},
                                 {256, 1048576},
                                 {16383, 16385},
                                 {10000000, 10},
                                 {10, 10000000},
                                 {4000000, 67},
                                 {2000000, 131},
                                 {640000, 401},
                                 {59022, 1137},
                                 {30000, 2100},
                                 {5533, 1137},
                                 {1000, 1000},
                                 {100, 10000},
                                 {64, 20000},
                                 {10, 100000},
                                 {64, 65536},
                                 {500, 16384},
                                 {2000, 32768}}) {
        measure(bench, rows, columns);
    }
}
