// SPDX-License-Identifier: Apache-2.0
// Batches of matrices by the way that the library chooses, and by every way that there is: the
// source of the limits between blocks, pieces and tiles in tuning/transpose_batch_tuning.cuh.
// `summarise.py` shows what the choice loses to the best way, as it would to a peer.
#include <wideload/device/transpose.cuh>

#include "harness.cuh"
#include "transposed.cuh"

namespace {

using namespace wideload;

bench::Pool* input_pool;
bench::Pool* output_pool;

/// Whether `launch(output)`, which finds the input's data there, leaves them transposed.
template <class T>
bool transposes(bench::Bench& bench, std::size_t rows, std::size_t columns, std::size_t batch,
                const std::function<cudaError_t(T*)>& launch) {
    const std::size_t bytes = rows * columns * batch * sizeof(T);
    const T* input = input_pool->buffer<const T>(0, bytes);
    T* output = output_pool->buffer<T>(0, bytes);
    BENCH_REQUIRE(cudaMemcpyAsync(output, input, bytes, cudaMemcpyDeviceToDevice, bench.stream()));
    BENCH_REQUIRE(launch(output));
    return bench::transposed(input, output, rows, columns, batch);
}

bool worth_timing(std::size_t bytes) { return bytes >= 20000 && bytes <= 40000000; }

template <class T>
void out_of_place(bench::Bench& bench, std::size_t rows, std::size_t columns, std::size_t batch) {
    constexpr int kSize = static_cast<int>(sizeof(T));
    const std::size_t bytes = rows * columns * batch * kSize;
    if (!worth_timing(bytes)) return;
    const auto contender = [&](const char* name, auto launch) {
        const bool ok = transposes<T>(bench, rows, columns, batch, [&](T* output) {
            return launch(input_pool->buffer<const T>(0, bytes), output, bench.stream());
        });
        const auto timed = [=](int rotation, cudaStream_t stream) {
            BENCH_REQUIRE(launch(input_pool->buffer<const T>(rotation, bytes),
                                 output_pool->buffer<T>(rotation, bytes), stream));
        };
        return bench::Contender{name, timed, ok};
    };
    std::vector<bench::Contender> all = {
        contender("wideload",
                  [=](const T* input, T* output, cudaStream_t stream) {
                      return transpose_batched(input, output, rows, columns, batch, stream);
                  }),
        contender("tiles", [=](const T* input, T* output, cudaStream_t stream) {
            return detail::launch_transpose_tiles<kSize>(input, output, rows, columns, batch,
                                                         stream);
        })};
    if (rows * columns * kSize <= tuning::kRaggedSmallMatrixBytes) {
        all.push_back(contender("blocks", [=](const T* input, T* output, cudaStream_t stream) {
            return detail::dispatch_transpose_small<kSize>(input, output, rows, columns, batch,
                                                           stream);
        }));
    }
    if (std::min(rows, columns) * kSize <= tuning::narrow_transpose_bytes(kSize)) {
        all.push_back(contender("pieces", [=](const T* input, T* output, cudaStream_t stream) {
            return detail::dispatch_transpose_narrow<kSize>(
                {input, output, rows, columns, batch, kSize}, stream);
        }));
    }
    bench.compare("transpose_ways",
                  "size=" + std::to_string(kSize) + ";" + std::to_string(batch) + "x" +
                      std::to_string(rows) + "x" + std::to_string(columns),
                  2 * bytes, all);
}

template <class T>
void in_place(bench::Bench& bench, std::size_t side, std::size_t batch) {
    constexpr int kSize = static_cast<int>(sizeof(T));
    const std::size_t bytes = side * side * batch * kSize;
    if (!worth_timing(bytes)) return;
    const auto contender = [&](const char* name, auto launch) {
        const bool ok = transposes<T>(bench, side, side, batch, [&](T* output) {
            return launch(output, side, batch, bench.stream());
        });
        const auto timed = [=](int rotation, cudaStream_t stream) {
            BENCH_REQUIRE(launch(output_pool->buffer<T>(rotation, bytes), side, batch, stream));
        };
        return bench::Contender{name, timed, ok};
    };
    std::vector<bench::Contender> all = {contender("wideload", transpose_square_in_place<T>),
                                         contender("tiles", detail::launch_square_tiles<kSize>)};
    if (side * side * kSize <= tuning::kRaggedSmallMatrixBytes) {
        all.push_back(contender("blocks", [](T* data, std::size_t side, std::size_t batch,
                                             cudaStream_t stream) {
            return detail::dispatch_transpose_small<kSize>(data, data, side, side, batch, stream);
        }));
    }
    bench.compare("transpose_ways",
                  "in_place;size=" + std::to_string(kSize) + ";" + std::to_string(batch) + "x" +
                      std::to_string(side) + "x" + std::to_string(side),
                  2 * bytes, all);
}

template <class T>
void sweep(bench::Bench& bench) {
    for (std::size_t side : {10, 16, 24, 33, 48, 50, 64, 65, 72, 80, 88, 96, 100, 112, 129, 144}) {
        for (std::size_t batch : {4, 16, 64, 250, 1000, 4000, 40000}) {
            out_of_place<T>(bench, side, side, batch);
            out_of_place<T>(bench, side, side + side / 3, batch);
            out_of_place<T>(bench, side + side / 3, side, batch);
            in_place<T>(bench, side, batch);
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    bench::Bench bench(argc, argv);
    input_pool = new bench::Pool(std::size_t{1} << 30, 1);
    output_pool = new bench::Pool(std::size_t{1} << 30, 2);
    sweep<std::uint8_t>(bench);
    sweep<std::uint16_t>(bench);
    sweep<float>(bench);
    sweep<double>(bench);
}
