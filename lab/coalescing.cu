// SPDX-License-Identifier: Apache-2.0
// Neighbours that read neighbouring elements, against neighbours that read 128 bytes apart.
#include "harness/lab.cuh"

constexpr unsigned kThreads = 256;
constexpr unsigned kStride = 32;
constexpr double kDocumentSpeedup = 83;  // per cent, as document 003's profiler prints it

__global__ void coalesced_access(const float* input, float* output, unsigned n) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) output[i] = 2.0f * input[i];
}

__global__ void uncoalesced_access(const float* input, float* output, unsigned n) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) output[i] = 2.0f * input[i * kStride % n];
}

namespace {

lab::Experiment describe() {
    lab::Experiment experiment;
    experiment.chapter = 4;
    experiment.name = "coalescing";
    experiment.title = "Coalescing: what 32 addresses of a warp cost";
    experiment.sources = {"003"};
    experiment.counts_full_sizes = true;
    experiment.question =
        "Two kernels read as many elements and write as many. One lets neighbouring threads read "
        "neighbouring elements, the other lets them read 32 elements apart. What does memory move "
        "for each?";
    experiment.expectation =
        "Memory moves sectors of 32 bytes. 32 lanes that ask for 4 bytes each, side by side, ask "
        "for 128 bytes: 4 sectors, every byte of them used. 128 bytes apart, every lane lies in a "
        "sector of its own: 32 sectors, of which 4 of 32 bytes are used. The instructions and the "
        "requests are the same, so only the sectors tell the two apart.";
    experiment.series = {{"coalesced", "neighbours read neighbours"},
                         {"uncoalesced", "neighbours read 128 bytes apart"},
                         {"document", "the latter as document 003 measured it"}};
    experiment.parameters = {{"n", "elements"}};
    experiment.columns = {
        {"global_ld_requests", "load requests"},
        {"global_ld_sectors", "load sectors"},
        {"global_ld_sectors/global_ld_requests", "sectors a load"},
        {"global_ld_degree", "degree of loads", "%"},
        {"global_st_sectors/global_st_requests", "sectors a store"},
        {"l1_ld_hit_sectors", "load sectors found in L1"},
        {"l1_ld_hit_percent", "of all load sectors", "%"},
        {"l1_ld_miss_sectors", "load sectors not found there"},
        {"dram_read_sectors", "sectors read from DRAM"},
        {"dram_read_bytes", "read from DRAM", "bytes"},
        {"dram_read_gbps", "read from DRAM", "GB/s"},
        {"dram_read_percent", "reads, of DRAM's peak", "%"},
        {"dram_write_sectors", "sectors written to DRAM"},
        {"dram_write_bytes", "written to DRAM", "bytes"},
        {"dram_write_gbps", "written to DRAM", "GB/s"},
        {"dram_write_percent", "writes, of DRAM's peak", "%"},
        {"us", "time", "µs"},
        {"gbps", "useful bandwidth", "GB/s"},
        {"copy_percent", "of the best copy", "%"},
    };
    experiment.claims = {
        lab::compare("dram_read_sectors", "uncoalesced")
            .over("dram_read_sectors", "coalesced")
            .at_least(8)
            .holds("From DRAM come {ratio} times the sectors, {left} for {right}: at least what is "
                   "asked of L1, since DRAM moves more than a sector at a time.")
            .fails("From DRAM come {ratio} times the sectors, {left} for {right}: caches keep some "
                   "of what is asked of L1."),
        lab::compare("global_ld_requests", "uncoalesced")
            .over("global_ld_requests", "coalesced")
            .equals(1)
            .holds("Both kernels make {left} load requests: the count of requests tells nothing.")
            .fails("The kernels differ in requests already, {left} against {right}."),
        lab::compare("global_ld_sectors", "uncoalesced")
            .over("global_ld_sectors", "coalesced")
            .equals(8)
            .holds("For the same bytes the strided kernel loads {ratio} times the sectors, {left} "
                   "against {right}.")
            .fails("The strided kernel loads {ratio} times the sectors, {left} against {right}, "
                   "not {value} times as 32-byte sectors demand."),
        lab::compare("global_ld_degree", "uncoalesced")
            .equals(12.5)
            .holds("The strided kernel's coalescing degree is {found} %.")
            .fails("The strided kernel's coalescing degree is {found} %, not the {value} % of 4 "
                   "bytes in 32."),
        lab::compare("global_ld_distinct_bytes/global_ld_sectors", "uncoalesced")
            .equals(4)
            .holds(
                "In the words of NVIDIA's profiler, on average only {found} of the 32 bytes of the "
                "strided kernel's sectors are used.")
            .fails("In the words of NVIDIA's profiler, on average {found} of the 32 bytes of the "
                   "strided kernel's sectors are used, not {value}."),
        lab::compare("global_ld_gain", "uncoalesced")
            .at_least(80)
            .holds("By the profiler's rule, the unused share of the bytes while DRAM is busy, up "
                   "to {found} % "
                   "of the strided kernel's time can be saved.")
            .fails("By the profiler's rule, the unused share of the bytes while DRAM is busy, only "
                   "{found} % "
                   "of the strided kernel's time can be saved: DRAM was not busy all the time."),
        lab::compare("global_ld_gain", "document")
            .equals(kDocumentSpeedup, 0.01)
            .holds("The same rule makes {found} % of document 003's own tables, whose profiler "
                   "says {value} %.")
            .fails("The same rule makes {found} % of document 003's own tables, whose profiler "
                   "says {value} %: the rule is another."),
        lab::compare("global_ld_sectors/global_ld_requests", "coalesced")
            .equals(4)
            .holds("The coalesced kernel needs {found} sectors a request, the fewest that hold 128 "
                   "bytes.")
            .fails("The coalesced kernel needs {found} sectors a request where {value} would do."),
        lab::compare("us", "uncoalesced")
            .over("us", "coalesced")
            .at_least(2)
            .holds("Uncoalesced takes {ratio} times as long: {left} µs against {right} µs.")
            .fails("Uncoalesced takes only {ratio} times as long, {left} µs against {right} µs: "
                   "a cache serves what memory would have to send again."),
        lab::compare("copy_percent", "coalesced")
            .at_least(80)
            .holds("The coalesced kernel reaches {found} % of this GPU's best copy.")
            .fails("Even the coalesced kernel reaches only {found} % of this GPU's best copy."),
    };
    experiment.charts = {{"Sectors that a load request moves",
                          "global_ld_sectors/global_ld_requests",
                          "series",
                          "bar",
                          false,
                          false,
                          {"coalesced", "uncoalesced"}},
                         {"Useful bandwidth", "gbps", "series", "bar"}};
    experiment.pictures = {{"lanes", "Neighbours read neighbours", "coalesced"},
                           {"lanes", "Neighbours read 128 bytes apart", "uncoalesced"}};
    return experiment;
}

/// Document 003's tables of its uncoalesced kernel: DRAM's, and those of the requests.
void state_document(lab::Session& session) {
    constexpr double kWarps = 1 << 21, kReadPercent = 84.92, kWritePercent = 10.43;
    session.point("document", {})
        .fact("global_ld_requests", kWarps)
        .fact("global_ld_sectors", 32 * kWarps)
        .fact("global_ld_distinct_bytes", 128 * kWarps)
        .fact("dram_read_sectors", 67'110'368)
        .fact("dram_read_gbps", 290.16)
        .fact("dram_read_percent", kReadPercent)
        .fact("dram_write_sectors", 8'240'680)
        .fact("dram_write_gbps", 35.63)
        .fact("dram_write_percent", kWritePercent)
        .fact("dram_percent", kReadPercent + kWritePercent)
        .states();
}

void run(lab::Session& session) {
    const std::size_t n = session.pick(std::size_t{1} << 18, std::size_t{1} << 26);
    const auto input = session.random<float>(n);
    const auto output = session.output<float>(n);
    const unsigned blocks = lab::blocks_for(n, kThreads);
    const std::uint64_t warps = n / 32;
    const auto value = input.value;
    const unsigned count = static_cast<unsigned>(n);

    session.announce(3);
    session.point("coalesced", {{"n", n}})
        .moves(2 * n * sizeof(float))
        .expects_traffic("global_ld", warps, "warps", 4, "128 bytes / 32")
        .asks("global_ld", warps * 128, "warps × 128")
        .expects_traffic("global_st", warps, "warps", 4, "128 bytes / 32")
        .writes(output, n, [=] __host__ __device__(std::size_t i) { return 2.0f * value(i); })
        .run([&](int rotation, cudaStream_t stream) {
            coalesced_access<<<blocks, kThreads, 0, stream>>>(input[rotation], output[rotation],
                                                              count);
        });
    session.point("uncoalesced", {{"n", n}})
        .moves(2 * n * sizeof(float))
        .expects_traffic("global_ld", warps, "warps", 32, "32 lanes")
        .asks("global_ld", warps * 128, "warps × 128")
        .expects_traffic("global_st", warps, "warps", 4, "128 bytes / 32")
        .writes(output, n,
                [=] __host__ __device__(std::size_t i) { return 2.0f * value(i * kStride % n); })
        .run([&](int rotation, cudaStream_t stream) {
            uncoalesced_access<<<blocks, kThreads, 0, stream>>>(input[rotation], output[rotation],
                                                                count);
        });
    state_document(session);
}

}  // namespace

LAB_MAIN(describe, run)
