// SPDX-License-Identifier: Apache-2.0
// Warps that start 0 to 32 elements past a sector's start: the fifth sector, and what it costs.
#include "harness/lab.cuh"

__global__ void add_offset(const float* x, const float* y, float* z, unsigned offset) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x + offset;
    z[i] = x[i] + y[i];
}

namespace {

constexpr unsigned kMostOffset = 32;
constexpr unsigned kFloatsPerSector = 8;

lab::Experiment describe() {
    lab::Experiment experiment;
    experiment.chapter = 6;
    experiment.name = "offset";
    experiment.title = "Offset: five sectors where four would do";
    experiment.sources = {"004"};
    experiment.question =
        "Every warp adds 32 neighbouring floats, but the first of them lies an offset past the "
        "start of the array. What does a start between two sectors cost?";
    experiment.expectation =
        "An allocation starts at a multiple of 256 bytes, and a warp's 128 bytes are 4 sectors "
        "there. From an offset of 1 float on they begin inside one sector and end inside another: "
        "5 sectors, of which 128 of 160 bytes are used, 80 %. Every 8 floats the warp starts at a "
        "sector again.\n\n"
        "Neighbouring warps share the sector between them, so DRAM moves almost nothing more: the "
        "cost is in the requests to the cache, and on a GPU far below 20 %.";
    experiment.series = {{"offset", "blocks of 32 threads, as the document launches them"},
                         {"blocks", "blocks of 256 threads"}};
    experiment.parameters = {{"offset", "offset", "floats"}};
    experiment.columns = {{"global_ld_sectors/global_ld_requests", "sectors a load"},
                          {"global_ld_degree", "degree of loads", "%"},
                          {"global_st_sectors/global_st_requests", "sectors a store"},
                          {"us", "time", "µs"},
                          {"gbps", "useful bandwidth", "GB/s"},
                          {"copy_percent", "of the best copy", "%"}};
    experiment.claims = {
        lab::compare("global_ld_sectors/global_ld_requests", "offset")
            .at({{"offset", 1}})
            .equals(5)
            .holds("One float past the start, a load of 128 bytes moves {found} sectors.")
            .fails("One float past the start, a load moves {found|sector|sectors}, not {value}."),
        lab::compare("global_ld_degree", "offset")
            .at({{"offset", 1}})
            .equals(80)
            .holds(
                "The coalescing degree of such a load is {found} %, as four sectors in five make.")
            .fails("The coalescing degree of such a load is {found} %, not the {value} % of four "
                   "in five."),
        lab::compare("global_ld_sectors/global_ld_requests", "offset")
            .at({{"offset", 8}})
            .equals(4)
            .holds("Eight floats past the start another sector begins, and a load moves {found} "
                   "sectors "
                   "again.")
            .fails("Eight floats past the start a load moves {found|sector|sectors}, not "
                   "{value}."),
        lab::compare("us", "blocks")
            .at({{"offset", 1}})
            .over("us", "blocks", {{"offset", 0}})
            .at_most(1.1)
            .holds("On this GPU the misaligned start takes {ratio} times as long: neighbouring "
                   "warps share the fifth sector in cache.")
            .fails("On this GPU the misaligned start takes {ratio} times as long: the fifth sector "
                   "is paid for."),
    };
    experiment.charts = {{"Sectors that a load request moves",
                          "global_ld_sectors/global_ld_requests", "offset", "step"},
                         {"Useful bandwidth over the offset, GB/s", "gbps", "offset"}};
    experiment.pictures = {
        {"lanes", "Offset 0: the warp starts where a sector does", "offset", {{"offset", 0}}},
        {"lanes", "Offset 1: it starts, and ends, within one", "offset", {{"offset", 1}}}};
    return experiment;
}

void run(lab::Session& session) {
    const std::size_t threads = session.pick(std::size_t{1} << 12, std::size_t{1} << 26);
    const std::size_t elements = threads + kMostOffset;
    const auto x = session.random<float>(elements, 1);
    const auto y = session.random<float>(elements, 2);
    const auto z = session.output<float>(elements);
    const auto first = x.value, second = y.value;
    const std::uint64_t warps = threads / 32;

    const auto measure = [&](const char* series, unsigned block, unsigned offset) {
        const std::uint64_t sectors = offset % kFloatsPerSector == 0 ? 4 : 5;
        const char* formula = offset % kFloatsPerSector == 0 ? "4" : "(4 + 1 that is shared)";
        session.point(series, {{"offset", offset}})
            .moves(3 * threads * sizeof(float))
            .expects_traffic("global_ld", 2 * warps, "2 arrays × warps", sectors, formula)
            .asks("global_ld", 2 * warps * 128, "2 arrays × warps × 128")
            .expects_traffic("global_st", warps, "warps", sectors, formula)
            .writes(z, lab::Range{offset, offset + threads},
                    [=] __host__ __device__(std::size_t i) { return first(i) + second(i); })
            .run([&](int rotation, cudaStream_t stream) {
                add_offset<<<lab::blocks_for(threads, block), block, 0, stream>>>(
                    x[rotation], y[rotation], z[rotation], offset);
            });
    };
    session.announce(2 * (kMostOffset + 1));
    for (unsigned offset = 0; offset <= kMostOffset; ++offset) measure("offset", 32, offset);
    for (unsigned offset = 0; offset <= kMostOffset; ++offset) measure("blocks", 256, offset);
}

}  // namespace

LAB_MAIN(describe, run)
