// SPDX-License-Identifier: Apache-2.0
// What counting one request costs, in nanoseconds, by pattern and by the host's vector extension.
// Each iteration counts another of 64 requests, so that no branch is learnt from the addresses
// alone.
#include <benchmark/benchmark.h>

#include <array>
#include <random>
#include <vector>

#include "counters/count.h"

namespace {

using namespace wideload::counters;
using Addresses = std::array<std::uint64_t, kLanes>;

constexpr std::size_t kRequests = 64;

enum class Layout { contiguous, strided, broadcast, random, permuted, histogram, compacted };

std::vector<Addresses> requests(Layout layout) {
    std::mt19937_64 random(7);
    std::vector<Addresses> result(kRequests);
    for (std::size_t i = 0; i < kRequests; ++i) {
        const std::uint64_t base = (1ull << 40) + i * 4096;
        for (std::uint64_t lane = 0; lane < kLanes; ++lane) {
            std::uint64_t& address = result[i][lane];
            switch (layout) {
                case Layout::contiguous:
                    address = base + 4 * lane;
                    break;
                case Layout::strided:
                    address = base + 128 * lane;
                    break;
                case Layout::broadcast:
                    address = base;
                    break;
                case Layout::random:
                    address = (1ull << 40) + 4 * (random() % (1 << 24));
                    break;
                case Layout::permuted:
                    address = base + 4 * (lane ^ (i % 31 + 1));
                    break;
                case Layout::histogram:
                    address = (1ull << 40) + 4 * (random() % 256);
                    break;
                case Layout::compacted:
                    address = base + 4 * static_cast<std::uint64_t>(
                                             __builtin_popcount(0x9b6d5a37u & ((1u << lane) - 1)));
                    break;
            }
        }
    }
    return result;
}

void run(benchmark::State& state, CountFunction function, Layout layout) {
    const std::vector<Addresses> all = requests(layout);
    const std::uint32_t mask = layout == Layout::compacted ? 0x9b6d5a37u : ~0u;
    SiteRow row;
    std::uint64_t order = 1;
    for (auto _ : state) {
        function(row, all[order % kRequests].data(), mask, 4, order);
        ++order;
    }
    benchmark::DoNotOptimize(row.sectors + row.wavefronts);
}

struct NamedLayout {
    Layout layout;
    const char* name;
};
constexpr NamedLayout kLayouts[] = {
    {Layout::contiguous, "contiguous"}, {Layout::strided, "strided"},
    {Layout::broadcast, "broadcast"},   {Layout::random, "random"},
    {Layout::permuted, "permuted"},     {Layout::histogram, "histogram"},
    {Layout::compacted, "compacted"}};

struct NamedFunction {
    CountFunction CountFunctions::* function;
    const char* name;
};
constexpr NamedFunction kFunctions[] = {{&CountFunctions::global, "global"},
                                        {&CountFunctions::atomic, "atomic"},
                                        {&CountFunctions::shared_load, "shared_load"},
                                        {&CountFunctions::shared_atomic, "shared_atomic"},
                                        {&CountFunctions::local, "local"}};

const bool kRegistered = [] {
    constexpr const char* kIsaNames[] = {"portable", "avx2", "avx512"};
    for (const CountIsa isa : {CountIsa::portable, CountIsa::avx2, CountIsa::avx512}) {
        if (!available(isa)) continue;
        for (const NamedFunction& function : kFunctions) {
            for (const NamedLayout& layout : kLayouts) {
                const std::string name = std::string(function.name) + "/" + layout.name + "/" +
                                         kIsaNames[static_cast<std::size_t>(isa)];
                benchmark::RegisterBenchmark(
                    name.c_str(), run, count_functions(isa).*function.function, layout.layout);
            }
        }
    }
    return true;
}();

}  // namespace

BENCHMARK_MAIN();
