// SPDX-License-Identifier: Apache-2.0
// Which shape of the reduction is fastest at which size: the source of tuning/reduce_tuning.cuh.
#include <wideload/device/dispatch/reduce_dispatch.cuh>

#include "harness.cuh"

namespace {

using namespace wideload;

bench::Pool* pool;
int* scratch;

template <int Words, int Threads, class Policy>
void shape(bench::Bench& bench, const char* policy) {
    for (int shift : {16, 18, 20, 22, 24, 26, 28, 30}) {
        const std::size_t count = std::size_t{1} << shift, bytes = count * 4;
        for (int blocks_per_multiprocessor : {1, 2, 4, 8, 16, 1000}) {
            const std::size_t needed = divide_up<std::size_t>(count / 4, Words * Threads);
            const std::size_t most = std::size_t{132} * blocks_per_multiprocessor;
            if (needed > most && blocks_per_multiprocessor == 1000) continue;
            if (needed * 2 <= most && blocks_per_multiprocessor != 1) continue;
            const std::size_t blocks = needed < most ? needed : most;
            const double time = bench.time(bytes, [=](int rotation, cudaStream_t stream) {
                const detail::ReducePlan<float, float> plan{
                    {pool->buffer<const float>(rotation, bytes), 0, count / 4, 0},
                    reinterpret_cast<float*>(scratch + 32),
                    0.0f,
                    reinterpret_cast<unsigned long long*>(scratch + 64),
                    reinterpret_cast<unsigned*>(scratch)};
                BENCH_REQUIRE(detail::launch(
                    detail::reduce_kernel<float, float, plus, Words, Threads, Policy>, blocks,
                    Threads, 0, stream, plan, plus{}));
            });
            bench.row("reduce_tuning",
                      std::string(policy) + ";words=" + std::to_string(Words) +
                          ";threads=" + std::to_string(Threads) +
                          ";blocks=" + std::to_string(blocks_per_multiprocessor),
                      "count=" + std::to_string(count), bytes, time, true);
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    bench::Bench bench(argc, argv);
    pool = new bench::Pool(std::size_t{8} << 30, 1);
    BENCH_REQUIRE(cudaMalloc(&scratch, 1 << 22));
    BENCH_REQUIRE(cudaMemset(scratch, 0, 1 << 22));
    shape<1, 256, cached>(bench, "cached");
    shape<2, 256, cached>(bench, "cached");
    shape<4, 256, cached>(bench, "cached");
    shape<1, 512, cached>(bench, "cached");
    shape<2, 512, cached>(bench, "cached");
    shape<4, 512, cached>(bench, "cached");
    shape<8, 512, cached>(bench, "cached");
    shape<1, 1024, cached>(bench, "cached");
    shape<2, 1024, cached>(bench, "cached");
    shape<4, 1024, cached>(bench, "cached");
    shape<4, 512, no_allocate>(bench, "no_allocate");
}
