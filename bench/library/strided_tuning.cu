// SPDX-License-Identifier: Apache-2.0
// How many elements a thread should have in flight at which distance, and under which policy: the
// source of tuning/strided_tuning.cuh.
#include <wideload/device/dispatch/strided_dispatch.cuh>

#include "harness.cuh"

namespace {

using namespace wideload;

bench::Pool* source_pool;
bench::Pool* destination_pool;

template <int Elements, int Threads, class Load, class Store>
__global__ void __launch_bounds__(Threads)
    read_strided(const float* source, std::size_t stride, float* destination, std::size_t count) {
    const std::size_t first =
        static_cast<std::size_t>(blockIdx.x) * (Threads * Elements) + threadIdx.x;
    std::uint32_t held[Elements];
#pragma unroll
    for (int k = 0; k < Elements; ++k) {
        const std::size_t i = first + k * Threads;
        if (i < count) held[k] = detail::access<Load>::template load<4>(source + i * stride);
    }
#pragma unroll
    for (int k = 0; k < Elements; ++k) {
        const std::size_t i = first + k * Threads;
        if (i < count) detail::access<Store>::template store<4>(destination + i, held[k]);
    }
}

template <int Elements, int Threads, class Load = cached, class Store = cached>
void measure(bench::Bench& bench, const char* policies = "cached") {
    const std::size_t count = std::size_t{1} << 25;
    for (std::size_t stride : {16, 24, 28, 32}) {
        const std::size_t bytes = count * 68, span = count * stride * 4;
        const bench::Timing time = bench.time(bytes, [=](int rotation, cudaStream_t stream) {
            read_strided<Elements, Threads, Load, Store>
                <<<divide_up<std::size_t>(count, Elements * Threads), Threads, 0, stream>>>(
                    source_pool->buffer<const float>(rotation, span), stride,
                    destination_pool->buffer<float>(rotation, count * 4), count);
        });
        bench.row("strided_tuning",
                  "elements=" + std::to_string(Elements) + ";threads=" + std::to_string(Threads) +
                      ";" + policies,
                  "stride=" + std::to_string(stride), bytes, time, true);
    }
}

}  // namespace

int main(int argc, char** argv) {
    bench::Bench bench(argc, argv);
    source_pool = new bench::Pool(std::size_t{18} << 30, 1);
    destination_pool = new bench::Pool(std::size_t{1} << 30, 2);
    measure<4, 256>(bench);
    measure<1, 256>(bench);
    measure<1, 64>(bench);
    measure<1, 128>(bench);
    measure<1, 512>(bench);
    measure<1, 1024>(bench);
    measure<2, 256>(bench);
    measure<8, 256>(bench);
    measure<16, 128>(bench);
    measure<4, 1024>(bench);
    measure<4, 64>(bench);
    measure<4, 256, read_once>(bench, "read_once");
    measure<4, 256, cache_global>(bench, "cache_global");
    measure<4, 256, no_allocate>(bench, "no_allocate");
    measure<4, 256, read_line>(bench, "read_line");
    measure<4, 256, cached, streaming>(bench, "st_streaming");
    measure<4, 256, streaming, streaming>(bench, "streaming");
}
