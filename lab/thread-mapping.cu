// SPDX-License-Identifier: Apache-2.0
// Threads onto warps and lanes, blocks onto multiprocessors, and what the shape of a block costs.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "harness/lab.cuh"

/// Each thread writes, at its number in the block, who it finds itself with: the number of the
/// thread in lane 0 of its warp, and its own lane.
__global__ void find_seat(uint2* seats) {
    const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    unsigned lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    seats[thread] = make_uint2(__shfl_sync(__activemask(), thread, 0), lane);
}

/// An element a thread of a row-major matrix.
__global__ void double_elements(const float* in, float* out, unsigned columns) {
    const std::size_t column = blockIdx.x * blockDim.x + threadIdx.x;
    const std::size_t row = blockIdx.y * blockDim.y + threadIdx.y;
    out[row * columns + column] = 2 * in[row * columns + column];
}

/// Each block writes the multiprocessor that it is on, after a while of work.
__global__ void find_multiprocessor(unsigned* of_block, unsigned trips) {
    float value = static_cast<float>(threadIdx.x);
#pragma unroll 1
    for (unsigned i = 0; i < trips; ++i) value = fmaf(value, 0.5f, 1.0f);
    unsigned multiprocessor;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(multiprocessor));
    // Work whose result goes nowhere would not be done.
    if (threadIdx.x == 0) of_block[blockIdx.x] = value < 0 ? ~0u : multiprocessor;
}

namespace {

constexpr unsigned kWarp = 32;

lab::Experiment describe() {
    lab::Experiment experiment;
    experiment.chapter = 10;
    experiment.name = "thread-mapping";
    experiment.title = "Threads onto lanes, blocks onto multiprocessors";
    experiment.sources = {"002", "003"};
    experiment.question =
        "A launch names a grid, blocks and threads. Which of them shares a warp, which sits in "
        "which lane, and on which multiprocessor does a block run?";
    experiment.expectation =
        "A grid runs on a device, a block on one multiprocessor until it ends, and its threads are "
        "numbered x first, then y, then z; 32 consecutive numbers are a warp. In a block of 32 × "
        "16 a warp is a row: warp 0 holds (0, 0) to (31, 0), warp 1 (0, 1) to (31, 1). Other "
        "widths "
        "cut rows into warps or put several into one, so a walk of a row-major matrix takes 4 "
        "sectors a request from blocks at least 8 wide and 32 from blocks 1 wide.\n\n"
        "A multiprocessor takes blocks while its threads, registers and shared memory last; the "
        "other blocks of a grid wait for a next wave. One block more than a wave holds makes a "
        "second wave, and nearly doubles the time. A thread is no core: a multiprocessor of 128 "
        "cores holds 2,048 threads, and in each cycle issues for those warps that can go on.\n\n"
        "A GPU deals blocks out to whichever multiprocessor has room; the virtual one deals them "
        "out in turn.";
    experiment.series = {{"seats", "threads of one block"},
                         {"walk", "row-major matrix, 256 threads a block"},
                         {"grid", "blocks of 1,024 threads"}};
    experiment.parameters = {
        {"x", "x", "threads"}, {"y", "y", "threads"}, {"z", "z", "threads"}, {"blocks", "blocks"}};
    experiment.columns = {{"warps", "warps"},
                          {"rows_of_warp_0", "rows in warp 0"},
                          {"last_lanes", "lanes in the last warp"},
                          {"global_ld_sectors/global_ld_requests", "sectors a load"},
                          {"used", "multiprocessors used"},
                          {"most_blocks", "most blocks on one"},
                          {"least_blocks", "fewest"},
                          {"waves", "waves"},
                          {"threads_held", "threads held by one"},
                          {"us", "time", "µs"}};
    const auto document_block = lab::Where{{"x", 32}, {"y", 16}, {"z", 1}};
    experiment.claims = {
        lab::compare("strangers", "seats")
            .equals(0)
            .holds("In every block, {found} threads sit elsewhere than number / 32 and number % 32 "
                   "say.")
            .fails("{found|thread sits|threads sit} elsewhere than number / 32 and number % 32 "
                   "say; see "
                   "{where}."),
        lab::compare("rows_of_warp_0", "seats")
            .at(document_block)
            .equals(1)
            .holds("In a block of 32 × 16, warp 0 holds {found|row|rows}: (0, 0) to (31, 0).")
            .fails("In a block of 32 × 16, warp 0 holds threads of {found|row|rows}."),
        lab::compare("row_of_warp_1", "seats")
            .at(document_block)
            .equals(1)
            .holds("In a block of 32 × 16, the first thread of warp 1 is (0, {found}).")
            .fails("In a block of 32 × 16, warp 1 has its first thread in row {found}."),
        lab::compare("rows_of_warp_0", "seats")
            .at({{"x", 24}, {"y", 24}, {"z", 1}})
            .equals(2)
            .holds("In a block of 24 × 24, warp 0 ends in the second of {found} rows.")
            .fails("In a block of 24 × 24, warp 0 holds threads of {found|row|rows}, not {value}."),
        lab::monotone("global_ld_sectors/global_ld_requests", "walk", "x", "falling")
            .holds("The wider the block, the fewer sectors a request: {left} at 1 thread, {right} "
                   "at the widest.")
            .fails("A wider block does not take fewer sectors: {left} at 1 thread, {right} at the "
                   "widest; see {where}."),
        lab::compare("used", "grid")
            .at({{"full", 0}})
            .over("blocks", "grid")
            .equals(1)
            .holds("While there are no more blocks than multiprocessors, each has one of its own: "
                   "{right|block runs|blocks run} on {left|multiprocessor|multiprocessors}.")
            .fails("Blocks share multiprocessors although there are enough: "
                   "{right|block runs|blocks run} on {left|multiprocessor|multiprocessors}."),
        lab::compare("most_blocks", "grid")
            .at({{"full", 1}})
            .over("least_blocks", "grid")
            .equals(1)
            .holds("In full waves no multiprocessor gets more than the others: {left|block|blocks} "
                   "each.")
            .fails("In full waves some multiprocessor gets {left|block|blocks}, another {right}."),
        lab::compare("threads_held/cores", "grid")
            .at({{"full", 1}, {"wave", 1}})
            .at_least(2)
            .holds("In one full wave a multiprocessor holds {found} threads for each of its cores: "
                   "a thread is no core.")
            .fails("Even in a full wave a multiprocessor holds only "
                   "{found|thread|threads} for each of its cores."),
        lab::compare("us", "grid")
            .at({{"full", 2}, {"wave", 2}})
            .over("us", "grid", {{"full", 1}, {"wave", 1}})
            .at_least(1.5)
            .holds("One block more than a wave holds takes {ratio} times as long.")
            .fails("One block more than a wave holds takes only {ratio} times as long."),
    };
    experiment.charts = {
        {"Sectors that a load request moves, by the block's width",
         "global_ld_sectors/global_ld_requests",
         "x",
         "line",
         true,
         false,
         {"walk"}},
        {"Time over the blocks of a grid, µs", "us", "blocks", "step", false, false, {"grid"}}};
    experiment.pictures = {
        {"threads", "96 × 1: three warps in a row", "seats", {{"x", 96}}},
        {"threads", "32 × 16: a warp is a row", "seats", document_block},
        {"threads", "24 × 24: warps end within rows", "seats", {{"x", 24}, {"z", 1}}},
        {"threads", "8 × 4 × 4: a warp is a layer", "seats", {{"x", 8}, {"z", 4}}},
        {"threads", "5 × 3 × 7: the last warp is not full", "seats", {{"x", 5}, {"z", 7}}},
        {"lanes", "Blocks 4 wide: eight rows in a request", "walk", {{"x", 4}}},
        {"blocks", "Two waves and one block", "grid", {{"full", 2}, {"wave", 3}}}};
    return experiment;
}

/// The number of a row of the block: of a thread's y and z.
unsigned row_of(unsigned thread, dim3 block) { return thread / block.x; }

void seat(lab::Session& session, dim3 block) {
    const unsigned threads = block.x * block.y * block.z;
    const auto seats = session.output<uint2>(threads);
    const auto strangers = [&] {
        const std::vector<uint2> found = seats.download();
        unsigned count = 0;
        for (unsigned i = 0; i < threads; ++i) {
            count += found[i].x != i / kWarp * kWarp || found[i].y != i % kWarp;
        }
        return static_cast<double>(count);
    };
    const auto rows_of_warp_0 = [&] {
        const std::vector<uint2> found = seats.download();
        std::set<unsigned> rows;
        for (unsigned i = 0; i < threads; ++i) {
            if (found[i].x == 0) rows.insert(row_of(i, block));
        }
        return static_cast<double>(rows.size());
    };
    const auto row_of_warp_1 = [&] {
        for (const uint2& one : seats.download()) {
            if (one.x != 0) return static_cast<double>(row_of(one.x, block));
        }
        return 0.0;
    };
    session.point("seats", {{"x", block.x}, {"y", block.y}, {"z", block.z}})
        .fact("warps", (threads + kWarp - 1) / kWarp)
        .fact("last_lanes", (threads - 1) % kWarp + 1)
        .expects("global_st_requests", (threads + kWarp - 1) / kWarp, "⌈threads / 32⌉")
        .expects("global_st_sectors", (threads * sizeof(uint2) + 31) / 32, "⌈threads × 8 / 32⌉")
        .prepares([&] { seats.poison(); })
        .finds("strangers", strangers)
        .finds("rows_of_warp_0", rows_of_warp_0)
        .finds("row_of_warp_1", row_of_warp_1)
        .run([&](int rotation, cudaStream_t stream) {
            find_seat<<<1, block, 0, stream>>>(seats[rotation]);
        });
}

void walk(lab::Session& session, unsigned x) {
    const unsigned columns = session.pick(256u, 16384u);
    const std::size_t elements = std::size_t{columns} * columns;
    const auto in = session.random<float>(elements);
    const auto out = session.output<float>(elements);
    const auto value = in.value;
    const dim3 block(x, 256 / x), grid(columns / block.x, columns / block.y);
    const std::uint64_t rows = std::max(kWarp / x, 1u);
    const std::uint64_t sectors_a_row = std::max(std::min(x, kWarp) / 8, 1u);
    session.point("walk", {{"x", x}, {"y", block.y}})
        .moves(2 * in.bytes())
        .fact("warps", 8)
        .fact("rows_of_warp_0", static_cast<double>(rows))
        .expects_traffic("global_ld", elements / kWarp, "warps", rows * sectors_a_row,
                         "rows × ⌈bytes of a row / 32⌉")
        .expects_traffic("global_st", elements / kWarp, "warps", rows * sectors_a_row,
                         "rows × ⌈bytes of a row / 32⌉")
        .writes(out, elements, [=] __host__ __device__(std::size_t i) { return 2 * value(i); })
        .run([&](int rotation, cudaStream_t stream) {
            double_elements<<<grid, block, 0, stream>>>(in[rotation], out[rotation], columns);
        });
}

/// FP32 cores of a multiprocessor, as the CUDA programming guide lists them.
unsigned cores_of(const lab::Machine& machine) {
    const bool few = machine.major == 7 || (machine.major == 8 && machine.minor == 0);
    return few ? 64 : 128;
}

/// @param full  0: no more blocks than multiprocessors; 1: whole waves; 2: one block more
void place(lab::Session& session, unsigned blocks, unsigned full, unsigned wave,
           unsigned resident) {
    constexpr unsigned kThreads = 1024;
    const unsigned a_wave = resident * static_cast<unsigned>(session.machine().multiprocessors);
    const auto of_block = session.output<unsigned>(blocks);
    const auto blocks_by_multiprocessor = [&] {
        std::map<unsigned, unsigned> count;
        for (const unsigned multiprocessor : of_block.download()) ++count[multiprocessor];
        return count;
    };
    const auto most = [=] {
        unsigned found = 0;
        for (const auto& [_, count] : blocks_by_multiprocessor()) found = std::max(found, count);
        return static_cast<double>(found);
    };
    const auto least = [=, all = static_cast<std::size_t>(session.machine().multiprocessors)] {
        const std::map<unsigned, unsigned> counts = blocks_by_multiprocessor();
        if (counts.size() < all) return 0.0;
        unsigned found = blocks;
        for (const auto& [_, count] : counts) found = std::min(found, count);
        return static_cast<double>(found);
    };
    session.point("grid", {{"blocks", blocks}, {"full", full}, {"wave", wave}})
        .fact("warps", kThreads / kWarp)
        .fact("resident", a_wave)
        .occupancy(find_multiprocessor, kThreads)
        .fact("cores", cores_of(session.machine()))
        .expects("global_st_requests", blocks, "blocks")
        .expects("global_st_sectors", blocks, "blocks")
        .prepares([&] { of_block.poison(); })
        .finds("used", [=] { return static_cast<double>(blocks_by_multiprocessor().size()); })
        .finds("most_blocks", most)
        .finds("least_blocks", least)
        .finds("waves", [=] { return std::ceil(most() / resident); })
        // Blocks of one wave are on their multiprocessors together.
        .finds("threads_held", [=] { return std::min(most(), double(resident)) * kThreads; })
        .lists("multiprocessor",
               [&] {
                   const std::vector<unsigned> found = of_block.download();
                   return std::vector<double>(found.begin(), found.end());
               })
        .run([&](int rotation, cudaStream_t stream) {
            find_multiprocessor<<<blocks, kThreads, 0, stream>>>(of_block[rotation],
                                                                 session.pick(4u, 20000u));
        });
}

void run(lab::Session& session) {
    const std::vector<dim3> blocks = {{96},     {100},     {1024},     {32, 16}, {16, 16},
                                      {24, 24}, {8, 4, 4}, {16, 2, 4}, {5, 3, 7}};
    session.announce(blocks.size() + 9 + 6);
    for (const dim3 block : blocks) seat(session, block);
    for (unsigned x = 1; x <= 256; x *= 2) walk(session, x);

    int resident = 0;
    LAB_REQUIRE(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, find_multiprocessor, 1024, 0));
    const auto multiprocessors = static_cast<unsigned>(session.machine().multiprocessors);
    const auto a_wave = static_cast<unsigned>(resident) * multiprocessors;
    place(session, 1, 0, 0, resident);
    place(session, multiprocessors, 0, 0, resident);
    place(session, a_wave, 1, 1, resident);
    place(session, a_wave + 1, 2, 2, resident);
    place(session, 2 * a_wave, 1, 2, resident);
    place(session, 2 * a_wave + 1, 2, 3, resident);
}

}  // namespace

LAB_MAIN(describe, run)
