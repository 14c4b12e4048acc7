// SPDX-License-Identifier: Apache-2.0
// Where a variable lies: registers, local, shared, constant and global memory, and how long it
// lives.
#include <array>
#include <string>
#include <vector>

#include "harness/lab.cuh"
#include "memory-spaces.cuh"

namespace {

constexpr unsigned kLaunches = 3;

lab::Experiment describe() {
    lab::Experiment experiment;
    experiment.chapter = 13;
    experiment.name = "memory-spaces";
    experiment.title = "Memory spaces: what becomes of a variable";
    experiment.sources = {"002"};
    experiment.question =
        "A variable of a kernel may end up in a register, in local, shared, constant or global "
        "memory. What decides that, what does each access cost, and who sees the variable for how "
        "long?";
    experiment.expectation =
        "Scalars live in registers. So does a small array whose every index is known when "
        "compiling: int array[10] alone does not make local memory. An index that is known only at "
        "run time does, and so do more live variables than registers: then the compiler spills.\n\n"
        "Local memory is DRAM behind the caches. Its words are interleaved by lane, so lanes that "
        "use the same index touch 4 sectors; lanes that use different ones touch up to 32. The "
        "virtual GPU runs PTX, which has registers without end: what spills is read from the "
        "machine code.\n\n"
        "A thread's variable dies with it, a block's with the block; a __device__ variable keeps "
        "what was counted through all blocks and launches, until the program (more exactly: its "
        "CUDA context) ends. cudaFree cannot end it earlier: it did not come from cudaMalloc.";
    experiment.series = {{"static_index", "array, indices known when compiling"},
                         {"runtime_index", "array, one run-time index a warp"},
                         {"lane_index", "array, a run-time index a lane"},
                         {"fits", "56 variables, registers as needed"},
                         {"spilled", "56 variables in 32 registers"},
                         {"too_many", "280 variables"},
                         {"shared", "shared memory"},
                         {"constant", "constant memory"},
                         {"lifetimes", "counters of thread, block and program"}};
    experiment.parameters = {{"n", "threads"}};
    experiment.columns = {{"registers", "registers"},
                          {"local_bytes", "local memory", "bytes"},
                          {"spill_store_bytes", "spill stores", "bytes"},
                          {"spill_load_bytes", "spill loads", "bytes"},
                          {"local_ld_sectors", "local load sectors"},
                          {"local_ld_sectors/local_ld_requests", "sectors a local load"},
                          {"shared_ld_wavefronts", "shared wavefronts"},
                          {"global_ld_sectors", "global load sectors"},
                          {"counted_by_thread", "counted by thread"},
                          {"counted_by_block", "by block"},
                          {"counted_by_program", "by program"},
                          {"constants_kept", "constants kept"},
                          {"free", "cudaFree of it"},
                          {"us", "time", "µs"}};
    experiment.claims = {
        lab::compare("local_bytes", "static_index")
            .equals(0)
            .holds("With indices known when compiling, an array of 16 takes {found} bytes of local "
                   "memory: it lies in registers.")
            .fails("Even with indices known when compiling, an array of 16 takes "
                   "{found|byte|bytes} of "
                   "local memory."),
        lab::compare("local_bytes", "runtime_index")
            .equals(64)
            .holds("With a run-time index the array takes {found} bytes of local memory.")
            .fails("With a run-time index the array takes {found|byte|bytes} of local memory, not "
                   "the {value} of 16 floats."),
        lab::compare("local_ld_sectors/local_ld_requests", "runtime_index")
            .equals(4)
            .holds("Lanes that use the same index load {found} sectors: local memory is "
                   "interleaved by lane.")
            .fails("Lanes that use the same index load {found|sector|sectors}, not {value}."),
        lab::compare("local_ld_sectors/local_ld_requests", "lane_index")
            .equals(32)
            .holds("Lanes that use indices of their own load {found} sectors.")
            .fails("Lanes that use indices of their own load {found|sector|sectors}, not "
                   "{value}."),
        lab::compare("local_bytes", "fits")
            .equals(0)
            .holds("56 variables spill {found} bytes where they may have the registers.")
            .fails("56 variables spill {found|byte|bytes} although they may have the registers."),
        lab::compare("local_bytes", "spilled")
            .at_least(4)
            .holds("Held in 32 registers 56 variables spill {found} bytes a thread.")
            .fails("Held in 32 registers 56 variables spill {found|byte|bytes} a thread."),
        lab::compare("spill_store_bytes", "spilled")
            .over("spill_load_bytes", "spilled")
            .at_most(1)
            .holds(
                "ptxas -v says of 56 variables in 32 registers: {left|byte|bytes} of spill stores, "
                "{right|byte|bytes} of spill loads.")
            .fails("More is spilled than is read again: {left|byte|bytes} stored, "
                   "{right|byte|bytes} loaded."),
        lab::compare("local_bytes", "too_many")
            .at_least(4)
            .holds("More variables than the 255 registers a thread can have spill too: {found} "
                   "bytes.")
            .fails("More variables than a thread's 255 registers spill {found|byte|bytes}."),
        lab::compare("counted_by_thread", "lifetimes")
            .equals(1)
            .holds("Every thread counts {found}: its variable is its own.")
            .fails("A thread counts {found}: its variable is not its own."),
        lab::compare("counted_by_block", "lifetimes")
            .equals(kThreads)
            .holds("Every block counts {found} threads, its own.")
            .fails("A block counts {found|thread|threads}, not its own {value}."),
        lab::compare("counted_by_program/n", "lifetimes")
            .equals(kLaunches)
            .holds("The __device__ variable has counted every thread of all {found} launches.")
            .fails("The __device__ variable has counted {found|launch|launches}, not {value}."),
        lab::compare("constants_kept", "lifetimes")
            .equals(kElements)
            .holds("All {found} coefficients that the host wrote once into __constant__ memory are "
                   "there after the launches of other kernels, too.")
            .fails("Of {value} coefficients in __constant__ memory {found} are there after the "
                   "launches of other kernels."),
        lab::compare("freed", "lifetimes")
            .equals(0)
            .holds("cudaFree frees {found} __device__ variables: such a variable lives on.")
            .fails("cudaFree frees {found|__device__ variable|__device__ variables}."),
        lab::compare("us", "runtime_index")
            .over("us", "static_index")
            .at_least(1.05)
            .holds("The array in local memory takes {ratio} times as long.")
            .fails("The array in local memory takes {ratio} times as long: L1 serves it."),
        lab::compare("us", "spilled")
            .over("us", "fits")
            .at_least(1.05)
            .holds("The kernel that spills takes {ratio} times as long.")
            .fails(
                "The kernel that spills takes {ratio} times as long: its occupancy pays for it."),
    };
    experiment.charts = {{"Local load sectors", "local_ld_sectors", "series", "bar"},
                         {"Registers", "registers", "series", "bar"},
                         {"Local memory of a thread, bytes", "local_bytes", "series", "bar"}};
    experiment.pictures = {
        {"lanes",
         "One index for all lanes: their words lie side by side",
         "runtime_index",
         {},
         "local_ld"},
        {"lanes", "An index for each lane", "lane_index", {}, "local_ld"},
        {"banks", "Through shared memory: neighbouring words", "shared", {}, "shared_ld"}};
    return experiment;
}

/// What the host writes into `coefficients`.
__host__ __device__ float coefficient(unsigned k) { return 1.0f / (k + 1); }

struct Rows {
    lab::Buffer<float> x, y;
    std::size_t step;

    std::uint64_t warps() const { return step / 32; }
    unsigned blocks() const { return lab::blocks_for(step, kThreads); }
};

/// A point that reads so many rows and writes one.
lab::Point point_of(lab::Session& session, const Rows& rows, const char* series, unsigned read) {
    auto point = session.point(series, {{"n", static_cast<double>(rows.step)}});
    point.moves((read + 1) * rows.step * sizeof(float))
        .expects_traffic("global_ld", rows.warps() * read, "warps × rows", 4, "4")
        .expects_traffic("global_st", rows.warps(), "warps", 4, "4");
    return point;
}

void measure_arrays(lab::Session& session, const Rows& rows) {
    const auto value = rows.x.value;
    const std::size_t step = rows.step;
    const auto kernel_step = static_cast<unsigned>(step);
    point_of(session, rows, "static_index", kElements)
        .kernel(static_index)
        .writes(
            rows.y, step,
            [=] __host__ __device__(std::size_t i) { return held_sum(value, i, step, kElements); },
            1e-6)
        .run([&](int rotation, cudaStream_t stream) {
            static_index<<<rows.blocks(), kThreads, 0, stream>>>(rows.x[rotation], rows.y[rotation],
                                                                 kernel_step);
        });
    for (const unsigned spread : {0u, 1u}) {
        const auto expected = [=] __host__ __device__(std::size_t i) {
            float sum = 0;
            for (std::size_t k = 0; k < kElements; ++k) {
                const std::size_t row = (kElements - 1 - k + spread * i) % kElements;
                sum = sum * 0.5f + value(i + row * step);
            }
            return sum;
        };
        point_of(session, rows, spread == 0 ? "runtime_index" : "lane_index", kElements)
            .kernel(runtime_index)
            .expects("local_st_sectors", rows.warps() * kElements * 4, "warps × elements × 4")
            .expects_traffic("local_ld", rows.warps() * kElements, "warps × elements",
                             spread == 0 ? 4 : 32, spread == 0 ? "4" : "32")
            .writes(rows.y, step, expected, 1e-6)
            .run([&](int rotation, cudaStream_t stream) {
                runtime_index<<<rows.blocks(), kThreads, 0, stream>>>(
                    rows.x[rotation], rows.y[rotation], kernel_step, kElements - 1, spread);
            });
    }
}

/// Spills are the machine code's: PTX, which the virtual GPU runs, has registers without end.
void measure_registers(lab::Session& session, const Rows& rows) {
    struct Case {
        const char* series;
        void (*kernel)(const float*, float*, unsigned);
        unsigned variables;
    };
    for (const Case& one : {Case{"fits", hold<56>, 56}, Case{"spilled", hold_in<56, 32>, 56},
                            Case{"too_many", hold<280>, 280}}) {
        const auto value = rows.x.value;
        const std::size_t step = rows.step;
        const unsigned variables = one.variables;
        point_of(session, rows, one.series, variables)
            .kernel(one.kernel)
            .writes(
                rows.y, step,
                [=] __host__ __device__(std::size_t i) {
                    return held_sum(value, i, step, static_cast<int>(variables));
                },
                1e-6)
            .run([&](int rotation, cudaStream_t stream) {
                one.kernel<<<rows.blocks(), kThreads, 0, stream>>>(
                    rows.x[rotation], rows.y[rotation], static_cast<unsigned>(step));
            });
    }
}

void measure_on_chip(lab::Session& session, const Rows& rows) {
    const auto value = rows.x.value;
    point_of(session, rows, "shared", 1)
        .kernel(through_shared)
        .expects("shared_st_wavefronts", rows.warps(), "warps")
        .expects("shared_ld_wavefronts", rows.warps(), "warps")
        .writes(rows.y, rows.step,
                [=] __host__ __device__(std::size_t i) {
                    return value(i / kThreads * kThreads + kThreads - 1 - i % kThreads);
                })
        .run([&](int rotation, cudaStream_t stream) {
            through_shared<<<rows.blocks(), kThreads, 0, stream>>>(rows.x[rotation],
                                                                   rows.y[rotation]);
        });

    std::vector<float> numbers(kElements);
    for (unsigned k = 0; k < kElements; ++k) numbers[k] = coefficient(k);
    LAB_REQUIRE(cudaMemcpyToSymbol(coefficients, numbers.data(), kElements * sizeof(float)));
    point_of(session, rows, "constant", 1)
        .kernel(through_constant)
        .writes(
            rows.y, rows.step,
            [=] __host__ __device__(std::size_t i) {
                float sum = 0;
                for (unsigned k = 0; k < kElements; ++k) sum = fmaf(sum, value(i), coefficient(k));
                return sum;
            },
            1e-6)
        .run([&](int rotation, cudaStream_t stream) {
            through_constant<<<rows.blocks(), kThreads, 0, stream>>>(rows.x[rotation],
                                                                     rows.y[rotation]);
        });
}

/// The highest of a buffer whose elements should all be alike, or 0 where they are not.
double common_value(const lab::Buffer<unsigned>& buffer) {
    const std::vector<unsigned> found = buffer.download();
    for (const unsigned one : found) {
        if (one != found.front()) return 0;
    }
    return found.front();
}

unsigned program_count() {
    unsigned count = 0;
    LAB_REQUIRE(cudaMemcpyFromSymbol(&count, in_program, sizeof count));
    return count;
}

/// Of the coefficients that were set before the launches of measure_on_chip().
unsigned constants_kept() {
    std::array<float, kElements> found{};
    LAB_REQUIRE(cudaMemcpyFromSymbol(found.data(), coefficients, sizeof found));
    unsigned kept = 0;
    for (unsigned k = 0; k < kElements; ++k) kept += found[k] == coefficient(k);
    return kept;
}

void measure_lifetimes(lab::Session& session, std::size_t threads) {
    const unsigned blocks = lab::blocks_for(threads, kThreads);
    const auto of_thread = session.output<unsigned>(threads);
    const auto of_block = session.output<unsigned>(blocks);
    void* address = nullptr;
    LAB_REQUIRE(cudaGetSymbolAddress(&address, in_program));
    const cudaError_t free_error = cudaFree(address);
    cudaGetLastError();
    const std::uint64_t warps = kLaunches * threads / 32;
    session.point("lifetimes", {{"n", static_cast<double>(threads)}})
        .kernel(count_threads)
        .fact("freed", free_error == cudaSuccess)
        .note("free", cudaGetErrorName(free_error))
        .expects("global_red_requests", warps, "launches × warps")
        .expects("global_red_sectors", warps, "launches × warps × 1: one address, added up first")
        .expects("global_st_requests", warps + kLaunches * blocks, "launches × (warps + blocks)")
        .expects("global_st_sectors", 4 * warps + kLaunches * blocks,
                 "launches × (4 warps + blocks)")
        .expects("shared_st_wavefronts", kLaunches * blocks, "launches × blocks: a zero for each")
        .expects("shared_ld_wavefronts", kLaunches * blocks, "launches × blocks: what was counted")
        .prepares([] {
            const unsigned zero = 0;
            LAB_REQUIRE(cudaMemcpyToSymbol(in_program, &zero, sizeof zero));
        })
        .finds("counted_by_thread", [&] { return common_value(of_thread); })
        .finds("counted_by_block", [&] { return common_value(of_block); })
        .finds("counted_by_program", [] { return static_cast<double>(program_count()); })
        .finds("constants_kept", [] { return static_cast<double>(constants_kept()); })
        .run([&](int rotation, cudaStream_t stream) {
            for (unsigned launch = 0; launch < kLaunches; ++launch) {
                count_threads<<<blocks, kThreads, 0, stream>>>(of_thread[rotation],
                                                               of_block[rotation]);
            }
        });
}

void run(lab::Session& session) {
    const std::size_t step = session.pick(std::size_t{1} << 10, std::size_t{1} << 20);
    const Rows rows{session.random<float>(step * 280), session.output<float>(step), step};
    session.announce(9);
    measure_arrays(session, rows);
    measure_registers(session, rows);
    measure_on_chip(session, rows);
    measure_lifetimes(session, step);
}

}  // namespace

LAB_MAIN(describe, run)
