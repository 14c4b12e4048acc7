// SPDX-License-Identifier: Apache-2.0
// Which shape of the reduction is fastest at which size: the source of tuning/reduce_tuning.cuh.
#include <wideload/device/dispatch/reduce_dispatch.cuh>

#include "harness.cuh"

namespace {

using namespace wideload;

bench::Pool* pool;
int* scratch;

/// @tparam OfLane  as of ReduceBuild; of no matter where blocks add to one sum
template <class Operation, int Words, int Threads, int OfLane, class Policy = cached>
void shape(bench::Bench& bench, const char* name) {
    constexpr bool kMailboxes = !detail::kCountedSum<float, Operation>;
    using Build = detail::ReduceBuild<Words, Threads, OfLane, true>;
    for (int shift : {16, 18, 20, 21, 22, 24, 26, 28, 30}) {
        const std::size_t count = std::size_t{1} << shift, bytes = count * 4;
        for (int blocks_per_multiprocessor : {1, 2, 4, 8}) {
            const std::size_t needed = divide_up<std::size_t>(count / 4, Words * Threads);
            const std::size_t most = std::size_t{132} * blocks_per_multiprocessor;
            if (needed * 2 <= most && blocks_per_multiprocessor != 1) continue;
            const std::size_t blocks = needed < most ? needed : most;
            if (kMailboxes && OfLane != 0 && blocks > OfLane * kWarpLanes) continue;
            const bench::Timing time = bench.time(bytes, [=](int rotation, cudaStream_t stream) {
                const detail::ReducePlan<float, float> plan{
                    {pool->buffer<const float>(rotation, bytes), 0, count / 4, 0},
                    reinterpret_cast<float*>(scratch + 32),
                    0.0f,
                    reinterpret_cast<unsigned long long*>(scratch + 4096),
                    reinterpret_cast<unsigned*>(scratch + 64)};
                const std::size_t words = plan.input.words;
                const detail::ReduceTiles tiles{reinterpret_cast<const char*>(plan.input.elements),
                                                words - words % (Words * Threads), Words};
                BENCH_REQUIRE(
                    detail::launch(detail::reduce_kernel<float, float, Operation, Build, Policy>,
                                   blocks, Threads, 0, stream, plan, tiles, Operation{}));
            });
            bench.row("reduce_tuning",
                      "words=" + std::to_string(Words) + ";threads=" + std::to_string(Threads) +
                          ";of_lane=" + std::to_string(OfLane) +
                          ";blocks=" + std::to_string(blocks_per_multiprocessor),
                      std::string(name) + ";count=" + std::to_string(count), bytes, time, true);
        }
    }
}

template <class Operation>
void shapes(bench::Bench& bench, const char* name) {
    shape<Operation, 1, 256, 5>(bench, name);
    shape<Operation, 2, 256, 5>(bench, name);
    shape<Operation, 4, 256, 5>(bench, name);
    shape<Operation, 8, 256, 5>(bench, name);
    shape<Operation, 4, 256, 9>(bench, name);
    shape<Operation, 8, 256, 9>(bench, name);
    shape<Operation, 2, 512, 0>(bench, name);
    shape<Operation, 4, 512, 0>(bench, name);
    shape<Operation, 4, 1024, 0>(bench, name);
}

}  // namespace

int main(int argc, char** argv) {
    bench::Bench bench(argc, argv);
    pool = new bench::Pool(std::size_t{8} << 30, 1);
    BENCH_REQUIRE(cudaMalloc(&scratch, 1 << 22));
    BENCH_REQUIRE(cudaMemsetAsync(scratch, 0, 1 << 22, bench::stream()));
    shapes<plus>(bench, "sum");
    shapes<maximum>(bench, "mailboxes");
    shape<maximum, 4, 512, 0, no_allocate>(bench, "mailboxes;no_allocate");
}
