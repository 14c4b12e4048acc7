// SPDX-License-Identifier: Apache-2.0
// Which shape of the copy kernel is fastest at which size: the source of tuning/copy_tuning.cuh.
#include <wideload/device/dispatch/copy_dispatch.cuh>

#include "harness.cuh"

namespace {

using namespace wideload;

bench::Pool* source_pool;
bench::Pool* destination_pool;

template <int Threads, int Words, class Load, class Store>
void aligned(bench::Bench& bench, const char* policies) {
    for (std::size_t bytes : bench::kTuningSizes) {
        const unsigned words = static_cast<unsigned>(bytes / 16);
        const auto launch = [=](int rotation, cudaStream_t stream) {
            BENCH_REQUIRE(
                detail::launch(detail::copy_words_kernel<Threads, Words, Load, Store, unsigned>,
                               divide_up<std::size_t>(words, Threads * Words), Threads, 0, stream,
                               source_pool->buffer<char>(rotation, bytes),
                               destination_pool->buffer<char>(rotation, bytes), words));
        };
        bench.row("copy_tuning",
                  std::string(policies) + ";words=" + std::to_string(Words) +
                      ";threads=" + std::to_string(Threads),
                  bench::bytes_name(bytes), 2 * bytes, bench.time(2 * bytes, launch), true);
    }
}

template <int Threads, class Load, class Store>
void shifted(bench::Bench& bench, const char* policies) {
    for (std::size_t bytes : bench::kTuningSizes) {
        const auto launch = [=](int rotation, cudaStream_t stream) {
            // Five bytes: a part of 4 and one more, from a word that starts a sector.
            detail::CopyPlan plan =
                detail::plan_copy(source_pool->buffer<char>(rotation, bytes + 512, 5),
                                  destination_pool->buffer<char>(rotation, bytes), bytes);
            const std::size_t blocks = divide_up<std::size_t>(plan.body_words, Threads);
            plan.body_blocks = static_cast<unsigned>(blocks);
            BENCH_REQUIRE(
                detail::launch(detail::copy_shifted_kernel<Threads, 1, false, 1, Load, Store>,
                               blocks + 1, Threads, 0, stream, plan));
        };
        bench.row("shifted_tuning", std::string(policies) + ";threads=" + std::to_string(Threads),
                  bench::bytes_name(bytes), 2 * bytes, bench.time(2 * bytes, launch), true);
    }
}

template <class Load, class Store>
void policies(bench::Bench& bench, const char* name) {
    aligned<128, 1, Load, Store>(bench, name);
    aligned<256, 1, Load, Store>(bench, name);
    aligned<512, 1, Load, Store>(bench, name);
    aligned<1024, 1, Load, Store>(bench, name);
    aligned<128, 2, Load, Store>(bench, name);
    aligned<256, 2, Load, Store>(bench, name);
    aligned<128, 4, Load, Store>(bench, name);
    aligned<256, 4, Load, Store>(bench, name);
    shifted<128, Load, Store>(bench, name);
    shifted<256, Load, Store>(bench, name);
    shifted<512, Load, Store>(bench, name);
}

}  // namespace

int main(int argc, char** argv) {
    bench::Bench bench(argc, argv);
    source_pool = new bench::Pool(std::size_t{4} << 30, 1);
    destination_pool = new bench::Pool(std::size_t{4} << 30, 2);
    policies<cached, cached>(bench, "cached+cached");
    policies<read_once, cached>(bench, "read_once+cached");
    policies<read_only, streaming>(bench, "read_only+streaming");
    policies<streaming, streaming>(bench, "streaming+streaming");
    policies<no_allocate, no_allocate>(bench, "no_allocate+no_allocate");
    policies<evict_first, evict_first>(bench, "evict_first+evict_first");
    for (std::size_t bytes : bench::kTuningSizes) {
        const auto launch = [=](int rotation, cudaStream_t stream) {
            BENCH_REQUIRE(cudaMemcpyAsync(destination_pool->buffer<char>(rotation, bytes),
                                          source_pool->buffer<char>(rotation, bytes), bytes,
                                          cudaMemcpyDeviceToDevice, stream));
        };
        bench.row("copy_tuning", "cudaMemcpyAsync", bench::bytes_name(bytes), 2 * bytes,
                  bench.time(2 * bytes, launch), true);
        bench.row("copy_tuning", "cudaMemcpyAsync;direct", bench::bytes_name(bytes), 2 * bytes,
                  bench.time(2 * bytes, launch, true), true);
    }
}
