// SPDX-License-Identifier: Apache-2.0
// One thread an element against threads that walk with the grid's stride, over grid sizes.
#include "harness/lab.cuh"

__global__ void add_once(const float* a, const float* b, float* c, unsigned n) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

__global__ void add_grid_stride(const float* a, const float* b, float* c, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned stride = blockDim.x * gridDim.x;
    while (i < n) {
        c[i] = a[i] + b[i];
        i += stride;
    }
}

namespace {

constexpr unsigned kThreads = 256;

lab::Experiment describe() {
    lab::Experiment experiment;
    experiment.chapter = 14;
    experiment.name = "grid-stride";
    experiment.title = "Grid-stride loops: any grid does any size";
    experiment.sources = {"002"};
    experiment.question =
        "A kernel gives each element a thread of its own, or lets fewer threads walk through all "
        "elements with the grid's stride. What does that save, and which grid is best?";
    experiment.expectation =
        "With the grid's stride neighbours stay neighbours, so every grid makes the same requests "
        "and sectors, and one block alone does the whole work correctly: the grid need not fit the "
        "size. What a thread does once is done by fewer threads; the loop's own arithmetic comes "
        "instead.\n\n"
        "The time depends on how much memory is kept busy: one block waits for its own loads, a "
        "grid that fills every multiprocessor does not. Beyond that a larger grid costs only the "
        "starting of its blocks, which a GPU overlaps with their work: one thread an element need "
        "not be slower.";
    experiment.series = {{"once", "one thread an element"}, {"grid_stride", "grid-stride loop"}};
    experiment.parameters = {{"blocks", "blocks"}};
    experiment.columns = {{"elements_a_thread", "elements a thread"},
                          {"global_ld_requests", "load requests"},
                          {"global_ld_sectors", "load sectors"},
                          {"inst", "instructions"},
                          {"us", "time", "µs"},
                          {"gbps", "bandwidth", "GB/s"},
                          {"copy_percent", "of the best copy", "%"}};
    experiment.claims = {
        lab::compare("global_st_requests/launched_warps", "grid_stride")
            .at({{"blocks", 1}})
            .at_least(2)
            .holds("One block of 256 threads does all of it: each of its warps stores {found} "
                   "times on average.")
            .fails("One block of 256 threads does not do all of it: each of its warps stores "
                   "{found|time|times} on average."),
        lab::monotone("global_ld_requests", "grid_stride", "blocks", "constant")
            .holds("The load requests do not depend on the grid: {left} from one block, {right} "
                   "from the largest grid.")
            .fails("The load requests depend on the grid: {left} from one block, {right} from the "
                   "largest grid; see {where}."),
        lab::compare("global_ld_sectors", "grid_stride")
            .over("global_ld_sectors", "once")
            .equals(1)
            .holds("Grid-stride loops move as many sectors as one thread an element does: {right}.")
            .fails("Grid-stride loops move {ratio} times the sectors of one thread an element; see "
                   "{where}."),
        lab::compare("inst", "grid_stride")
            .at({{"blocks", 1}})
            .over("inst", "once")
            .at_most(1)
            .holds("One block executes {ratio} times the instructions of one thread an element: "
                   "index and bound are worked out once.")
            .fails("One block executes {ratio} times the instructions of one thread an element: "
                   "the loop costs more than it saves."),
        lab::monotone("us", "grid_stride", "blocks", "falling", 0.05)
            .holds("More blocks are never slower: {left} µs with one, {right} µs with the most.")
            .fails("More blocks are not always faster: {left} µs with one, {right} µs with the "
                   "most, a step back at {where}."),
        lab::compare("us", "grid_stride")
            .at({{"full", 1}})
            .over("us", "once", {{"full", 0}})
            .at_most(1)
            .holds("The grid that fills every multiprocessor once takes {ratio} times as long as "
                   "one thread an element.")
            .fails("The grid that fills every multiprocessor once takes {ratio} times as long as "
                   "one thread an element: starting blocks was not what cost."),
    };
    experiment.charts = {
        {"Bandwidth over the blocks of the grid, GB/s", "gbps", "blocks", "line", true},
        {"Instructions over the blocks of the grid", "inst", "blocks", "line", true, true}};
    experiment.pictures = {{"lanes", "Neighbours stay neighbours", "grid_stride", {{"blocks", 1}}}};
    return experiment;
}

using Kernel = void (*)(const float*, const float*, float*, unsigned);

void run(lab::Session& session) {
    // A multiple of a warp, not of a block: all lanes of a warp make as many trips.
    const std::size_t n = session.pick(std::size_t{1} << 20, std::size_t{1} << 27) + 96;
    const auto a = session.random<float>(n, 1), b = session.random<float>(n, 2);
    const auto c = session.output<float>(n);
    const auto left = a.value, right = b.value;
    const auto measure = [&](const char* series, Kernel kernel, unsigned blocks, bool full) {
        session.point(series, {{"blocks", blocks}, {"full", full}})
            .moves(3 * c.bytes())
            .fact("elements_a_thread", static_cast<double>(n) / (double(blocks) * kThreads))
            .expects_traffic("global_ld", 2 * (n / 32), "2 arrays × n / 32", 4, "4")
            .expects_traffic("global_st", n / 32, "n / 32", 4, "4")
            .writes(c, n, [=] __host__ __device__(std::size_t i) { return left(i) + right(i); })
            .run([&](int rotation, cudaStream_t stream) {
                kernel<<<blocks, kThreads, 0, stream>>>(a[rotation], b[rotation], c[rotation],
                                                        static_cast<unsigned>(n));
            });
    };
    int resident = 0;
    LAB_REQUIRE(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, add_grid_stride,
                                                              static_cast<int>(kThreads), 0));
    const auto multiprocessors = static_cast<unsigned>(session.machine().multiprocessors);
    const unsigned fills = multiprocessors * static_cast<unsigned>(resident);
    const unsigned covers = lab::blocks_for(n, kThreads);
    const bool fills_four_times = 4 * fills < covers;
    session.announce(fills_four_times ? 8 : 7);
    for (const unsigned blocks : {1u, 16u, multiprocessors, 2 * multiprocessors}) {
        measure("grid_stride", add_grid_stride, blocks, false);
    }
    measure("grid_stride", add_grid_stride, fills, true);
    if (fills_four_times) measure("grid_stride", add_grid_stride, 4 * fills, false);
    measure("grid_stride", add_grid_stride, covers, false);
    measure("once", add_once, covers, false);
}

}  // namespace

LAB_MAIN(describe, run)
