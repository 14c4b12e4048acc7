// SPDX-License-Identifier: Apache-2.0
// One value for every lane: from global memory, and from constant memory.
#include "harness/lab.cuh"

__constant__ float broadcast_value;

__global__ void add_broadcast(const float* x, const float* y, float* z) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    z[i] = x[0] + y[i];
}

__global__ void add_constant(const float* y, float* z) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    z[i] = broadcast_value + y[i];
}

namespace {

constexpr unsigned kThreads = 128;

lab::Experiment describe() {
    lab::Experiment experiment;
    experiment.chapter = 7;
    experiment.name = "broadcast";
    experiment.title = "Broadcast: a whole sector for one value";
    experiment.sources = {"004"};
    experiment.question =
        "Every thread adds the same number to an element of its own. What does it cost to read "
        "that number from global memory, and what from constant memory?";
    experiment.expectation =
        "All lanes ask for the same 4 bytes: one request, one sector, of which 4 of 32 bytes are "
        "used, a degree of 12.5 %. Constant memory answers a warp that asks for one address from a "
        "cache of its own: the global request and its sector disappear.\n\n"
        "One sector a warp is little beside the 8 of the other two accesses, and it is in cache "
        "after the first warp: the time should hardly change.";
    experiment.series = {{"global", "x[0] from global memory"},
                         {"constant", "from constant memory"}};
    experiment.parameters = {{"n", "elements"}};
    experiment.columns = {{"global_ld_requests", "load requests"},
                          {"global_ld_sectors", "load sectors"},
                          {"global_ld:0_degree", "degree of the first load", "%"},
                          {"global_st_sectors", "store sectors"},
                          {"us", "time", "µs"},
                          {"gbps", "useful bandwidth", "GB/s"},
                          {"copy_percent", "of the best copy", "%"}};
    experiment.claims = {
        lab::compare("global_ld:0_degree", "global")
            .equals(12.5)
            .holds("The broadcast has a coalescing degree of {found} %: 4 bytes of a sector.")
            .fails("The broadcast has a coalescing degree of {found} %, not the {value} % of 4 "
                   "bytes in 32."),
        lab::compare("global_ld_requests", "global")
            .over("global_ld_requests", "constant")
            .equals(2)
            .holds("Constant memory takes away every other load request: {right} are left of "
                   "{left}.")
            .fails("With constant memory {right} of {left} load requests are left, not half."),
        lab::compare("global_ld_sectors", "global")
            .over("global_ld_sectors", "constant")
            .equals(1.25)
            .holds("Constant memory takes away one load sector in five: {left} become {right}.")
            .fails("With constant memory {left} load sectors become {right}, not four in five."),
        lab::compare("us", "global")
            .over("us", "constant")
            .at_most(1.05)
            .holds(
                "Constant memory hardly shows in the time, {right} µs against {left} µs: in global "
                "memory the sector is in cache after the first warp.")
            .fails("Reading the number from global memory takes {ratio} times as long, {left} µs "
                   "against {right} µs."),
    };
    experiment.charts = {{"Load sectors", "global_ld_sectors", "series", "bar"},
                         {"Useful bandwidth, GB/s", "gbps", "series", "bar"}};
    experiment.pictures = {
        {"lanes", "Every lane asks for the same 4 bytes", "global"},
        {"lanes", "Beside it: every lane its own", "global", {}, "global_ld", 1}};
    return experiment;
}

void run(lab::Session& session) {
    const std::size_t n = session.pick(std::size_t{1} << 16, std::size_t{1} << 26);
    const auto x = session.random<float>(8, 1);
    const auto y = session.random<float>(n, 2);
    const auto z = session.output<float>(n);
    const auto value = y.value;
    const float added = x.value(0);
    LAB_REQUIRE(cudaMemcpyToSymbol(broadcast_value, &added, sizeof added));
    const unsigned blocks = lab::blocks_for(n, kThreads);
    const std::uint64_t warps = n / 32;
    const auto sum = [=] __host__ __device__(std::size_t i) { return added + value(i); };

    session.announce(2);
    session.point("global", {{"n", n}})
        .moves(2 * n * sizeof(float))
        .expects("global_ld_requests", 2 * warps, "2 × warps")
        .expects("global_ld_sectors", warps * (1 + 4), "warps × (1 + 4)")
        .expects_traffic("global_st", warps, "warps", 4, "4")
        .writes(z, n, sum)
        .run([&](int rotation, cudaStream_t stream) {
            add_broadcast<<<blocks, kThreads, 0, stream>>>(x[rotation], y[rotation], z[rotation]);
        });
    session.point("constant", {{"n", n}})
        .moves(2 * n * sizeof(float))
        .expects_traffic("global_ld", warps, "warps", 4, "4")
        .expects_traffic("global_st", warps, "warps", 4, "4")
        .writes(z, n, sum)
        .run([&](int rotation, cudaStream_t stream) {
            add_constant<<<blocks, kThreads, 0, stream>>>(y[rotation], z[rotation]);
        });
}

}  // namespace

LAB_MAIN(describe, run)
