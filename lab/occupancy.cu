// SPDX-License-Identifier: Apache-2.0
// How many warps a multiprocessor holds, by registers, shared memory and block size; and the
// cliffs.
#include "harness/lab.cuh"
#include "held_registers.cuh"

namespace {

using Kernel = void (*)(const float*, float*, unsigned);

constexpr unsigned kThreads = 512;

lab::Experiment describe() {
    lab::Experiment experiment;
    experiment.chapter = 12;
    experiment.name = "occupancy";
    experiment.title = "Occupancy: one register more, a quarter of the warps less";
    experiment.sources = {"002"};
    experiment.question =
        "A multiprocessor shares its registers and its shared memory among the blocks that it "
        "holds. How many does it hold, and where does one register or one byte more cost a whole "
        "block?";
    experiment.expectation =
        "An SM of 65,536 registers and 2,048 threads has 32 for each. At 64 a thread 1,024 threads "
        "are left, 50 %, whatever the block size. With blocks of 512, 31 registers let four reside "
        "(63,488 registers); two variables more, 33, would take 67,584, so only three do: 75 %. "
        "The "
        "hardware hands registers out in eights: 33 take as much as 40, and three blocks 61,440, "
        "not the 50,688 that 33 × 1,536 make.\n\n"
        "A compiler that is told to stay below keeps the rest in local memory: spills buy "
        "occupancy "
        "with loads and stores. Shared memory has cliffs of the same kind, wherever a block less "
        "fits.\n\n"
        "Occupancy is a means to hide latency. What memory can be kept busy with fewer warps, it "
        "does not matter.";
    experiment.series = {{"registers", "blocks of 512, by registers"},
                         {"spilled", "64 registers' worth of variables in 32"},
                         {"shared", "blocks of 512, by shared memory"},
                         {"threads", "32 registers, by block size"}};
    experiment.parameters = {{"registers", "registers"},
                             {"shared_bytes", "shared memory", "bytes"},
                             {"threads", "threads a block"}};
    experiment.columns = {{"variables", "variables held"},
                          {"local_bytes", "local memory", "bytes"},
                          {"registers_wanted", "registers for all threads"},
                          {"resident_blocks", "resident blocks"},
                          {"occupancy_percent", "occupancy", "%"},
                          {"us", "time", "µs"},
                          {"gbps", "bandwidth", "GB/s"},
                          {"copy_percent", "of the best copy", "%"}};
    const auto occupancy_at = [](double registers, double percent) {
        return lab::compare("occupancy_percent", "registers")
            .at({{"registers", registers}})
            .equals(percent);
    };
    experiment.claims = {
        occupancy_at(32, 100)
            .holds("32 registers a thread are as many as all threads can have: an occupancy of "
                   "{found} "
                   "%.")
            .fails("With 32 registers a thread the occupancy is {found} %, not {value} %."),
        occupancy_at(64, 50)
            .holds("64 registers a thread cap occupancy at {found} %.")
            .fails("With 64 registers a thread the occupancy is {found} %, not {value} %."),
        lab::compare("resident_blocks", "registers")
            .at({{"registers", 31}})
            .equals(4)
            .holds("With 31 registers {found|block|blocks} of 512 reside: as many threads as a "
                   "multiprocessor takes.")
            .fails("With 31 registers {found|block|blocks} of 512 reside, not {value}."),
        occupancy_at(31, 100)
            .holds("31 registers, blocks of 512: an occupancy of {found} %.")
            .fails("31 registers, blocks of 512: an occupancy of {found} %, not {value} %."),
        occupancy_at(33, 75)
            .holds(
                "Two variables more, 33 registers: an occupancy of {found} %. That is the cliff.")
            .fails("Two variables more, 33 registers: an occupancy of {found} %, not {value} %."),
        lab::compare("resident_blocks", "registers")
            .at({{"registers", 31}})
            .over("resident_blocks", "registers", {{"registers", 33}})
            .at_least(1.01)
            .holds("The cliff costs a whole block: {left} reside before it, {right} after.")
            .fails("The cliff costs no block: {left} reside before it, {right} after."),
        lab::compare("local_bytes", "spilled")
            .at_least(4)
            .holds("Held below 33 registers, the kernel of 64 spills {found} bytes a thread.")
            .fails("Held below 33 registers, the kernel of 64 spills {found|byte|bytes}."),
        lab::monotone("occupancy_percent", "shared", "shared_bytes", "falling")
            .holds("More shared memory a block never raises occupancy: from {left} % to {right} %.")
            .fails(
                "More shared memory a block raised occupancy at {where}: {left} % to {right} %."),
        lab::compare("occupancy_percent", "threads")
            .at({{"threads", 32}})
            .at_most(99)
            .holds("Blocks of 32 threads reach {found} %: the number of blocks is limited too.")
            .fails("Blocks of 32 threads reach {found} %."),
        lab::compare("us", "spilled")
            .over("us", "registers", {{"registers", 64}})
            .at_least(1)
            .holds("Spilling to raise occupancy from 50 % does not pay: the kernel takes {ratio} "
                   "times "
                   "as long.")
            .fails("Spilling to raise occupancy from 50 % pays: the kernel takes {ratio} times as "
                   "long."),
        lab::compare("us", "registers")
            .at({{"registers", 33}})
            .over("us", "registers", {{"registers", 31}})
            .at_most(1.2)
            .holds(
                "Past the cliff the kernel takes {ratio} times as long, with two variables' rows "
                "more to read: memory is busy with three blocks too.")
            .fails(
                "Past the cliff the kernel takes {ratio} times as long: three blocks do not keep "
                "memory busy."),
    };
    experiment.charts = {{"Occupancy over shared memory, %",
                          "occupancy_percent",
                          "shared_bytes",
                          "step",
                          false,
                          false,
                          {"shared"}},
                         {"Occupancy over the block size, %",
                          "occupancy_percent",
                          "threads",
                          "step",
                          false,
                          false,
                          {"threads"}},
                         {"Bandwidth over shared memory, GB/s",
                          "gbps",
                          "shared_bytes",
                          "line",
                          false,
                          false,
                          {"shared"}}};
    experiment.staircases = {
        {"Occupancy over registers, blocks of 512", "registers", 512, 32, 0},
        {"Occupancy over shared memory, blocks of 512 with 32 registers", "shared", 512, 32, 0},
        {"Occupancy over the block size, 32 registers", "threads", 512, 32, 0}};
    return experiment;
}

int attribute(cudaDeviceAttr which) {
    int value = 0;
    LAB_REQUIRE(cudaDeviceGetAttribute(&value, which, 0));
    return value;
}

struct Rows {
    lab::Buffer<float> x, y;
    std::size_t step;
};

cudaFuncAttributes attributes_of(Kernel kernel) {
    cudaFuncAttributes compiled{};
    LAB_REQUIRE(cudaFuncGetAttributes(&compiled, reinterpret_cast<const void*>(kernel)));
    return compiled;
}

/// One launch of a kernel that holds so many variables.
void measure(lab::Session& session, const Rows& rows, const char* series,
             const std::vector<std::pair<std::string, double>>& parameters, Kernel kernel,
             int variables, unsigned threads, std::size_t shared_bytes) {
    const std::uint64_t warps = rows.step / 32;
    const auto value = rows.x.value;
    const std::size_t step = rows.step;
    session.point(series, parameters)
        .moves((variables + 1) * step * sizeof(float))
        .kernel(kernel)
        .occupancy(kernel, threads, shared_bytes)
        .fact("variables", variables)
        .fact("register_file", attribute(cudaDevAttrMaxRegistersPerMultiprocessor))
        .fact("registers_wanted",
              attributes_of(kernel).numRegs * attribute(cudaDevAttrMaxThreadsPerMultiProcessor))
        .expects_traffic("global_ld", warps * variables, "warps × variables", 4, "4")
        .expects_traffic("global_st", warps, "warps", 4, "4")
        .writes(
            rows.y, step,
            [=] __host__ __device__(std::size_t i) { return held_sum(value, i, step, variables); },
            1e-6)
        .run([&](int rotation, cudaStream_t stream) {
            kernel<<<step / threads, threads, shared_bytes, stream>>>(
                rows.x[rotation], rows.y[rotation], static_cast<unsigned>(step));
        });
}

void measure_registers(lab::Session& session, const Rows& rows) {
    struct Case {
        Kernel kernel;
        int variables;
        double registers;
    };
    for (const Case& one : {Case{hold_in<24, 31>, 24, 31}, Case{hold_in<24, 32>, 24, 32},
                            Case{hold_in<26, 33>, 26, 33}, Case{hold_in<52, 64>, 52, 64}}) {
        // Some GPUs' compilers keep 26 variables in 32; what is said of 33 registers must have 33.
        if (attributes_of(one.kernel).numRegs != one.registers) continue;
        measure(session, rows, "registers", {{"registers", one.registers}}, one.kernel,
                one.variables, kThreads, 0);
    }
    measure(session, rows, "spilled", {{"registers", 32}}, hold_in<52, 32>, 52, kThreads, 0);
}

/// Of a block, as far as the GPU allows one so much.
std::vector<std::size_t> shared_sizes() {
    std::vector<std::size_t> sizes;
    for (const std::size_t kib : {0, 16, 24, 32, 48, 56, 57, 64, 75, 76, 96, 113, 114, 160, 227}) {
        const std::size_t most = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
        if (kib * 1024 <= most) sizes.push_back(kib * 1024);
    }
    return sizes;
}

void measure_shared(lab::Session& session, const Rows& rows,
                    const std::vector<std::size_t>& sizes) {
    const Kernel kernel = hold_in<24, 32>;
    LAB_REQUIRE(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                                     cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     static_cast<int>(sizes.back())));
    for (const std::size_t bytes : sizes) {
        measure(session, rows, "shared", {{"shared_bytes", bytes}}, kernel, 24, kThreads, bytes);
    }
}

void run(lab::Session& session) {
    const std::size_t step = session.pick(std::size_t{1} << 11, std::size_t{1} << 22) * 3;
    const Rows rows{session.random<float>(step * 52), session.output<float>(step), step};
    const std::vector<unsigned> block_sizes = {32, 64, 96, 128, 192, 256, 384, 512, 768, 1024};
    const std::vector<std::size_t> sizes = shared_sizes();
    session.announce(5 + sizes.size() + block_sizes.size());
    measure_registers(session, rows);
    measure_shared(session, rows, sizes);
    for (const unsigned threads : block_sizes) {
        measure(session, rows, "threads", {{"threads", threads}}, hold_in<24, 32>, 24, threads, 0);
    }
}

}  // namespace

LAB_MAIN(describe, run)
