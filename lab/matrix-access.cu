// SPDX-License-Identifier: Apache-2.0
// A matrix that lies in memory row by row, walked along its rows and along its columns, by blocks
// of 32×32 and of 24×24 threads.
#include "harness/lab.cuh"

__global__ void coalesced_matrix_access(float* matrix, unsigned width, unsigned height) {
    const unsigned row = blockIdx.y * blockDim.y + threadIdx.y;
    const unsigned column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < height && column < width) {
        const unsigned i = row * width + column;
        matrix[i] = matrix[i] * 2.0f + 1.0f;
    }
}

__global__ void uncoalesced_matrix_access(float* matrix, unsigned width, unsigned height) {
    const unsigned row = blockIdx.y * blockDim.y + threadIdx.y;
    const unsigned column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < height && column < width) {
        const unsigned i = column * height + row;
        matrix[i] = matrix[i] * 2.0f + 1.0f;
    }
}

namespace {

lab::Experiment describe() {
    lab::Experiment experiment;
    experiment.chapter = 8;
    experiment.name = "matrix-access";
    experiment.title = "Matrices: threadIdx.x belongs on the column";
    experiment.sources = {"003"};
    experiment.counts_full_sizes = true;
    experiment.question =
        "A matrix lies row by row. What does it cost to let neighbouring threads walk down a "
        "column "
        "instead of along a row, and does a block of 24×24 threads change that?";
    experiment.expectation =
        "Lanes of a warp are numbered with threadIdx.x first. In a block of 32×32 a warp is one "
        "row "
        "of the block: walking along the matrix's row it touches 128 bytes, 4 sectors; walking "
        "down "
        "a column every lane lies in a row, and a sector, of its own: 32.\n\n"
        "A block of 24×24 has 18 warps, and each takes up where the last one ended: warp 0 holds "
        "row 0 and a third of row 1. Along rows that makes two runs of whole sectors, 4 again. "
        "Down "
        "columns a warp spans 24 columns, and where it holds two threads of a column they are "
        "neighbours in memory and share a sector: 24.";
    experiment.series = {{"rows", "along rows"}, {"columns", "down columns"}};
    experiment.parameters = {{"block", "block side", "threads"}};
    experiment.columns = {{"n", "matrix side"},
                          {"warps_a_block", "warps a block"},
                          {"global_ld_requests", "load requests"},
                          {"global_ld_sectors", "load sectors"},
                          {"global_ld_sectors/global_ld_requests", "sectors a load"},
                          {"global_st_sectors/global_st_requests", "sectors a store"},
                          {"global_ld_degree", "degree of loads", "%"},
                          {"l1_ld_hit_sectors", "load sectors found in L1"},
                          {"l1_ld_hit_percent", "of all load sectors", "%"},
                          {"dram_read_sectors", "sectors read from DRAM"},
                          {"us", "time", "µs"},
                          {"gbps", "useful bandwidth", "GB/s"},
                          {"copy_percent", "of the best copy", "%"}};
    experiment.claims = {
        lab::compare("global_ld_requests", "columns")
            .over("global_ld_requests", "rows")
            .equals(1)
            .holds("Either walk makes as many load requests: {left}.")
            .fails(
                "The walks differ in requests already: {left} down columns, {right} along rows."),
        lab::compare("global_ld_sectors/global_ld_requests", "rows")
            .equals(4)
            .holds("Along rows a load moves {found} sectors, whatever the block.")
            .fails("Along rows a load moves {found|sector|sectors}, not {value}."),
        lab::compare("global_ld_sectors/global_ld_requests", "columns")
            .at({{"block", 32}})
            .equals(32)
            .holds("Down columns a load of a 32×32 block moves {found} sectors.")
            .fails(
                "Down columns a load of a 32×32 block moves {found|sector|sectors}, not {value}."),
        lab::compare("global_ld_sectors", "columns")
            .at({{"block", 32}})
            .over("global_ld_sectors", "rows", {{"block", 32}})
            .equals(8)
            .holds("In all the walk down columns moves {ratio} times the sectors: {left} against "
                   "{right}.")
            .fails("In all the walk down columns moves {ratio} times the sectors, {left} against "
                   "{right}, not {value} times."),
        lab::compare("global_ld_sectors/global_ld_requests", "columns")
            .at({{"block", 24}})
            .equals(24)
            .holds("Down columns a load of a 24×24 block moves {found} sectors: a warp spans 24 "
                   "columns.")
            .fails("Down columns a load of a 24×24 block moves {found|sector|sectors}, not one for "
                   "each of the {value} columns that a warp spans."),
        lab::compare("us", "columns")
            .at({{"block", 32}})
            .over("us", "rows", {{"block", 32}})
            .at_least(2)
            .holds("The walk down columns takes {ratio} times as long.")
            .fails(
                "The walk down columns takes only {ratio} times as long: caches keep the sectors "
                "for the neighbours."),
    };
    experiment.charts = {{"Sectors that a load request moves",
                          "global_ld_sectors/global_ld_requests", "block", "bar"},
                         {"Useful bandwidth, GB/s", "gbps", "block", "bar"}};
    experiment.pictures = {
        {"lanes", "Along a row", "rows", {{"block", 32}}},
        {"lanes",
         "Down a column: a row of the matrix from lane to lane",
         "columns",
         {{"block", 32}}},
        {"threads", "How 24×24 threads fall into 18 warps", "rows", {{"block", 24}}},
        {"lanes", "24×24 along rows: a row of 24, then 8 of the next", "rows", {{"block", 24}}},
        {"lanes", "24×24 down columns: 8 columns hold two lanes", "columns", {{"block", 24}}}};
    return experiment;
}

/// @param side  a multiple of the block's side and of a sector's 8 floats
void walk(lab::Session& session, unsigned block, unsigned side) {
    const std::size_t count = std::size_t{side} * side;
    const auto matrix = session.random<float>(count);
    const auto value = matrix.value;
    const std::uint64_t warps = count / 32;
    const dim3 threads(block, block), blocks(side / block, side / block);
    using Kernel = void(float*, unsigned, unsigned);
    const auto measure = [&](const char* series, Kernel* kernel, std::uint64_t sectors,
                             const char* formula) {
        session.point(series, {{"block", block}})
            .fact("n", side)
            .fact("warps_a_block", (block * block + 31) / 32)
            .moves(2 * count * sizeof(float))
            .expects_traffic("global_ld", warps, "warps", sectors, formula)
            .asks("global_ld", warps * 128, "warps × 128")
            .expects_traffic("global_st", warps, "warps", sectors, formula)
            .prepares([&] { matrix.fill(value, !session.full()); })
            .changes(matrix, count,
                     [=] __host__ __device__(std::size_t i) { return value(i) * 2.0f + 1.0f; })
            .run([&](int rotation, cudaStream_t stream) {
                kernel<<<blocks, threads, 0, stream>>>(matrix[rotation], side, side);
            });
    };
    measure("rows", coalesced_matrix_access, 4, "128 bytes / 32");
    measure("columns", uncoalesced_matrix_access, block, "columns of a warp");
}

void run(lab::Session& session) {
    session.announce(4);
    walk(session, 32, session.pick(384u, 16384u));
    walk(session, 24, session.pick(384u, 16128u));
}

}  // namespace

LAB_MAIN(describe, run)
