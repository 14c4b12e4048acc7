// SPDX-License-Identifier: Apache-2.0
// One increment a thread, at distances of 1 to 64 elements: the sectors of a warp, and the
// bandwidth.
#include <wideload/device/fetch_granularity.cuh>

#include <algorithm>
#include <vector>

#include "harness/lab.cuh"

constexpr unsigned kScatter = 0x9e3779b1u;

__global__ void strided_access(float* data, unsigned stride) {
    const std::size_t i = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) * stride;
    data[i] = data[i] + 1.0f;
}

/// Of 2^k elements each once, but neighbouring threads far apart: the odd factor permutes them.
__global__ void random_access(float* data, unsigned mask) {
    const unsigned i = (blockIdx.x * blockDim.x + threadIdx.x) * kScatter & mask;
    data[i] = data[i] + 1.0f;
}

namespace {

constexpr unsigned kThreads = 256;
constexpr unsigned kFloatsPerSector = 8;

lab::Experiment describe() {
    lab::Experiment experiment;
    experiment.chapter = 5;
    experiment.name = "stride";
    experiment.title = "Stride: bandwidth falls as neighbours move apart";
    experiment.sources = {"003"};
    experiment.question =
        "Each thread adds one to one element, and neighbouring threads are 1, 2, 3, ... elements "
        "apart. How many sectors does a warp touch, and what is left of the bandwidth?";
    experiment.expectation =
        "A warp spans 32 × stride floats, 4 × stride sectors. Up to a stride of 8 floats it "
        "touches every one of them; from there on each lane lies in a sector of its own, and 32 "
        "is the most that 32 lanes can touch. The share of bytes that are used falls as 1 / "
        "stride down to 4 of 32. Random elements are no worse for the sectors of one request.\n\n"
        "On a GPU the time follows the sectors only as far as DRAM follows them: a DRAM access "
        "moves 64 bytes, so bandwidth goes on falling from stride 8 to stride 16. How much L2 "
        "fetches where it lacks a sector can be set, though "
        "(cudaLimitMaxL2FetchGranularity, 64 at the start): with 32 bytes it fetches no more than "
        "was asked for.";
    experiment.series = {{"strided", "one element a thread"},
                         {"random", "elements at random"},
                         {"fetch_32", "the same, L2 fetching 32 bytes"}};
    experiment.parameters = {{"stride", "stride", "floats"}};
    experiment.columns = {{"global_ld_sectors/global_ld_requests", "sectors a load"},
                          {"global_st_sectors/global_st_requests", "sectors a store"},
                          {"global_ld_degree", "degree", "%"},
                          {"us", "time", "µs"},
                          {"gbps", "useful bandwidth", "GB/s"},
                          {"copy_percent", "of the best copy", "%"}};
    experiment.claims = {
        lab::compare("global_ld_sectors/global_ld_requests", "strided")
            .at({{"stride", 1}})
            .equals(4)
            .holds("At stride 1 a load moves {found} sectors, the fewest for 128 bytes.")
            .fails(
                "At stride 1 a load moves {found|sector|sectors}, though {value} hold 128 bytes."),
        lab::monotone("global_ld_sectors/global_ld_requests", "strided", "stride", "rising")
            .holds("Sectors a load never fall as the stride grows: from {left} to {right}.")
            .fails("Sectors a load do not only rise with the stride: they fall at {where}."),
        lab::compare("global_ld_sectors/global_ld_requests", "strided")
            .at({{"stride", 64}})
            .over("global_ld_sectors/global_ld_requests", "strided", {{"stride", 8}})
            .equals(1)
            .holds("Beyond stride 8 a load moves no more: {left} sectors, one for every lane.")
            .fails("Beyond stride 8 a load still moves others, {left} sectors for {right}."),
        lab::compare("global_ld_sectors/global_ld_requests", "random")
            .over("global_ld_sectors/global_ld_requests", "strided", {{"stride", 32}})
            .equals(1)
            .holds("Random elements take {left} sectors a load, as stride 32 does.")
            .fails("Random elements take {left} sectors a load, {ratio} times those of stride 32."),
        lab::compare("gbps", "random")
            .over("gbps", "strided", {{"stride", 1}})
            .at_most(0.5)
            .holds("At random the useful bandwidth is {left} GB/s, {ratio} of that at stride 1.")
            .fails("At random the useful bandwidth is {left} GB/s, still {ratio} of that at stride "
                   "1."),
        lab::monotone("gbps", "strided", "stride", "falling", 0.05)
            .holds("Useful bandwidth falls with the stride, from {left} to {right} GB/s.")
            .fails("Useful bandwidth does not fall all along: it rises at {where}."),
        lab::compare("us", "fetch_32")
            .at({{"stride", 16}})
            .over("us", "strided", {{"stride", 16}})
            .at_most(0.9)
            .holds("Where L2 fetches 32 bytes, stride 16 takes {left} µs instead of {right}: "
                   "{ratio} of the time.")
            .fails("Where L2 fetches 32 bytes, stride 16 takes {left} µs, {ratio} times the "
                   "{right} of before: no gain."),
        lab::compare("us", "fetch_32")
            .at({{"stride", 1}})
            .over("us", "strided", {{"stride", 1}})
            .at_most(1.02)
            .holds("Neighbours lose nothing by it: {ratio} of the time at stride 1.")
            .fails("Neighbours pay for it: {ratio} times as long at stride 1."),
    };
    experiment.charts = {
        {"Sectors that a load request moves", "global_ld_sectors/global_ld_requests", "stride"},
        {"Useful bandwidth over the stride, GB/s", "gbps", "stride"}};
    experiment.pictures = {
        {"lanes", "Stride 2: every other float", "strided", {{"stride", 2}}},
        {"lanes", "Stride 8: 32 bytes from lane to lane", "strided", {{"stride", 8}}},
        {"lanes", "Elements at random", "random"}};
    return experiment;
}

void measure(lab::Session& session, const std::string& series,
             const std::vector<unsigned>& strides) {
    const std::size_t threads = session.pick(std::size_t{1} << 14, std::size_t{1} << 24);
    const std::uint64_t warps = threads / 32;
    const unsigned blocks = lab::blocks_for(threads, kThreads);
    for (const unsigned stride : strides) {
        const std::size_t elements = threads * stride;
        const auto data = session.random<float>(elements);
        const auto value = data.value;
        const std::uint64_t sectors = 4 * std::min(stride, kFloatsPerSector);
        session.point(series, {{"stride", stride}})
            .moves(2 * threads * sizeof(float))
            .expects_traffic("global_ld", warps, "warps", sectors, "min(4 stride, 32)")
            .asks("global_ld", warps * 128, "warps × 128")
            .expects_traffic("global_st", warps, "warps", sectors, "min(4 stride, 32)")
            .changes(data, elements,
                     [=] __host__ __device__(std::size_t i) {
                         return i % stride == 0 ? value(i) + 1.0f : value(i);
                     })
            .run([&](int rotation, cudaStream_t stream) {
                strided_access<<<blocks, kThreads, 0, stream>>>(data[rotation], stride);
            });
    }
}

/// Lanes' elements are spread over the whole array, so that none shares a sector.
void measure_random(lab::Session& session) {
    const unsigned threads = session.pick(1u << 14, 1u << 24);
    const std::uint64_t warps = threads / 32;
    const auto data = session.random<float>(threads);
    const auto value = data.value;
    session.point("random", {})
        .moves(2 * threads * sizeof(float))
        .expects_traffic("global_ld", warps, "warps", 32, "lanes")
        .asks("global_ld", warps * 128, "warps × 128")
        .expects_traffic("global_st", warps, "warps", 32, "lanes")
        .changes(data, threads, [=] __host__ __device__(std::size_t i) { return value(i) + 1.0f; })
        .run([&](int rotation, cudaStream_t stream) {
            random_access<<<lab::blocks_for(threads, kThreads), kThreads, 0, stream>>>(
                data[rotation], threads - 1);
        });
}

void run(lab::Session& session) {
    std::vector<unsigned> strides;
    for (unsigned stride = 1; stride <= 32; ++stride) strides.push_back(stride);
    strides.push_back(48);
    strides.push_back(64);
    const std::vector<unsigned> some{1, 2, 4, 6, 8, 10, 12, 14, 16, 20, 24, 28, 32, 48, 64};

    std::size_t bytes = 0;
    const bool can_set = cudaDeviceGetLimit(&bytes, cudaLimitMaxL2FetchGranularity) == cudaSuccess;

    session.announce(strides.size() + 1 + (can_set ? some.size() : 0));
    measure(session, "strided", strides);
    measure_random(session);
    if (!can_set) return;
    const wideload::fetch_granularity single_sectors(wideload::kSectorBytes);
    LAB_REQUIRE(single_sectors.status());
    measure(session, "fetch_32", some);
}

}  // namespace

LAB_MAIN(describe, run)
