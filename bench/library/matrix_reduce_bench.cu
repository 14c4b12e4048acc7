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

constexpr std::size_t kAddedTogether = 1024;

/// Adds to each of `count` sums those of `length` elements, `element_step` apart, that begin
/// anywhere, `line_step` from sum to sum; a thread adds up `kAddedTogether` of one.
template <class T>
__global__ void add_up_kernel(const char* input, std::size_t count, std::size_t length,
                              std::size_t line_step, std::size_t element_step, int* sums) {
    const std::size_t thread = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t i = thread % count, first = thread / count * kAddedTogether;
    if (first >= length) return;
    const std::size_t rest = length - first,
                      end = rest < kAddedTogether ? length : first + kAddedTogether;
    int sum = 0;
    for (std::size_t k = first; k < end; ++k) {
        T element;
        memcpy(&element, input + (i * line_step + k * element_step) * sizeof(T), sizeof(T));
        sum += static_cast<int>(element);
    }
    atomicAdd(sums + i, sum);
}

/// Whether the sums are those. The inputs are integers: any order gives the same bits.
template <class T>
bool verify(const T* input, const int* sums, std::size_t count, std::size_t length,
            std::size_t line_step, std::size_t element_step) {
    const bench::Memory memory(count * sizeof(int));
    int* const wanted = memory.get<int>();
    BENCH_REQUIRE(cudaMemsetAsync(wanted, 0, count * sizeof(int), bench::stream()));
    const std::size_t threads = count * ((length + kAddedTogether - 1) / kAddedTogether);
    add_up_kernel<T><<<static_cast<unsigned>((threads + 255) / 256), 256, 0, bench::stream()>>>(
        reinterpret_cast<const char*>(input), count, length, line_step, element_step, wanted);
    return bench::check(count, [=] __device__(std::size_t i) { return wanted[i] == sums[i]; });
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

/// `Count` numbers, reduced as their sum.
template <class Number, int Count>
struct Several {
    Number numbers[Count];
    __host__ __device__ explicit operator int() const {
        int sum = 0;
        for (int i = 0; i < Count; ++i) sum += static_cast<int>(numbers[i]);
        return sum;
    }
};
/// A sum of which the library does not know that it commutes.
struct SumInOrder {
    __host__ __device__ int operator()(int a, int b) const { return a + b; }
};

/// Rows or columns of elements that begin `offset` bytes past a line, reduced to their sums.
///
/// @param type  the elements' name
template <bool Rows, class T>
void measure_sums(bench::Bench& bench, const std::string& type, std::size_t rows,
                  std::size_t columns, std::size_t offset = 0) {
    const std::size_t bytes = rows * columns * sizeof(T), results = Rows ? rows : columns;
    const std::size_t moved = bytes + results * 4;
    const bench::Memory all_sums(results * 4);
    int* const sums = all_sums.get<int>();
    const auto input = [=](int rotation) { return pool->buffer<const T>(rotation, bytes, offset); };
    const auto reduced = [=](auto operation) {
        return [=](int rotation, cudaStream_t stream) {
            if constexpr (Rows) {
                BENCH_REQUIRE(wideload::reduce_rows(input(rotation), rows, columns, sums, operation,
                                                    0, stream));
            } else {
                BENCH_REQUIRE(wideload::reduce_columns(input(rotation), rows, columns, sums,
                                                       operation, 0, stream));
            }
        };
    };
    const auto as_much = [=](int rotation, cudaStream_t stream) {
        BENCH_REQUIRE(wideload::reduce(pool->buffer<const int>(rotation, moved), moved / 4, sums,
                                       wideload::plus{}, 0, stream));
    };
    const auto is_right = [&](const std::function<void(int, cudaStream_t)>& launch) {
        bench.poison(sums, results * 4);
        launch(0, bench.stream());
        return Rows ? verify(input(0), sums, rows, columns, columns, 1)
                    : verify(input(0), sums, columns, rows, 1, columns);
    };
    constexpr bool kOdd = !std::is_arithmetic_v<T> || sizeof(T) == sizeof(int);
    const auto any = reduced(wideload::plus{});
    const auto in_order = reduced(SumInOrder{});
    bench.compare("matrix_reduce",
                  std::string(kOdd ? "odd_" : "narrow_") + (Rows ? "rows" : "columns") +
                      ";type=" + type + ";from=" + std::to_string(offset) + ";" +
                      std::to_string(rows) + "x" + std::to_string(columns),
                  moved,
                  {{"wideload", any, is_right(any), true},
                   {"wideload_in_order", in_order, is_right(in_order), true},
                   {"reduce_of_as_much", as_much, true, true}});
}

}  // namespace

int main(int argc, char** argv) {
    bench::Bench bench(argc, argv);
    bench::keep_stream_memory();
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
    for (auto [rows, columns] : {std::pair<std::size_t, std::size_t>{3000000, 24},
                                 {700000, 100},
                                 {60000, 1001},
                                 {80000, 100}}) {
        measure_sums<true, Several<std::uint8_t, 3>>(bench, "3_bytes", rows, columns, 0);
        measure_sums<true, int>(bench, "i32", rows, columns, 1);
    }
    for (auto [rows, columns] : {std::pair<std::size_t, std::size_t>{3000000, 24},
                                 {700000, 100},
                                 {60000, 1001},
                                 {20000, 5760},
                                 {80000, 100},
                                 {1080, 1920}}) {
        measure_sums<false, Several<std::uint8_t, 3>>(bench, "3_bytes", rows, columns, 0);
        measure_sums<false, int>(bench, "i32", rows, columns, 1);
        measure_sums<false, Several<int, 3>>(bench, "3_of_4", rows, columns, 0);
    }
    // Rows of a few hundred bytes, as embeddings have them: whole words, and odd ones.
    for (auto [rows, columns] : {std::pair<std::size_t, std::size_t>{1048576, 32},
                                 {524288, 64},
                                 {335544, 100},
                                 {161319, 208},
                                 {83886, 400},
                                 {332222, 101},
                                 {160547, 209},
                                 {130561, 257},
                                 {83676, 401}}) {
        measure_sums<true, int>(bench, "short_i32", rows, columns);
        measure_sums<true, int>(bench, "short_i32", rows / 8, columns);
    }
    // Short rows of bytes and halves, of whole words and odd ones.
    for (const std::size_t columns : {16, 48, 49, 64, 100, 200, 256, 500}) {
        measure_sums<true, std::uint8_t>(bench, "short_u8", (256 << 20) / columns, columns);
        measure_sums<true, std::uint16_t>(bench, "short_u16", (128 << 20) / columns, columns);
    }
    // Bytes and halves: rows of many words and of few; columns by strips, of a few rows, odd ones.
    for (auto [rows, columns] : {std::pair<std::size_t, std::size_t>{256, 1048576},
                                 {304, 289584},
                                 {1105, 132884},
                                 {13952, 13904},
                                 {100000, 1000},
                                 {4000, 4000}}) {
        measure_sums<true, std::uint8_t>(bench, "u8", rows, columns);
        measure_sums<true, std::uint16_t>(bench, "u16", rows, columns);
    }
    for (auto [rows, columns] : {std::pair<std::size_t, std::size_t>{4, 16637573},
                                 {598, 103886},
                                 {1630, 73574},
                                 {3875, 22400},
                                 {5371, 2966},
                                 {6436, 13312},
                                 {20000, 1001},
                                 {1080, 1920}}) {
        measure_sums<false, std::uint8_t>(bench, "u8", rows, columns);
        measure_sums<false, std::uint16_t>(bench, "u16", rows, columns);
    }
    // Few columns, of 32 MiB, where the second of two launches shows, and of 256.
    for (const std::size_t columns : {3, 17, 33, 100, 401, 5001}) {
        for (const std::size_t bytes : {std::size_t{32} << 20, std::size_t{256} << 20}) {
            measure_sums<false, std::uint8_t>(bench, "thin_u8", bytes / columns, columns);
            measure_sums<false, std::uint16_t>(bench, "thin_u16", bytes / 2 / columns, columns);
            measure_sums<false, int>(bench, "thin_i32", bytes / 4 / columns, columns);
        }
    }
    for (const std::size_t rows : {2, 4, 7})
        measure_sums<false, int>(bench, "few_i32", rows, 16637573);
}
