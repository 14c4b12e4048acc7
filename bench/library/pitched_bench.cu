// SPDX-License-Identifier: Apache-2.0
// Matrices whose rows lie apart: `copy_rows` against cudaMemcpy2DAsync, `transpose` with pitches
// against cuBLAS geam, and both against a copy of as many bytes as they move; `reduce_rows` and
// `reduce_columns` with pitches against those of dense matrices, and rows against CUB's segments.
#include <wideload/device/copy_rows.cuh>
#include <wideload/device/matrix_reduce.cuh>
#include <wideload/device/transpose.cuh>

#include <cublas_v2.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_segmented_reduce.cuh>

#include "harness.cuh"

namespace {

bench::Pool* input_pool;
bench::Pool* output_pool;
cublasHandle_t blas;

/// rows × columns elements of the input, and from row to row of both sides.
struct Shape {
    std::size_t rows, columns, pitch, to_pitch;

    std::string name(const char* type) const {
        return std::string("type=") + type + ";" + std::to_string(rows) + "x" +
               std::to_string(columns) + ";pitch=" + std::to_string(pitch) + "/" +
               std::to_string(to_pitch);
    }
};

/// Element (r, c) of the input at r * by_row + c * by_column of the output.
template <class T>
bool verify(const T* input, const T* output, const Shape& shape, std::size_t by_row,
            std::size_t by_column) {
    const std::size_t columns = shape.columns, pitch = shape.pitch;
    return bench::check(shape.rows * columns, [=] __device__(std::size_t i) {
        const std::size_t r = i / columns, c = i % columns;
        return bench::same_bits(output[r * by_row + c * by_column], input[r * pitch + c]);
    });
}

template <class T>
void copy_rows(bench::Bench& bench, const char* type, const Shape& shape) {
    const std::size_t from_bytes = shape.rows * shape.pitch * sizeof(T),
                      to_bytes = shape.rows * shape.to_pitch * sizeof(T),
                      row_bytes = shape.columns * sizeof(T), moved = shape.rows * row_bytes;
    const auto from = [=](int i) { return input_pool->buffer<T>(i, from_bytes); };
    const auto to = [=](int i) { return output_pool->buffer<T>(i, to_bytes); };
    const auto ours = [=](int i, cudaStream_t stream) {
        BENCH_REQUIRE(wideload::copy_rows(from(i), shape.pitch, to(i), shape.to_pitch, shape.rows,
                                          shape.columns, stream));
    };
    const auto theirs = [=](int i, cudaStream_t stream) {
        BENCH_REQUIRE(cudaMemcpy2DAsync(to(i), shape.to_pitch * sizeof(T), from(i),
                                        shape.pitch * sizeof(T), row_bytes, shape.rows,
                                        cudaMemcpyDeviceToDevice, stream));
    };
    const auto is_right = [&](const auto& launch) {
        bench.poison(to(0), to_bytes);
        launch(0, bench.stream());
        return verify(from(0), to(0), shape, shape.to_pitch, 1);
    };
    const bool ok = is_right(ours), their_ok = is_right(theirs);
    bench.compare("copy_rows", shape.name(type), 2 * moved,
                  {{"wideload", ours, ok},
                   {"cudaMemcpy2DAsync", theirs, their_ok},
                   bench::copy_of(input_pool, output_pool, moved / 16 * 16)});
}

template <class T>
cublasStatus_t geam(const T* input, T* output, const Shape& shape) {
    const T one = 1, zero = 0;
    const int rows = static_cast<int>(shape.rows), columns = static_cast<int>(shape.columns),
              pitch = static_cast<int>(shape.pitch), to_pitch = static_cast<int>(shape.to_pitch);
    // cuBLAS counts columns first; its second matrix, times zero, is only given a place.
    if constexpr (sizeof(T) == 4) {
        return cublasSgeam(blas, CUBLAS_OP_T, CUBLAS_OP_N, rows, columns, &one, input, pitch, &zero,
                           output, to_pitch, output, to_pitch);
    } else {
        return cublasDgeam(blas, CUBLAS_OP_T, CUBLAS_OP_N, rows, columns, &one, input, pitch, &zero,
                           output, to_pitch, output, to_pitch);
    }
}

template <class T>
void transpose(bench::Bench& bench, const char* type, const Shape& shape) {
    const std::size_t from_bytes = shape.rows * shape.pitch * sizeof(T),
                      to_bytes = shape.columns * shape.to_pitch * sizeof(T),
                      moved = shape.rows * shape.columns * sizeof(T);
    const auto from = [=](int i) { return input_pool->buffer<T>(i, from_bytes); };
    const auto to = [=](int i) { return output_pool->buffer<T>(i, to_bytes); };
    const auto ours = [=](int i, cudaStream_t stream) {
        BENCH_REQUIRE(wideload::transpose(from(i), shape.pitch, to(i), shape.to_pitch, shape.rows,
                                          shape.columns, stream));
    };
    bench.poison(to(0), to_bytes);
    ours(0, bench.stream());
    std::vector<bench::Contender> all = {
        {"wideload", ours, verify(from(0), to(0), shape, 1, shape.to_pitch)},
        bench::copy_of(input_pool, output_pool, moved / 16 * 16)};
    if constexpr (std::is_floating_point_v<T>) {
        const auto theirs = [=](int i, cudaStream_t stream) {
            const bool ok = cublasSetStream(blas, stream) == CUBLAS_STATUS_SUCCESS &&
                            geam(from(i), to(i), shape) == CUBLAS_STATUS_SUCCESS;
            if (!ok) std::fprintf(stderr, "cuBLAS failed\n"), std::exit(1);
        };
        bench.poison(to(0), to_bytes);
        theirs(0, bench.stream());
        // geam multiplies by 1, which keeps values but not the bits of every NaN.
        const T *input = from(0), *output = to(0);
        const bool ok = bench::check(shape.rows * shape.columns, [=] __device__(std::size_t i) {
            const std::size_t r = i / shape.columns, c = i % shape.columns;
            const T want = input[r * shape.pitch + c];
            return want == output[c * shape.to_pitch + r] || want != want;
        });
        all.push_back({"cublas_geam", theirs, ok});
    }
    bench.compare("transpose_pitched", shape.name(type), 2 * moved, all);
}

/// Where a row begins, or ends.
struct RowPlace {
    std::size_t pitch, past;
    __host__ __device__ std::size_t operator()(std::size_t row) const { return row * pitch + past; }
};
auto row_places(std::size_t pitch, std::size_t past) {
    return thrust::make_transform_iterator(thrust::make_counting_iterator(std::size_t{0}),
                                           RowPlace{pitch, past});
}

/// Whether each of `count` sums is that of `length` integers, `step` apart, `apart` from sum to
/// sum.
bool sums_are_right(const int* input, const int* sums, std::size_t count, std::size_t length,
                    std::size_t apart, std::size_t step) {
    return bench::check(count, [=] __device__(std::size_t i) {
        int sum = 0;
        for (std::size_t k = 0; k < length; ++k) sum += input[i * apart + k * step];
        return sum == sums[i];
    });
}

/// Sums of 32-bit integers, whose order does not show.
void reduce(bench::Bench& bench, std::size_t rows, std::size_t columns, std::size_t gap) {
    const std::size_t pitch = columns + gap, dense = rows * columns * 4, apart = rows * pitch * 4;
    const bench::Memory memory((rows > columns ? rows : columns) * 4);
    int* const sums = memory.get<int>();
    const auto from = [=](int i, std::size_t bytes) {
        return input_pool->buffer<const int>(i, bytes);
    };
    const auto segments = [=](void* scratch, std::size_t& bytes, int i, cudaStream_t stream) {
        return cub::DeviceSegmentedReduce::Sum(scratch, bytes, from(i, apart), sums,
                                               static_cast<long long>(rows), row_places(pitch, 0),
                                               row_places(pitch, columns), stream);
    };
    std::size_t scratch_bytes = 0;
    BENCH_REQUIRE(segments(nullptr, scratch_bytes, 0, nullptr));
    const bench::Memory scratch(scratch_bytes + 1);
    const auto cub = [&](int i, cudaStream_t stream) {
        BENCH_REQUIRE(segments(scratch.get(), scratch_bytes, i, stream));
    };
    for (const bool by_rows : {true, false}) {
        const std::size_t results = by_rows ? rows : columns;
        const auto ours = [=](int i, cudaStream_t stream) {
            const auto* input = from(i, apart);
            BENCH_REQUIRE(by_rows ? wideload::reduce_rows(input, pitch, rows, columns, sums,
                                                          wideload::plus{}, 0, stream)
                                  : wideload::reduce_columns(input, pitch, rows, columns, sums,
                                                             wideload::plus{}, 0, stream));
        };
        const auto together = [=](int i, cudaStream_t stream) {
            const auto* input = from(i, dense);
            BENCH_REQUIRE(by_rows ? wideload::reduce_rows(input, rows, columns, sums,
                                                          wideload::plus{}, 0, stream)
                                  : wideload::reduce_columns(input, rows, columns, sums,
                                                             wideload::plus{}, 0, stream));
        };
        const auto is_right = [&](const auto& launch) {
            bench.poison(sums, results * 4);
            launch(0, bench.stream());
            return sums_are_right(from(0, apart), sums, results, by_rows ? columns : rows,
                                  by_rows ? pitch : 1, by_rows ? 1 : pitch);
        };
        // All are launched one by one: some allocate in the stream's order.
        std::vector<bench::Contender> all = {{"wideload", ours, is_right(ours), true},
                                             {"dense", together, true, true}};
        if (by_rows) all.push_back({"cub", cub, is_right(cub), true});
        bench.compare("reduce_pitched",
                      std::string(by_rows ? "rows" : "columns") + ";type=i32;" +
                          std::to_string(rows) + "x" + std::to_string(columns) +
                          ";pitch=" + std::to_string(pitch),
                      dense + results * 4, all);
    }
}

struct Pixel {
    unsigned char bytes[3];
};
struct Twelve {
    unsigned words[3];
};

/// Sides of so many elements, in rows further apart: by whole lines, by words, and by odd numbers.
template <class T>
void sides(bench::Bench& bench, const char* type) {
    for (const std::size_t side : {1024, 4096, 8192}) {
        transpose<T>(bench, type, {side, side, side + 128, side + 128});
        transpose<T>(bench, type, {side, side, side + 16, side + 16});
        transpose<T>(bench, type, {side - 1, side - 3, side + 5, side + 3});
    }
}

}  // namespace

int main(int argc, char** argv) {
    bench::Bench bench(argc, argv);
    input_pool = new bench::Pool(std::size_t{9} << 30, 1);
    output_pool = new bench::Pool(std::size_t{9} << 30, 2);
    if (cublasCreate(&blas) != CUBLAS_STATUS_SUCCESS) return 1;
    for (const int log2 : {20, 24, 28}) {
        const std::size_t elements = std::size_t{1} << (log2 - 2);
        for (const std::size_t row : {64, 256, 1024, 4096, 16384}) {
            copy_rows<float>(bench, "f32", {elements / row, row, row + 32, row});
            copy_rows<float>(bench, "f32", {elements / row, row, row + 4, row + 8});
            copy_rows<float>(bench, "f32", {elements / row, row - 1, row + 2, row + 1});
            copy_rows<std::uint8_t>(bench, "u8", {elements / row * 4, row - 1, row + 2, row + 3});
        }
    }
    for (const std::size_t elements : {std::size_t{1} << 22, std::size_t{1} << 26}) {
        for (const std::size_t columns : {12, 64, 256, 1024, 4096, 16384}) {
            reduce(bench, elements / columns, columns, 32);
            reduce(bench, elements / columns, columns, 5);
            if (columns < 256) reduce(bench, elements / columns, columns, 4);
        }
    }
    sides<std::uint8_t>(bench, "u8");
    sides<std::uint16_t>(bench, "u16");
    sides<float>(bench, "f32");
    sides<double>(bench, "f64");
    sides<Pixel>(bench, "3");
    sides<Twelve>(bench, "12");
}
