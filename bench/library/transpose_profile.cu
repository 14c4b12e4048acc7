// SPDX-License-Identifier: Apache-2.0
// One launch of each variant of the transpose, for a profiler to look at:
//   ncu --clock-control none --section ... transpose_profile
#include <wideload/device/copy.cuh>
#include <wideload/device/dispatch/transpose_dispatch.cuh>

#include <cublas_v2.h>

#include "harness.cuh"

namespace {

using namespace wideload;
using u32 = std::uint32_t;

template <int Rows, int Columns, int Threads>
void swizzled(const u32* input, u32* output, std::size_t rows, std::size_t columns) {
    BENCH_REQUIRE((detail::launch_tiles<u32>(
        detail::transpose_swizzled_kernel<u32, Rows, Columns, Threads, cached, cached>, input,
        output, rows, columns, 1,
        {divide_up<std::size_t>(rows, Rows), divide_up<std::size_t>(columns, Columns)}, Threads,
        nullptr)));
}

template <int Width, int Height, int Boundary, int Threads>
void padded(const u32* input, u32* output, std::size_t rows, std::size_t columns) {
    using Tile = block::padded_transpose<u32, 1, Width, Height, Boundary, Threads>;
    BENCH_REQUIRE((detail::launch_tiles<u32>(
        detail::transpose_padded_kernel<u32, 1, Width, Height, Boundary, Threads, true, cached,
                                        cached>,
        input, output, rows, columns, 1,
        {Tile::tiles_along_output(rows), divide_up<std::size_t>(columns, Height)}, Threads,
        nullptr)));
}

template <int Rows, int Columns, int Boundary, int Threads>
void shifted(const u32* input, u32* output, std::size_t rows, std::size_t columns) {
    using Tile = block::shifted_transpose<u32, Rows, Columns, Boundary, Threads>;
    BENCH_REQUIRE((detail::launch_tiles<char>(
        detail::transpose_shifted_kernel<u32, Rows, Columns, Boundary, Threads, 1, cached, cached>,
        input, output, rows, columns, 1,
        {Tile::tiles_along_output(rows), divide_up<std::size_t>(columns, Columns)}, Threads,
        nullptr)));
}

}  // namespace

int main() {
    const std::size_t bytes = std::size_t{8192} * 4100 * 4;
    bench::Pool in(bytes, 1), out(bytes, 2);
    const u32* input = reinterpret_cast<const u32*>(in.data());
    u32* output = reinterpret_cast<u32*>(out.data());
    BENCH_REQUIRE(copy_bytes(input, output, bytes));
    swizzled<32, 64, 256>(input, output, 8192, 4096);
    swizzled<64, 64, 256>(input, output, 8192, 4096);
    padded<64, 64, 1, 256>(input, output, 8192, 4096);
    padded<64, 64, 1, 256>(input, output, 8191, 4099);
    padded<64, 64, 32, 256>(input, output, 8191, 4099);
    shifted<64, 64, 16, 256>(input, output, 8192, 4096);
    shifted<64, 64, 16, 256>(input, output, 8191, 4099);
    shifted<64, 64, 32, 256>(input, output, 8191, 4099);
    cublasHandle_t blas;
    cublasCreate(&blas);
    const float one = 1, zero = 0;
    const auto* a = reinterpret_cast<const float*>(input);
    cublasSgeam(blas, CUBLAS_OP_T, CUBLAS_OP_N, 8191, 4099, &one, a, 4099, &zero, a, 8191,
                reinterpret_cast<float*>(output), 8191);
    BENCH_REQUIRE(cudaDeviceSynchronize());
}
