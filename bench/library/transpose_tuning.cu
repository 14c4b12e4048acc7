// SPDX-License-Identifier: Apache-2.0
// Which tiles are fastest for aligned and for odd matrices: the source of tuning/transpose_tuning.cuh.
#include <wideload/device/dispatch/transpose_dispatch.cuh>

#include "harness.cuh"

namespace {

using namespace wideload;

bench::Pool* input_pool;
bench::Pool* output_pool;

template <class T, int Rows, int Columns, int Threads, int Group>
void swizzled(bench::Bench& bench) {
    for (std::size_t side : {std::size_t{4096}, std::size_t{16384}}) {
        const std::size_t rows = side, columns = side * 4 / sizeof(T), bytes = rows * columns * sizeof(T);
        const double time = bench.time(2 * bytes, [=](int rotation, cudaStream_t stream) {
            const auto kernel = detail::transpose_swizzled_kernel<T, Rows, Columns, Threads, Group, cached, cached>;
            const auto status = detail::launch_tiles<Group, T>(
                kernel, input_pool->buffer<const T>(rotation, bytes), output_pool->buffer<T>(rotation, bytes), rows, columns,
                1, divide_up<std::size_t>(rows, Rows), divide_up<std::size_t>(columns, Columns), Threads, stream);
            BENCH_REQUIRE(status);
        });
        bench.row("swizzled_tuning",
                  "tile=" + std::to_string(Rows) + "x" + std::to_string(Columns) + ";threads=" + std::to_string(Threads) +
                      ";group=" + std::to_string(Group),
                  "size=" + std::to_string(sizeof(T)) + ";" + std::to_string(rows) + "x" + std::to_string(columns), 2 * bytes,
                  time, true);
    }
}

template <class T, int Rows, int Columns, int Boundary, int Threads, int Group>
void shifted(bench::Bench& bench) {
    using Tile = block::shifted_transpose<T, Rows, Columns, Boundary, Threads>;
    for (auto [r, c] : {std::pair<std::size_t, std::size_t>{8191, 4099}, {16383, 16385}}) {
        const std::size_t rows = r, columns = c * 4 / sizeof(T) + 1, bytes = rows * columns * sizeof(T);
        const double time = bench.time(2 * bytes, [=](int rotation, cudaStream_t stream) {
            const auto kernel = detail::transpose_shifted_kernel<T, Rows, Columns, Boundary, Threads, Group, cached, cached>;
            const auto status = detail::launch_tiles<Group, char>(
                kernel, input_pool->buffer<const T>(rotation, bytes), output_pool->buffer<T>(rotation, bytes), rows, columns,
                1, Tile::tiles_along_output(rows), divide_up<std::size_t>(columns, Columns), Threads, stream);
            BENCH_REQUIRE(status);
        });
        bench.row("shifted_transpose_tuning",
                  "tile=" + std::to_string(Rows) + "x" + std::to_string(Columns) + ";boundary=" + std::to_string(Boundary) +
                      ";threads=" + std::to_string(Threads) + ";group=" + std::to_string(Group),
                  "size=" + std::to_string(sizeof(T)) + ";" + std::to_string(rows) + "x" + std::to_string(columns), 2 * bytes,
                  time, true);
    }
}

template <class T, int Rows, int Columns, int Threads>
void swizzled_groups(bench::Bench& bench) {
    swizzled<T, Rows, Columns, Threads, 1>(bench);
    swizzled<T, Rows, Columns, Threads, 4>(bench);
    swizzled<T, Rows, Columns, Threads, 16>(bench);
    swizzled<T, Rows, Columns, Threads, 4096>(bench);
}

template <class T, int Rows, int Columns, int Boundary, int Threads>
void shifted_groups(bench::Bench& bench) {
    shifted<T, Rows, Columns, Boundary, Threads, 1>(bench);
    shifted<T, Rows, Columns, Boundary, Threads, 8>(bench);
}

}  // namespace

int main(int argc, char** argv) {
    bench::Bench bench(argc, argv);
    input_pool = new bench::Pool(std::size_t{5} << 30, 1);
    output_pool = new bench::Pool(std::size_t{5} << 30, 2);
    using u8 = std::uint8_t;
    using u16 = std::uint16_t;
    using u32 = std::uint32_t;
    swizzled_groups<u32, 32, 32, 256>(bench);
    swizzled_groups<u32, 32, 32, 128>(bench);
    swizzled_groups<u32, 32, 64, 256>(bench);
    swizzled_groups<u32, 64, 32, 256>(bench);
    swizzled_groups<u32, 64, 64, 256>(bench);
    swizzled_groups<u32, 64, 64, 512>(bench);
    swizzled_groups<u32, 32, 128, 256>(bench);
    swizzled_groups<u32, 128, 32, 256>(bench);
    swizzled<u32, 32, 64, 128, 1>(bench);
    swizzled<u32, 32, 64, 512, 1>(bench);
    swizzled_groups<u16, 64, 64, 256>(bench);
    swizzled_groups<u16, 64, 128, 256>(bench);
    swizzled_groups<u16, 128, 128, 512>(bench);
    swizzled_groups<u16, 128, 64, 256>(bench);
    swizzled_groups<u8, 128, 128, 256>(bench);
    swizzled_groups<u8, 256, 128, 512>(bench);
    swizzled_groups<u8, 128, 256, 512>(bench);
    swizzled_groups<uint2, 32, 32, 256>(bench);
    swizzled_groups<uint2, 16, 32, 256>(bench);
    swizzled_groups<uint2, 32, 16, 256>(bench);
    swizzled_groups<uint2, 32, 32, 512>(bench);
    swizzled_groups<uint4, 16, 16, 256>(bench);
    swizzled_groups<uint4, 16, 16, 128>(bench);
    swizzled_groups<uint4, 32, 16, 256>(bench);
    shifted_groups<u32, 64, 64, 32, 256>(bench);
    shifted_groups<u32, 64, 64, 32, 512>(bench);
    shifted_groups<u32, 64, 64, 16, 256>(bench);
    shifted_groups<u32, 64, 32, 32, 256>(bench);
    shifted_groups<u32, 128, 32, 32, 256>(bench);
    shifted_groups<u32, 128, 32, 64, 256>(bench);
    shifted_groups<u32, 128, 64, 32, 512>(bench);
    shifted_groups<u32, 128, 64, 64, 512>(bench);
    shifted_groups<u32, 32, 64, 32, 256>(bench);
    shifted_groups<u32, 32, 64, 16, 256>(bench);
    shifted_groups<u32, 32, 128, 32, 256>(bench);
    shifted_groups<u16, 128, 64, 32, 256>(bench);
    shifted_groups<u16, 128, 128, 32, 512>(bench);
    shifted_groups<u16, 256, 64, 32, 512>(bench);
    shifted_groups<u8, 256, 128, 32, 512>(bench);
    shifted_groups<u8, 128, 128, 16, 256>(bench);
    shifted_groups<u8, 128, 128, 32, 256>(bench);
    shifted_groups<u8, 256, 128, 16, 512>(bench);
    shifted_groups<uint2, 64, 32, 32, 256>(bench);
    shifted_groups<uint2, 32, 32, 32, 256>(bench);
    shifted_groups<uint2, 32, 64, 32, 256>(bench);
    shifted_groups<uint2, 64, 16, 32, 256>(bench);
    shifted_groups<uint4, 32, 16, 32, 256>(bench);
    shifted_groups<uint4, 16, 32, 32, 256>(bench);
}
