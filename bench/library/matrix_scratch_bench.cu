// SPDX-License-Identifier: Apache-2.0
// Reductions of matrices that take two launches: with scratch memory of the caller (`lent`) and
// with memory in the stream's order (`own`), as nodes of a graph and launched one by one.
#include <wideload/device/matrix_reduce.cuh>

#include "pool_launches.cuh"

namespace {

bench::Pool* input_pool;
bench::Pool* output_pool;

template <bool Rows, class T, class Operation>
void measure(bench::Bench& bench, std::size_t rows, std::size_t columns, Operation operation,
             const char* order) {
    const std::size_t bytes = rows * columns * sizeof(T), results = Rows ? rows : columns;
    const std::size_t scratch_bytes =
        Rows ? wideload::reduce_rows_scratch_bytes<T, T>(rows, columns)
             : wideload::reduce_columns_scratch_bytes<T, T>(rows, columns);
    const bench::Memory scratch(scratch_bytes);
    const auto reduced = [=](T* to, int rotation, cudaStream_t stream, auto... lent) {
        const T* from = input_pool->buffer<const T>(rotation, bytes);
        if constexpr (Rows) {
            BENCH_REQUIRE(
                wideload::reduce_rows(from, rows, columns, to, operation, T(0), lent..., stream));
        } else {
            BENCH_REQUIRE(wideload::reduce_columns(from, rows, columns, to, operation, T(0),
                                                   lent..., stream));
        }
    };
    void* const memory = scratch.get();
    const auto output = [=](int rotation) {
        return output_pool->buffer<T>(rotation, results * sizeof(T));
    };
    const auto lent = [=](int rotation, cudaStream_t stream) {
        reduced(output(rotation), rotation, stream, memory, scratch_bytes);
    };
    const auto own = [=](int rotation, cudaStream_t stream) {
        reduced(output(rotation), rotation, stream);
    };
    const bench::Memory wanted(results * sizeof(T)), got(results * sizeof(T));
    T *const by_own = wanted.get<T>(), *const by_lent = got.get<T>();
    bench.poison(by_lent, results * sizeof(T));
    reduced(by_own, 0, bench.stream());
    reduced(by_lent, 0, bench.stream(), memory, scratch_bytes);
    const auto* const bytes_by_own = reinterpret_cast<const char*>(by_own);
    const auto* const bytes_by_lent = reinterpret_cast<const char*>(by_lent);
    const bool ok = bench::check(results * sizeof(T), [=] __device__(std::size_t i) {
        return bytes_by_own[i] == bytes_by_lent[i];
    });
    bench.compare("matrix_scratch",
                  std::string(Rows ? "rows" : "columns") + order +
                      ";size=" + std::to_string(sizeof(T)) + ";" + std::to_string(rows) + "x" +
                      std::to_string(columns),
                  bytes,
                  {{"lent", lent, ok},
                   {"own", own},
                   {"lent_launched", lent, true, true},
                   {"own_launched", own, true, true}});
}

template <class T>
void of_size(bench::Bench& bench) {
    const auto in_any_order = wideload::plus{};
    const auto of_as_much = [](std::size_t floats) {  // other elements, at least one
        return std::max<std::size_t>(floats * 4 / sizeof(T), 1);
    };
    for (const auto [rows, columns] : {std::pair<std::size_t, std::size_t>{1, 1 << 20},
                                       {4, 1 << 18},
                                       {16, 1 << 20},
                                       {64, 1 << 20}}) {
        measure<true, T>(bench, rows, of_as_much(columns), in_any_order, "");
        measure<true, T>(bench, rows, of_as_much(columns), bench::AddInOrder{}, "_in_order");
    }
    for (const auto [rows, columns] : {std::pair<std::size_t, std::size_t>{30000, 3},
                                       {9001, 12},
                                       {4100, 100},
                                       {10000, 100},
                                       {100000, 3},
                                       {30000, 31},
                                       {100000, 10},
                                       {20000, 128},
                                       {100000, 100},
                                       {20000, 1000},
                                       {1000000, 10},
                                       {1000000, 64}}) {
        measure<false, T>(bench, rows, of_as_much(columns), in_any_order, "");
        measure<false, T>(bench, rows, of_as_much(columns), bench::AddInOrder{}, "_in_order");
    }
}

}  // namespace

int main(int argc, char** argv) {
    bench::Bench bench(argc, argv);
    bench::keep_stream_memory();
    input_pool = new bench::Pool(std::size_t{1} << 30, 1);
    output_pool = new bench::Pool(std::size_t{1} << 26, 2);
    of_size<float>(bench);
    of_size<std::uint8_t>(bench);
    of_size<double>(bench);
}
