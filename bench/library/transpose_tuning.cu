// SPDX-License-Identifier: Apache-2.0
// Which tiles are fastest for aligned and for odd matrices, out of place and in place: the source
// of tuning/transpose_tuning.cuh.
#include <wideload/device/dispatch/transpose_in_place_dispatch.cuh>

#include "harness.cuh"

namespace {

using namespace wideload;

bench::Pool* input_pool;
bench::Pool* output_pool;

template <class T, int Rows, int Columns, int Threads, class Load = cached, class Store = cached>
void swizzled(bench::Bench& bench, const char* policies = "cached") {
    for (std::size_t side : {std::size_t{4096}, std::size_t{16384}}) {
        const std::size_t rows = side, columns = side * 4 / sizeof(T),
                          bytes = rows * columns * sizeof(T);
        const bench::Timing time = bench.time(2 * bytes, [=](int rotation, cudaStream_t stream) {
            const auto kernel =
                detail::transpose_swizzled_kernel<T, Rows, Columns, Threads, Load, Store>;
            const auto status = detail::launch_tiles<T>(
                kernel, input_pool->buffer<const T>(rotation, bytes),
                output_pool->buffer<T>(rotation, bytes), rows, columns, 1,
                {divide_up<std::size_t>(rows, Rows), divide_up<std::size_t>(columns, Columns)},
                Threads, stream);
            BENCH_REQUIRE(status);
        });
        bench.row("swizzled_tuning",
                  "tile=" + std::to_string(Rows) + "x" + std::to_string(Columns) +
                      ";threads=" + std::to_string(Threads) + ";" + std::string(policies),
                  "size=" + std::to_string(sizeof(T)) + ";" + std::to_string(rows) + "x" +
                      std::to_string(columns),
                  2 * bytes, time, true);
    }
}

template <class T, int Width, int Height, int Boundary, int Threads, bool Async = true,
          class Load = cached, class Store = cached>
void padded(bench::Bench& bench, const char* policies = "cached") {
    using Tile = block::padded_transpose<T, 1, Width, Height, Boundary, Threads>;
    for (auto [r, c] : {std::pair<std::size_t, std::size_t>{8191, 4099}, {16383, 16385}}) {
        const std::size_t rows = r, columns = c * 4 / sizeof(T) + 1,
                          bytes = rows * columns * sizeof(T);
        const bench::Timing time = bench.time(2 * bytes, [=](int rotation, cudaStream_t stream) {
            const auto kernel = detail::transpose_padded_kernel<T, 1, Width, Height, Boundary,
                                                                Threads, Async, Load, Store>;
            const auto status = detail::launch_tiles<T>(
                kernel, input_pool->buffer<const T>(rotation, bytes),
                output_pool->buffer<T>(rotation, bytes), rows, columns, 1,
                {Tile::tiles_along_output(rows), divide_up<std::size_t>(columns, Height)}, Threads,
                stream);
            BENCH_REQUIRE(status);
        });
        bench.row("odd_transpose_tuning",
                  "padded=" + std::to_string(Width) + "x" + std::to_string(Height) + ";boundary=" +
                      std::to_string(Boundary) + ";threads=" + std::to_string(Threads) +
                      (Async ? ";async;" : ";") + std::string(policies),
                  "size=" + std::to_string(sizeof(T)) + ";" + std::to_string(rows) + "x" +
                      std::to_string(columns),
                  2 * bytes, time, true);
    }
}

/// Squares in place: `Padded` ones are odd.
template <class T, int Side, int Threads, bool Padded, bool Async = true>
void in_place(bench::Bench& bench) {
    for (std::size_t side : {std::size_t{4096}, std::size_t{16384}}) {
        const std::size_t size = Padded ? side - 1 : side, bytes = size * size * sizeof(T);
        const bench::Timing time = bench.time(2 * bytes, [=](int rotation, cudaStream_t stream) {
            T* data = output_pool->buffer<T>(rotation, bytes);
            if constexpr (Padded) {
                BENCH_REQUIRE((detail::launch_in_place<Side, T>(
                    detail::transpose_in_place_any_kernel<T, 1, Side, Threads, Async>, data, 1,
                    size, 1, Threads, stream)));
            } else {
                BENCH_REQUIRE((detail::launch_in_place<Side, T>(
                    detail::transpose_in_place_swizzled_kernel<T, Side, Threads>, data, 1, size, 1,
                    Threads, stream)));
            }
        });
        bench.row("in_place_tuning",
                  std::string(Padded ? "padded=" : "swizzled=") + std::to_string(Side) +
                      ";threads=" + std::to_string(Threads) + (Padded && Async ? ";async" : ""),
                  "size=" + std::to_string(sizeof(T)) + ";" + std::to_string(size) + "x" +
                      std::to_string(size),
                  2 * bytes, time, true);
    }
}

template <class T, int Rows, int Columns, int Boundary, int Threads, class Load = cached,
          class Store = cached>
void shifted(bench::Bench& bench, const char* policies = "cached") {
    using Tile = block::shifted_transpose<T, Rows, Columns, Boundary, Threads>;
    for (auto [r, c] : {std::pair<std::size_t, std::size_t>{8191, 4099}, {16383, 16385}}) {
        const std::size_t rows = r, columns = c * 4 / sizeof(T) + 1,
                          bytes = rows * columns * sizeof(T);
        const bench::Timing time = bench.time(2 * bytes, [=](int rotation, cudaStream_t stream) {
            const auto kernel = detail::transpose_shifted_kernel<T, Rows, Columns, Boundary,
                                                                 Threads, 1, Load, Store>;
            const auto status = detail::launch_tiles<char>(
                kernel, input_pool->buffer<const T>(rotation, bytes),
                output_pool->buffer<T>(rotation, bytes), rows, columns, 1,
                {Tile::tiles_along_output(rows), divide_up<std::size_t>(columns, Columns)}, Threads,
                stream);
            BENCH_REQUIRE(status);
        });
        bench.row("odd_transpose_tuning",
                  "shifted=" + std::to_string(Rows) + "x" + std::to_string(Columns) +
                      ";boundary=" + std::to_string(Boundary) +
                      ";threads=" + std::to_string(Threads) + ";" + std::string(policies),
                  "size=" + std::to_string(sizeof(T)) + ";" + std::to_string(rows) + "x" +
                      std::to_string(columns),
                  2 * bytes, time, true);
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
    swizzled<u32, 32, 32, 128>(bench);
    swizzled<u32, 32, 64, 128>(bench);
    swizzled<u32, 32, 64, 256>(bench);
    swizzled<u32, 64, 32, 256>(bench);
    swizzled<u32, 64, 64, 256>(bench);
    swizzled<u32, 64, 64, 512>(bench);
    swizzled<u32, 32, 128, 256>(bench);
    swizzled<u32, 64, 64, 256, read_line>(bench, "read_line");
    swizzled<u32, 32, 64, 256, cached, streaming>(bench, "st_streaming");
    swizzled<u16, 64, 64, 256>(bench);
    swizzled<u16, 64, 128, 256>(bench);
    swizzled<u16, 64, 128, 512>(bench);
    swizzled<u16, 128, 128, 512>(bench);
    swizzled<u8, 128, 128, 256>(bench);
    swizzled<u8, 128, 256, 512>(bench);
    swizzled<uint2, 32, 32, 256>(bench);
    swizzled<uint2, 32, 32, 128>(bench);
    swizzled<uint2, 16, 32, 256>(bench);
    swizzled<uint2, 64, 32, 256>(bench);
    swizzled<uint4, 16, 16, 128>(bench);
    swizzled<uint4, 16, 16, 256>(bench);
    swizzled<uint4, 32, 16, 256>(bench);
    swizzled<uint4, 32, 32, 256>(bench);
    padded<u32, 128, 64, 32, 512>(bench);
    padded<u32, 128, 64, 32, 512, false>(bench);
    padded<u32, 128, 64, 32, 256>(bench);
    padded<u32, 128, 64, 32, 1024>(bench);
    padded<u32, 128, 64, 64, 512>(bench);
    padded<u32, 256, 32, 32, 512>(bench);
    padded<u32, 64, 64, 32, 256>(bench);
    padded<u32, 64, 128, 32, 512>(bench);
    padded<u32, 128, 32, 32, 256>(bench);
    padded<uint2, 64, 64, 32, 512>(bench);
    padded<uint2, 64, 64, 32, 512, false, read_line>(bench, "read_line");
    padded<uint2, 64, 32, 32, 256>(bench);
    padded<uint2, 64, 64, 32, 256>(bench);
    padded<uint2, 128, 32, 32, 512>(bench);
    padded<uint4, 32, 32, 32, 256>(bench);
    padded<uint4, 32, 32, 32, 512>(bench);
    padded<uint4, 32, 32, 32, 256, false, read_line>(bench, "read_line");
    in_place<u32, 32, 256, false>(bench);
    in_place<u32, 32, 128, false>(bench);
    in_place<u32, 64, 512, false>(bench);
    in_place<u32, 64, 256, false>(bench);
    in_place<uint2, 32, 256, false>(bench);
    in_place<uint2, 32, 512, false>(bench);
    in_place<uint4, 16, 128, false>(bench);
    in_place<uint4, 16, 256, false>(bench);
    in_place<uint4, 32, 512, false>(bench);
    in_place<u8, 128, 256, false>(bench);
    in_place<u16, 64, 256, false>(bench);
    in_place<u16, 128, 512, false>(bench);
    in_place<u32, 64, 256, true>(bench);
    in_place<u32, 64, 256, true, false>(bench);
    in_place<u32, 64, 512, true>(bench);
    in_place<u32, 64, 1024, true>(bench);
    in_place<u32, 32, 256, true>(bench);
    in_place<uint2, 32, 256, true>(bench);
    in_place<uint2, 32, 512, true>(bench);
    in_place<uint2, 32, 256, true, false>(bench);
    in_place<uint4, 32, 256, true>(bench);
    in_place<uint4, 16, 256, true>(bench);
    padded<u16, 128, 128, 32, 512>(bench);
    shifted<u16, 128, 64, 32, 256>(bench);
    shifted<u16, 128, 128, 32, 512>(bench);
    shifted<u16, 128, 128, 64, 256>(bench);
    shifted<u8, 256, 128, 32, 512>(bench);
    shifted<u16, 128, 128, 32, 256>(bench);
    shifted<u16, 256, 64, 32, 256>(bench);
    shifted<u32, 128, 64, 32, 512>(bench);
    shifted<u32, 64, 64, 32, 256>(bench);
    shifted<u8, 128, 128, 16, 256>(bench);
    shifted<u8, 256, 128, 32, 256>(bench);
}
