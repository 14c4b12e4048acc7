// SPDX-License-Identifier: Apache-2.0
// Which shape of the fill kernel is fastest at which size: the source of tuning/fill_tuning.cuh.
#include <wideload/device/dispatch/fill_dispatch.cuh>

#include "harness.cuh"

namespace {

using namespace wideload;

bench::Pool* pool;

template <int Words, class Store>
void shape(bench::Bench& bench, const char* policy) {
    for (int threads : {128, 256, 512, 1024}) {
        for (std::size_t bytes : bench::kTuningSizes) {
            const auto launch = [=](int rotation, cudaStream_t stream) {
                detail::FillPlan plan =
                    detail::plan_fill(pool->buffer<char>(rotation, bytes), bytes, 16);
                const float value = 1.5f;
                const auto pattern = detail::make_fill_pattern<4>(&value, 0);
                const std::size_t blocks = divide_up<std::size_t>(plan.body_words, threads * Words);
                plan.body_blocks = static_cast<unsigned>(blocks);
                BENCH_REQUIRE(detail::launch(detail::fill_word_kernel<Words, Store>, blocks,
                                             threads, 0, stream, plan, pattern));
            };
            bench.row("fill_tuning",
                      std::string(policy) + ";words=" + std::to_string(Words) +
                          ";threads=" + std::to_string(threads),
                      bench::bytes_name(bytes), bytes, bench.time(bytes, launch), true);
        }
    }
}

template <class Store>
void policy(bench::Bench& bench, const char* name) {
    shape<1, Store>(bench, name);
    shape<2, Store>(bench, name);
    shape<4, Store>(bench, name);
    shape<8, Store>(bench, name);
}

}  // namespace

int main(int argc, char** argv) {
    bench::Bench bench(argc, argv);
    pool = new bench::Pool(std::size_t{4} << 30, 2);
    policy<cached>(bench, "cached");
    policy<streaming>(bench, "streaming");
    policy<no_allocate>(bench, "no_allocate");
    for (std::size_t bytes : bench::kTuningSizes) {
        const auto launch = [=](int rotation, cudaStream_t stream) {
            BENCH_REQUIRE(
                cudaMemsetAsync(pool->buffer<char>(rotation, bytes), 0x3f, bytes, stream));
        };
        bench.row("fill_tuning", "cudaMemsetAsync", bench::bytes_name(bytes), bytes,
                  bench.time(bytes, launch), true);
        bench.row("fill_tuning", "cudaMemsetAsync;direct", bench::bytes_name(bytes), bytes,
                  bench.time(bytes, launch, true), true);
    }
}
