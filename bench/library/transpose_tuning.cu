// SPDX-License-Identifier: Apache-2.0
// Which tiles are fastest for aligned and for odd matrices: the source of tuning/transpose_tuning.cuh.
#include <wideload/device/dispatch/transpose_dispatch.cuh>

#include "harness.cuh"

namespace {

using namespace wideload;

bench::Pool* input_pool;
bench::Pool* output_pool;

template <class T, int Rows, int Columns, int Threads>
void swizzled(bench::Bench& bench) {
    for (std::size_t side : {std::size_t{4096}, std::size_t{16384}}) {
        const std::size_t rows = side, columns = side * 4 / sizeof(T), bytes = rows * columns * sizeof(T);
        const std::size_t down = divide_up<std::size_t>(rows, Rows), across = divide_up<std::size_t>(columns, Columns);
        const double time = bench.time(2 * bytes, [=](int rotation, cudaStream_t stream) {
            const auto plan = detail::plan_tiles(input_pool->buffer<const T>(rotation, bytes),
                                                 output_pool->buffer<T>(rotation, bytes), rows, columns, down, across);
            BENCH_REQUIRE(detail::launch(detail::transpose_swizzled_kernel<T, Rows, Columns, Threads, cached, cached>,
                                         down * across, Threads, 0, stream, plan));
        });
        bench.row("swizzled_tuning",
                  "tile=" + std::to_string(Rows) + "x" + std::to_string(Columns) + ";threads=" + std::to_string(Threads),
                  "size=" + std::to_string(sizeof(T)) + ";" + std::to_string(rows) + "x" + std::to_string(columns), 2 * bytes,
                  time, true);
    }
}

template <class T, int Width, int Height, int Boundary, int Threads>
void sheared(bench::Bench& bench) {
    using Tile = block::sheared_transpose<T, 1, Width, Height, Boundary, Threads>;
    for (auto [rows, columns] : {std::pair<std::size_t, std::size_t>{8191, 4099}, {16383, 16385}}) {
        const std::size_t bytes = rows * columns * sizeof(T);
        const std::size_t down = Tile::tiles_along_output(rows), across = divide_up<std::size_t>(columns, Height);
        const std::size_t r = rows, c = columns;
        const double time = bench.time(2 * bytes, [=](int rotation, cudaStream_t stream) {
            const auto plan = detail::plan_tiles(input_pool->buffer<const T>(rotation, bytes),
                                                 output_pool->buffer<T>(rotation, bytes), r, c, down, across);
            BENCH_REQUIRE(detail::launch(detail::transpose_sheared_kernel<Tile, T, 1, Width, Height, Threads, cached, cached>,
                                         down * across, Threads, 0, stream, plan));
        });
        bench.row("sheared_tuning",
                  "tile=" + std::to_string(Width) + "x" + std::to_string(Height) + ";boundary=" + std::to_string(Boundary) +
                      ";threads=" + std::to_string(Threads),
                  "size=" + std::to_string(sizeof(T)) + ";" + std::to_string(rows) + "x" + std::to_string(columns), 2 * bytes,
                  time, true);
    }
}

}  // namespace

int main(int argc, char** argv) {
    bench::Bench bench(argc, argv);
    input_pool = new bench::Pool(std::size_t{5} << 30, 1);
    output_pool = new bench::Pool(std::size_t{5} << 30, 2);
    using u8 = std::uint8_t;
    using u16 = std::uint16_t;
    using u32 = std::uint32_t;
    swizzled<u32, 32, 32, 64>(bench);
    swizzled<u32, 32, 64, 128>(bench);
    swizzled<u32, 64, 32, 128>(bench);
    swizzled<u32, 64, 64, 128>(bench);
    swizzled<u32, 64, 64, 256>(bench);
    swizzled<u32, 32, 128, 256>(bench);
    swizzled<u32, 128, 32, 256>(bench);
    swizzled<u32, 64, 128, 256>(bench);
    swizzled<u32, 128, 64, 256>(bench);
    swizzled<u32, 128, 64, 512>(bench);
    swizzled<u32, 64, 128, 512>(bench);
    swizzled<u16, 64, 64, 256>(bench);
    swizzled<u16, 64, 128, 256>(bench);
    swizzled<u16, 128, 64, 256>(bench);
    swizzled<u16, 128, 128, 256>(bench);
    swizzled<u16, 64, 64, 128>(bench);
    swizzled<u8, 128, 128, 256>(bench);
    swizzled<u8, 128, 128, 512>(bench);
    swizzled<u8, 128, 128, 1024>(bench);
    swizzled<u8, 128, 256, 512>(bench);
    swizzled<u8, 256, 128, 512>(bench);
    swizzled<uint2, 32, 32, 256>(bench);
    swizzled<uint2, 32, 32, 128>(bench);
    swizzled<uint2, 16, 32, 128>(bench);
    swizzled<uint2, 32, 64, 256>(bench);
    swizzled<uint2, 64, 32, 256>(bench);
    swizzled<uint2, 16, 64, 256>(bench);
    swizzled<uint4, 16, 16, 128>(bench);
    swizzled<uint4, 16, 16, 256>(bench);
    swizzled<uint4, 32, 16, 256>(bench);
    swizzled<uint4, 16, 32, 256>(bench);
    swizzled<uint4, 32, 32, 256>(bench);
    sheared<u32, 64, 64, 1, 256>(bench);
    sheared<u32, 64, 64, 32, 256>(bench);
    sheared<u32, 64, 64, 64, 256>(bench);
    sheared<u32, 64, 32, 32, 256>(bench);
    sheared<u32, 64, 32, 64, 256>(bench);
    sheared<u32, 128, 32, 32, 256>(bench);
    sheared<u32, 128, 32, 64, 256>(bench);
    sheared<u32, 128, 32, 128, 256>(bench);
    sheared<u32, 128, 64, 32, 256>(bench);
    sheared<u32, 128, 64, 64, 256>(bench);
    sheared<u32, 128, 64, 128, 256>(bench);
    sheared<u32, 128, 64, 64, 512>(bench);
    sheared<u32, 32, 64, 32, 256>(bench);
    sheared<u32, 32, 32, 32, 256>(bench);
    sheared<u32, 64, 64, 64, 512>(bench);
    sheared<u32, 64, 128, 64, 512>(bench);
    sheared<u16, 64, 64, 32, 256>(bench);
    sheared<u16, 128, 64, 32, 256>(bench);
    sheared<u16, 128, 64, 64, 256>(bench);
    sheared<u16, 128, 128, 64, 512>(bench);
    sheared<uint2, 32, 32, 32, 256>(bench);
    sheared<uint2, 64, 32, 32, 256>(bench);
    sheared<uint2, 64, 32, 64, 256>(bench);
    sheared<uint2, 64, 16, 64, 256>(bench);
    sheared<uint2, 32, 32, 1, 256>(bench);
}
