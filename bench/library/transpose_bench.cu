// SPDX-License-Identifier: Apache-2.0
// `transpose` and its variants against cuBLAS geam and the copy of the same bytes.
#include <wideload/device/copy.cuh>
#include <wideload/device/transpose.cuh>

#include <cublas_v2.h>
#include <array>

#include "harness.cuh"
#include "transposed.cuh"

namespace {

bench::Pool* input_pool;
bench::Pool* output_pool;
cublasHandle_t blas;

void require(cublasStatus_t status) {
    if (status != CUBLAS_STATUS_SUCCESS) std::fprintf(stderr, "cuBLAS: %d\n", status), std::exit(1);
}

template <class T>
cublasStatus_t geam(const T* input, T* output, int rows, int columns) {
    const T one = 1, zero = 0;
    // cuBLAS counts columns first: the row-major input is a columns × rows matrix to it.
    if constexpr (sizeof(T) == 4) {
        return cublasSgeam(blas, CUBLAS_OP_T, CUBLAS_OP_N, rows, columns, &one, input, columns,
                           &zero, input, rows, output, rows);
    } else {
        return cublasDgeam(blas, CUBLAS_OP_T, CUBLAS_OP_N, rows, columns, &one, input, columns,
                           &zero, input, rows, output, rows);
    }
}

/// cuBLAS, for those types that it transposes.
template <class T>
bench::Contender geam_of(bench::Bench& bench, std::size_t rows, std::size_t columns) {
    if constexpr (!std::is_floating_point_v<T>) {
        return {};
    } else {
        const std::size_t bytes = rows * columns * sizeof(T);
        const T* input = input_pool->buffer<const T>(0, bytes);
        T* output = output_pool->buffer<T>(0, bytes);
        const auto launch = [=](int rotation, cudaStream_t stream) {
            require(cublasSetStream(blas, stream));
            require(geam(input_pool->buffer<const T>(rotation, bytes),
                         output_pool->buffer<T>(rotation, bytes), static_cast<int>(rows),
                         static_cast<int>(columns)));
        };
        bench.poison(output, bytes);
        launch(0, bench.stream());
        // geam multiplies by 1, which keeps values but not the bits of every NaN.
        const bool ok = bench::check(rows * columns, [=] __device__(std::size_t i) {
            const T want = input[i % rows * columns + i / rows];
            return want == output[i] || want != want;
        });
        return {"cublas_geam", launch, ok};
    }
}

template <class T>
void measure(bench::Bench& bench, const char* type, std::size_t rows, std::size_t columns,
             std::size_t batch) {
    const std::size_t bytes = rows * columns * batch * sizeof(T);
    const std::string parameters = std::string("type=") + type + ";" + std::to_string(batch) + "x" +
                                   std::to_string(rows) + "x" + std::to_string(columns);
    const T* input = input_pool->buffer<const T>(0, bytes);
    T* output = output_pool->buffer<T>(0, bytes);
    const auto ours = [=](int rotation, cudaStream_t stream) {
        BENCH_REQUIRE(wideload::transpose_batched(input_pool->buffer<const T>(rotation, bytes),
                                                  output_pool->buffer<T>(rotation, bytes), rows,
                                                  columns, batch, stream));
    };
    bench.poison(output, bytes);
    ours(0, bench.stream());
    std::vector<bench::Contender> all = {
        {"wideload", ours, bench::transposed(input, output, rows, columns, batch)},
        bench::copy_of(input_pool, output_pool, bytes)};
    if (std::is_floating_point_v<T> && batch == 1) all.push_back(geam_of<T>(bench, rows, columns));
    bench.compare("transpose", parameters, 2 * bytes, all);
}

template <class T>
void in_place(bench::Bench& bench, const char* type, std::size_t size) {
    const std::size_t bytes = size * size * sizeof(T);
    const std::string parameters = std::string("in_place;type=") + type + ";" +
                                   std::to_string(size) + "x" + std::to_string(size);
    T* data = output_pool->buffer<T>(0, bytes);
    const T* before = input_pool->buffer<const T>(0, bytes);
    BENCH_REQUIRE(cudaMemcpyAsync(data, before, bytes, cudaMemcpyDeviceToDevice, bench.stream()));
    BENCH_REQUIRE(wideload::transpose_square_in_place(data, size, 1, bench.stream()));
    const bool ok = bench::transposed(before, data, size, size, 1);
    const auto ours = [=](int rotation, cudaStream_t stream) {
        BENCH_REQUIRE(wideload::transpose_square_in_place(output_pool->buffer<T>(rotation, bytes),
                                                          size, 1, stream));
    };
    bench.compare("transpose", parameters, 2 * bytes,
                  {{"wideload", ours, ok}, bench::copy_of(input_pool, output_pool, bytes)});
}

/// Many small matrices in place.
template <class T>
void batch_in_place(bench::Bench& bench, const char* type, std::size_t rows, std::size_t columns,
                    std::size_t batch) {
    const std::size_t bytes = rows * columns * batch * sizeof(T);
    const std::string parameters = std::string("batch_in_place;type=") + type + ";" +
                                   std::to_string(batch) + "x" + std::to_string(rows) + "x" +
                                   std::to_string(columns);
    T* data = output_pool->buffer<T>(0, bytes);
    const T* before = input_pool->buffer<const T>(0, bytes);
    BENCH_REQUIRE(cudaMemcpyAsync(data, before, bytes, cudaMemcpyDeviceToDevice, bench.stream()));
    const auto ours = [=](int rotation, cudaStream_t stream) {
        BENCH_REQUIRE(wideload::transpose_in_place_batched(output_pool->buffer<T>(rotation, bytes),
                                                           rows, columns, batch, stream));
    };
    ours(0, bench.stream());
    const bool ok = bench::transposed(before, data, rows, columns, batch);
    bench.compare("transpose", parameters, 2 * bytes,
                  {{"wideload", ours, ok}, bench::copy_of(input_pool, output_pool, bytes)});
}

/// Rectangles in place, against the transpose out of place and the copy back.
template <class T>
void rectangle_in_place(bench::Bench& bench, const char* type, std::size_t rows,
                        std::size_t columns) {
    const std::size_t bytes = rows * columns * sizeof(T);
    const std::string parameters = std::string("rectangle_in_place;type=") + type + ";" +
                                   std::to_string(rows) + "x" + std::to_string(columns);
    T* data = output_pool->buffer<T>(0, bytes);
    const T* before = input_pool->buffer<const T>(0, bytes);
    const std::size_t scratch_bytes = wideload::transpose_in_place_scratch_bytes<T>(rows, columns);
    const bench::Memory memory(scratch_bytes);
    void* const scratch = memory.get();
    const auto ours = [=](int rotation, cudaStream_t stream) {
        BENCH_REQUIRE(wideload::transpose_in_place(output_pool->buffer<T>(rotation, bytes), rows,
                                                   columns, scratch, scratch_bytes, stream));
    };
    const auto copied_back = [=](int rotation, cudaStream_t stream) {
        T* matrix = output_pool->buffer<T>(rotation, bytes);
        T* other = input_pool->buffer<T>(rotation, bytes);
        BENCH_REQUIRE(wideload::transpose(matrix, other, rows, columns, stream));
        BENCH_REQUIRE(wideload::copy_bytes(other, matrix, bytes, stream));
    };
    BENCH_REQUIRE(cudaMemcpyAsync(data, before, bytes, cudaMemcpyDeviceToDevice, bench.stream()));
    ours(0, bench.stream());
    const bool ok = bench::transposed(before, data, rows, columns, 1);
    bench.compare("transpose", parameters, 2 * bytes,
                  {{"wideload", ours, ok}, {"out_of_place_and_copy_back", copied_back}});
}

/// Few columns, or few rows, in 32 matrices, whose longer lines are whole words or not: images
/// whose channels lie together or apart, and the like.
template <class T>
void few(bench::Bench& bench, const char* type) {
    constexpr std::size_t kBatch = 32, kBytes = std::size_t{32} << 20;
    for (std::size_t side : {2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 48, 64}) {
        const std::size_t length = kBytes / sizeof(T) / side / kBatch / 32 * 32;
        measure<T>(bench, type, length, side, kBatch);
        measure<T>(bench, type, side, length, kBatch);
        measure<T>(bench, type, length - 1, side, kBatch);
        measure<T>(bench, type, side, length - 1, kBatch);
    }
}

/// So many bytes that are no whole words: pixels, and what packed structs have.
template <class Unit, int Units>
struct Struct {
    Unit units[Units];
};
template <class Unit, int Units>
void structs(bench::Bench& bench, const char* type) {
    for (auto [rows, columns, batch] : {std::array<std::size_t, 3>{1080, 1920, 1},
                                        {4096, 4096, 1},
                                        {8191, 8195, 1},
                                        {701, 703, 1},
                                        {100000, 100, 1},
                                        {224, 224, 64},
                                        {5, 5, 400000},
                                        {13, 7, 100000},
                                        {17, 19, 30000},
                                        {28, 28, 20000},
                                        {17, 19, 1000},
                                        {696, 5, 2000},
                                        {5, 696, 2000},
                                        {90, 13, 2000},
                                        {13, 90, 2000},
                                        {200, 6, 2000}})
        measure<Struct<Unit, Units>>(bench, type, rows, columns, batch);
}

/// So few rows or columns that tiles would be partly empty, 16 and 64 MiB of them.
template <class T>
void long_ones(bench::Bench& bench, const char* type, std::size_t narrow) {
    for (const std::size_t bytes : {std::size_t{16} << 20, std::size_t{64} << 20}) {
        const std::size_t length = bytes / sizeof(T) / narrow / 16 * 16;
        measure<T>(bench, type, narrow, length, 1);
        measure<T>(bench, type, length, narrow, 1);
    }
}

/// Rows that are whole words of 8 bytes but begin anywhere in sectors: images, and what layers of
/// networks have, one by one and in batches.
template <class T>
void words_of_8_bytes(bench::Bench& bench, const char* type) {
    constexpr std::size_t kUnit = 8 / sizeof(T), kBatchBytes = std::size_t{128} << 20;
    using Words = std::pair<std::size_t, std::size_t>;
    for (auto [down, across] : {Words{135, 240}, {257, 259}, {513, 517}, {1025, 1027}})
        measure<T>(bench, type, down * kUnit, across * kUnit, 1);
    for (auto [down, across] :
         {Words{25, 25}, {49, 64}, {64, 49}, {75, 75}, {135, 240}, {375, 375}}) {
        const std::size_t rows = down * kUnit, columns = across * kUnit;
        measure<T>(bench, type, rows, columns, kBatchBytes / (rows * columns * sizeof(T)));
    }
}

/// Small matrices of few rows or columns, together 4 and 128 MiB.
template <class T>
void small_few(bench::Bench& bench, const char* type) {
    for (const std::size_t bytes : {std::size_t{4} << 20, std::size_t{128} << 20}) {
        for (const std::size_t length : {196, 400, 784, 1024}) {
            for (const std::size_t narrow : {2, 3, 4, 5, 24}) {
                const std::size_t batch = bytes / (length * narrow * sizeof(T));
                measure<T>(bench, type, length, narrow, batch);
                measure<T>(bench, type, narrow, length, batch);
            }
        }
    }
}

/// Matrices whose rows or columns are no whole words, of images, tokens and what is left over.
template <class T>
void ragged(bench::Bench& bench, const char* type) {
    for (std::size_t side : {101, 251, 501, 1001, 1501, 2001, 3001, 4001})
        measure<T>(bench, type, side, side + 2, 1);
    for (auto [rows, columns, batch] : {std::array<std::size_t, 3>{9, 9, 1000},
                                        {16, 16, 300},
                                        {17, 17, 300},
                                        {24, 24, 500},
                                        {33, 35, 1000},
                                        {31, 31, 4000},
                                        {50, 50, 8},
                                        {50, 50, 4000},
                                        {63, 65, 50},
                                        {63, 65, 1000},
                                        {91, 93, 500},
                                        {129, 131, 512},
                                        {181, 183, 200},
                                        {197, 768, 64},
                                        {768, 197, 64},
                                        {64, 1001, 100},
                                        {1001, 64, 100},
                                        {577, 33, 500},
                                        {33, 577, 500},
                                        {1001, 20, 450},
                                        {5, 1001, 1800},
                                        {100003, 30, 4},
                                        {30, 100003, 4}})
        measure<T>(bench, type, rows, columns, batch);
    for (std::size_t side : {17, 33, 50, 63, 90}) batch_in_place<T>(bench, type, side, side, 1000);
    for (std::size_t side : {16, 32, 33}) batch_in_place<T>(bench, type, side, side, 100);
}

}  // namespace

int main(int argc, char** argv) {
    bench::Bench bench(argc, argv);
    require(cublasCreate(&blas));
    input_pool = new bench::Pool(std::size_t{8} << 30, 1);
    output_pool = new bench::Pool(std::size_t{8} << 30, 2);
    for (std::size_t side : {std::size_t{1024}, std::size_t{2048}, std::size_t{4096},
                             std::size_t{8192}, std::size_t{16384}}) {
        measure<float>(bench, "f32", side, side, 1);
        measure<double>(bench, "f64", side, side, 1);
    }
    for (auto [rows, columns] : {std::pair<std::size_t, std::size_t>{8191, 4099},
                                 {4099, 8191},
                                 {16383, 16385},
                                 {1000, 100003},
                                 {10007, 10009},
                                 {8190, 4100},
                                 {8192, 4099},
                                 {8191, 4096}}) {
        measure<float>(bench, "f32", rows, columns, 1);
        measure<double>(bench, "f64", rows, columns, 1);
    }
    for (auto [rows, columns] : {std::pair<std::size_t, std::size_t>{8192, 8192}, {8191, 8195}}) {
        measure<std::uint8_t>(bench, "u8", rows, columns, 1);
        measure<std::uint16_t>(bench, "u16", rows, columns, 1);
        measure<uint4>(bench, "u128", rows, columns, 1);
        measure<float3>(bench, "float3", rows, columns, 1);
    }
    measure<float>(bench, "f32", 10000, 10016, 1);
    // Very many rows of few columns, and whole words whose output rows end within sectors.
    for (auto [rows, columns] : {std::pair<std::size_t, std::size_t>{100000, 1000},
                                 {100003, 1001},
                                 {100000, 100},
                                 {1000003, 101}}) {
        measure<float>(bench, "f32", rows, columns, 1);
        measure<std::uint8_t>(bench, "u8", rows, columns, 1);
        measure<std::uint16_t>(bench, "u16", rows, columns, 1);
    }
    measure<double>(bench, "f64", 57927, 579, 1);
    measure<float>(bench, "f32", 8196, 8196, 1);
    measure<double>(bench, "f64", 8194, 8194, 1);
    measure<std::uint8_t>(bench, "u8", 16400, 16400, 1);
    measure<float>(bench, "f32", 512, 512, 64);
    measure<float>(bench, "f32", 64, 64, 4096);
    measure<float>(bench, "f32", 4, 4, 1000000);
    measure<float>(bench, "f32", 4, 4, 16000000);
    measure<float>(bench, "f32", 3, 3, 1000000);
    measure<float>(bench, "f32", 3, 3, 10000000);
    measure<float>(bench, "f32", 6, 6, 4000000);
    measure<float>(bench, "f32", 12, 12, 1000000);
    measure<float>(bench, "f32", 31, 31, 262144);
    measure<float>(bench, "f32", 3, 100, 1000000);
    measure<double>(bench, "f64", 3, 3, 10000000);
    measure<double>(bench, "f64", 4, 4, 8000000);
    measure<std::uint8_t>(bench, "u8", 5, 5, 16000000);
    measure<std::uint8_t>(bench, "u8", 16, 16, 4000000);
    measure<std::uint16_t>(bench, "u16", 7, 9, 8000000);
    measure<float3>(bench, "float3", 4, 4, 4000000);
    measure<float>(bench, "f32", 8, 8, 4000000);
    measure<float>(bench, "f32", 16, 16, 1000000);
    measure<float>(bench, "f32", 32, 32, 262144);
    measure<float>(bench, "f32", 3, 100000000, 1);
    measure<float>(bench, "f32", 100000000, 3, 1);
    few<std::uint8_t>(bench, "u8");
    few<std::uint16_t>(bench, "u16");
    few<float>(bench, "f32");
    measure<std::uint8_t>(bench, "u8", 224 * 224, 3, 64);
    measure<std::uint8_t>(bench, "u8", 3, 224 * 224, 64);
    measure<float>(bench, "f32", 224 * 224, 3, 64);
    measure<float3>(bench, "float3", 65536, 5, 8);
    structs<std::uint8_t, 3>(bench, "3_bytes");
    structs<std::uint8_t, 5>(bench, "5_bytes");
    structs<std::uint8_t, 7>(bench, "7_bytes");
    structs<std::uint8_t, 9>(bench, "9_bytes");
    structs<std::uint8_t, 13>(bench, "13_bytes");
    structs<std::uint16_t, 3>(bench, "6_bytes");
    structs<std::uint16_t, 5>(bench, "10_bytes");
    for (const std::size_t narrow : {65, 129}) {
        long_ones<std::uint8_t>(bench, "long_u8", narrow);
        long_ones<std::uint16_t>(bench, "long_u16", narrow);
    }
    for (const std::size_t narrow : {50, 65}) long_ones<float>(bench, "long_f32", narrow);
    for (const std::size_t narrow : {10, 20}) long_ones<uint4>(bench, "long_u128", narrow);
    for (const std::size_t narrow : {33, 43}) {
        long_ones<Struct<std::uint8_t, 3>>(bench, "long_3_bytes", narrow);
        long_ones<Struct<std::uint8_t, 5>>(bench, "long_5_bytes", narrow);
        long_ones<Struct<std::uint16_t, 3>>(bench, "long_6_bytes", narrow);
    }
    for (const std::size_t narrow : {10, 17}) {
        long_ones<Struct<float, 5>>(bench, "long_20_bytes", narrow);
        long_ones<Struct<std::uint8_t, 25>>(bench, "long_25_bytes", narrow);
    }
    words_of_8_bytes<std::uint8_t>(bench, "words_u8");
    words_of_8_bytes<std::uint16_t>(bench, "words_u16");
    words_of_8_bytes<float>(bench, "words_f32");
    small_few<std::uint8_t>(bench, "few_u8");
    small_few<std::uint16_t>(bench, "few_u16");
    ragged<std::uint8_t>(bench, "u8");
    ragged<std::uint16_t>(bench, "u16");
    ragged<float>(bench, "f32");
    ragged<double>(bench, "f64");
    for (std::size_t side : {256, 512, 1000, 1023, 1024, 2000, 2047}) {
        measure<std::uint8_t>(bench, "u8", side, side, 1);
        measure<std::uint16_t>(bench, "u16", side, side, 1);
    }
    for (std::size_t side : {256, 512, 1000, 1023}) {
        measure<float>(bench, "f32", side, side, 1);
        measure<double>(bench, "f64", side, side, 1);
    }
    for (std::size_t size :
         {std::size_t{4096}, std::size_t{8192}, std::size_t{16384}, std::size_t{8191}}) {
        in_place<float>(bench, "f32", size);
        in_place<double>(bench, "f64", size);
    }
    in_place<std::uint8_t>(bench, "u8", 8191);
    in_place<std::uint16_t>(bench, "u16", 8191);
    for (std::size_t size : {101, 251, 501, 1001, 2001}) {
        in_place<std::uint8_t>(bench, "u8", size);
        in_place<std::uint16_t>(bench, "u16", size);
        in_place<float>(bench, "f32", size);
        in_place<double>(bench, "f64", size);
    }
    batch_in_place<float>(bench, "f32", 4, 4, 16000000);
    batch_in_place<float>(bench, "f32", 3, 5, 10000000);
    batch_in_place<float>(bench, "f32", 31, 30, 262144);
    batch_in_place<double>(bench, "f64", 3, 3, 10000000);
    batch_in_place<float>(bench, "f32", 100, 120, 10000);
    batch_in_place<float>(bench, "f32", 200, 210, 4000);
    for (auto [rows, columns] : {std::pair<std::size_t, std::size_t>{4096, 8192},
                                 {8192, 4096},
                                 {4099, 8191},
                                 {8191, 4099},
                                 {1000, 100003},
                                 {16384, 16640},
                                 {16383, 16385},
                                 {3, 33333333},
                                 {1009, 100003},
                                 {4099, 8192},
                                 {8190, 4098},
                                 {50257, 768},
                                 {1000, 1200},
                                 {2000, 3000},
                                 {300, 200}}) {
        rectangle_in_place<float>(bench, "f32", rows, columns);
        rectangle_in_place<double>(bench, "f64", rows, columns);
    }
    for (auto [rows, columns] : {std::pair<std::size_t, std::size_t>{4096, 8192},
                                 {4099, 8191},
                                 {8192, 8191},
                                 {8199, 8200},
                                 {8198, 8190},
                                 {50257, 1024},
                                 {16384, 16640},
                                 {16383, 16385}}) {
        rectangle_in_place<std::uint8_t>(bench, "u8", rows, columns);
        rectangle_in_place<std::uint16_t>(bench, "u16", rows, columns);
    }
}
