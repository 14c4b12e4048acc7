// SPDX-License-Identifier: Apache-2.0
// Calls of few blocks, one after the other and between copies: what it gains to spread those blocks
// evenly. Built once as it is and once with -DWIDELOAD_NO_EVEN_SHARES (WIDELOAD_BENCH_FLAGS of
// run.sh), whose rows are the library's `uneven` ones.
#include <wideload/device/copy.cuh>
#include <wideload/device/interleave.cuh>
#include <wideload/device/matrix_reduce.cuh>
#include <wideload/device/reduce.cuh>
#include <wideload/device/transpose.cuh>

#include <array>

#include "harness.cuh"

namespace {

bench::Pool* input_pool;
bench::Pool* output_pool;

#ifdef WIDELOAD_NO_EVEN_SHARES
static_assert(!wideload::detail::shares_are_even());
const char* const kName = "wideload;uneven";
#else
static_assert(wideload::detail::shares_are_even());
const char* const kName = "wideload";
#endif

/// Work that moves `bytes` bytes by itself, and after and before copies of 256 KiB.
template <class Work>
void measure(bench::Bench& bench, const std::string& what, std::size_t bytes, const Work& work) {
    constexpr std::size_t kCopied = std::size_t{256} << 10;
    bench.compare("even_shares", what + ";alone", bytes, {{kName, work}});
    const auto between = [=](int rotation, cudaStream_t stream) {
        work(rotation, stream);
        BENCH_REQUIRE(wideload::copy_bytes(input_pool->buffer<char>(rotation, kCopied),
                                           output_pool->buffer<char>(rotation, kCopied), kCopied,
                                           stream));
    };
    bench.compare("even_shares", what + ";between_copies", bytes + 2 * kCopied, {{kName, between}});
}

template <class T>
void transpose(bench::Bench& bench, std::size_t rows, std::size_t columns, std::size_t batch) {
    const std::size_t bytes = rows * columns * batch * sizeof(T);
    const std::string shape = "size=" + std::to_string(sizeof(T)) + ";" + std::to_string(batch) +
                              "x" + std::to_string(rows) + "x" + std::to_string(columns);
    measure(bench, "transpose;" + shape, 2 * bytes, [=](int rotation, cudaStream_t stream) {
        BENCH_REQUIRE(wideload::transpose_batched(input_pool->buffer<const T>(rotation, bytes),
                                                  output_pool->buffer<T>(rotation, bytes), rows,
                                                  columns, batch, stream));
    });
    if (rows != columns) return;
    measure(bench, "in_place;" + shape, 2 * bytes, [=](int rotation, cudaStream_t stream) {
        BENCH_REQUIRE(wideload::transpose_square_in_place(output_pool->buffer<T>(rotation, bytes),
                                                          rows, batch, stream));
    });
}

template <class T, int Fields>
void split_and_join(bench::Bench& bench, std::size_t count) {
    const std::size_t bytes = count * Fields * sizeof(T);
    const std::string shape = "size=" + std::to_string(sizeof(T)) +
                              ";fields=" + std::to_string(Fields) +
                              ";count=" + std::to_string(count);
    const auto fields = [=](const bench::Pool* pool, int rotation) {
        std::array<T*, Fields> arrays;
        for (int f = 0; f < Fields; ++f) arrays[f] = pool->buffer<T>(rotation, bytes) + f * count;
        return arrays;
    };
    measure(bench, "split;" + shape, 2 * bytes, [=](int rotation, cudaStream_t stream) {
        const std::array<T*, Fields> arrays = fields(output_pool, rotation);
        T* to[Fields];
        std::copy(arrays.begin(), arrays.end(), to);
        BENCH_REQUIRE(wideload::deinterleave(input_pool->buffer<const T>(rotation, bytes), to,
                                             count, stream));
    });
    measure(bench, "join;" + shape, 2 * bytes, [=](int rotation, cudaStream_t stream) {
        const std::array<T*, Fields> arrays = fields(input_pool, rotation);
        const T* from[Fields];
        std::copy(arrays.begin(), arrays.end(), from);
        BENCH_REQUIRE(
            wideload::interleave(from, output_pool->buffer<T>(rotation, bytes), count, stream));
    });
}

struct Larger {
    __device__ float operator()(float a, float b) const { return a < b ? b : a; }
};

template <class T, class Operation>
void reduce(bench::Bench& bench, const char* what, std::size_t count, Operation operation) {
    constexpr std::size_t kScratch = wideload::reduce_scratch_bytes<T>();
    static bench::Memory scratch(kScratch);
    BENCH_REQUIRE(cudaMemsetAsync(scratch.get(), 0, kScratch, bench::stream()));
    const std::size_t bytes = count * sizeof(T);
    void* const lent = scratch.get();
    measure(bench, std::string(what) + ";count=" + std::to_string(count), bytes,
            [=](int rotation, cudaStream_t stream) {
                BENCH_REQUIRE(wideload::reduce(input_pool->buffer<const T>(rotation, bytes), count,
                                               output_pool->buffer<T>(rotation, sizeof(T)),
                                               operation, T{}, lent, kScratch, stream));
            });
}

void reduce_rows(bench::Bench& bench, std::size_t rows, std::size_t columns) {
    const std::size_t bytes = rows * columns * sizeof(float);
    measure(bench, "rows;" + std::to_string(rows) + "x" + std::to_string(columns), bytes,
            [=](int rotation, cudaStream_t stream) {
                BENCH_REQUIRE(wideload::reduce_rows(
                    input_pool->buffer<const float>(rotation, bytes), rows, columns,
                    output_pool->buffer<float>(rotation, rows * sizeof(float)), wideload::plus{},
                    0.0f, stream));
            });
}

}  // namespace

int main(int argc, char** argv) {
    bench::Bench bench(argc, argv);
    input_pool = new bench::Pool(std::size_t{1} << 30, 1);
    output_pool = new bench::Pool(std::size_t{1} << 30, 2);
    for (std::size_t side : {256, 362, 512, 627, 704, 725, 864, 1000})
        transpose<float>(bench, side, side, 1);
    transpose<std::uint8_t>(bench, 627, 627, 1);
    transpose<std::uint8_t>(bench, 209715, 5, 1);
    transpose<std::uint16_t>(bench, 33, 35, 1000);
    transpose<float>(bench, 31, 31, 300);
    split_and_join<std::uint16_t, 16>(bench, 65536);
    split_and_join<float, 8>(bench, 49152);
    split_and_join<float, 3>(bench, 349525);
    reduce<float>(bench, "own", 1 << 20, wideload::commutative(Larger{}));
    reduce<float>(bench, "in_order", 1 << 20, Larger{});
    reduce<double>(bench, "greatest", 1 << 20, wideload::maximum{});
    reduce<float>(bench, "sum", 1 << 18, wideload::plus{});
    reduce_rows(bench, 2097, 1000);
    reduce_rows(bench, 1312, 1000);
}
