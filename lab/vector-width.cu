// SPDX-License-Identifier: Apache-2.0
// A copy by 4, 8, 16 and 32 bytes a lane, over sizes, and with elements left over.
#include <algorithm>
#include <string>
#include <vector>

#include "harness/lab.cuh"

constexpr unsigned kThreads = 256;
constexpr unsigned kMaxBlocks = 1024;

/// Copies n ints as vectors in a grid-stride loop. The threads at the front copy what is left over,
/// one element each.
template <class Vector>
__device__ void copy_as(const int* in, int* out, int n) {
    constexpr int kWidth = sizeof(Vector) / sizeof(int);
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = thread; i < n / kWidth; i += blockDim.x * gridDim.x) {
        reinterpret_cast<Vector*>(out)[i] = reinterpret_cast<const Vector*>(in)[i];
    }
    const int left_over = n % kWidth;
    if (thread < left_over) out[n - left_over + thread] = in[n - left_over + thread];
}

__global__ void copy_scalar(const int* in, int* out, int n) { copy_as<int>(in, out, n); }
__global__ void copy_vector2(const int* in, int* out, int n) { copy_as<int2>(in, out, n); }
__global__ void copy_vector4(const int* in, int* out, int n) { copy_as<int4>(in, out, n); }
/// 32 bytes with 32-byte alignment: one access from compute capability 10.0 on, two before.
__global__ void copy_vector8(const int* in, int* out, int n) {
    copy_as<ulonglong4_32a>(in, out, n);
}

/// What is left over as the document copies it: by the one thread whose number is that of the
/// vectors, n / 2 or n / 4.
template <class Vector>
__device__ void copy_by_last_thread(const int* in, int* out, int n) {
    constexpr int kWidth = sizeof(Vector) / sizeof(int);
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = thread; i < n / kWidth; i += blockDim.x * gridDim.x) {
        reinterpret_cast<Vector*>(out)[i] = reinterpret_cast<const Vector*>(in)[i];
    }
    if (thread == n / kWidth) {
        for (int left = n % kWidth; left > 0; --left) out[n - left] = in[n - left];
    }
}

__global__ void copy_vector2_by_last_thread(const int* in, int* out, int n) {
    copy_by_last_thread<int2>(in, out, n);
}
__global__ void copy_vector4_by_last_thread(const int* in, int* out, int n) {
    copy_by_last_thread<int4>(in, out, n);
}

namespace {

using Kernel = void (*)(const int*, int*, int);

struct Width {
    const char* series;
    Kernel kernel;
    unsigned ints;
    unsigned ints_per_access;     ///< less where the hardware splits an access
    std::size_t alignment;        ///< of the vector's type
    bool by_last_thread = false;  ///< what is left over is copied as the document has it
};

unsigned blocks_of(std::size_t n, unsigned ints) {
    return std::max(1u, std::min(lab::blocks_for(n / ints, kThreads), kMaxBlocks));
}

/// What the table of all widths says of each beside its figures.
std::vector<lab::Claim> remarks() {
    std::vector<lab::Claim> remarks;
    const auto remark_on = [&](const char* series, double ints, const std::string& opcode) {
        remarks.push_back(lab::names("load_instructions", series)
                              .has(opcode)
                              .holds("{value} in machine code")
                              .fails("no {value} in machine code, but {found}"));
        remarks.push_back(lab::compare("alignment", series)
                              .at_most(sizeof(int))
                              .holds("starts at any int, {found} bytes")
                              .fails("starts at multiples of {found} bytes"));
        if (ints == 1) return;
        remarks.push_back(lab::compare("global_ld_requests", series)
                              .over("global_ld_requests", "scalar")
                              .along("bytes")
                              .equals(1 / ints)
                              .holds("{ratio} of int's requests")
                              .fails("{ratio} of int's requests, not {value}"));
        remarks.push_back(lab::compare("lost", series)
                              .equals(0)
                              .holds("{found} elements lost where a remainder is left over")
                              .fails("{found|element|elements} lost of the remainder"));
    };
    remark_on("scalar", 1, "LDG.E");
    remark_on("vector2", 2, "LDG.E.64");
    remark_on("vector4", 4, "LDG.E.128");
    remark_on("vector8", 8, "LDG.E.ENL2.256");
    return remarks;
}

lab::Experiment describe() {
    lab::Experiment experiment;
    experiment.chapter = 1;
    experiment.name = "vector-width";
    experiment.title = "Vector width: the same bytes in fewer instructions";
    experiment.sources = {"000", "001"};
    experiment.question =
        "A copy moves 4, 8, 16 or 32 bytes a lane and instruction. How many requests and "
        "instructions does that save, and how much faster is it at which size?";
    experiment.expectation =
        "A request is counted once whatever its width, so int2 and int4 make exactly a half and a "
        "quarter of the requests for the same sectors. Instructions fall less than 2 and 4 times, "
        "though the documents say so: only the loop is run less often. What every thread does "
        "once (its index, the bound, the test for what is left over) stays, and so does the "
        "arithmetic of every trip.\n\n"
        "A 32-byte access exists from compute capability 10.0 on (wideload lab vector-width --gpu "
        "b200). Before, the compiler makes two "
        "16-byte ones of it, each of which uses half of every sector that it touches.\n\n"
        "The grid is the documents': 256 threads, enough blocks for one vector a thread, at most "
        "1,024. What is left over when n is no multiple of the width must be copied by threads "
        "that exist. The documents give it to the thread whose number is that of the vectors, n / "
        "2 with int2 and n / 4 with int4. It is not in the grid where that is a multiple of 256, "
        "or where the grid was cut at its most blocks: they lose elements there.";
    experiment.series = {{"scalar", "int, 4 bytes a lane"},
                         {"vector2", "int2, 8 bytes a lane"},
                         {"vector4", "int4, 16 bytes a lane"},
                         {"vector8", "ulonglong4_32a, 32 bytes a lane"},
                         {"last_thread2", "int2, left-over element by thread n / 2"},
                         {"last_thread4", "int4, left-over elements by thread n / 4"},
                         {"memcpy", "cudaMemcpyAsync"}};
    experiment.parameters = {{"bytes", "size", "bytes"}, {"n", "elements"}};
    experiment.columns = {{"global_ld_requests", "load requests"},
                          {"global_ld_sectors", "load sectors"},
                          {"global_ld_degree", "degree", "%"},
                          {"inst", "instructions"},
                          {"lost", "elements lost"},
                          {"us", "time", "µs"},
                          {"gbps", "bandwidth", "GB/s"},
                          {"copy_percent", "of the best copy", "%"}};
    experiment.summary = {{"global_ld_width_bits", "width", "bits"},
                          {"load_instructions", "load instructions"},
                          {"store_instructions", "store instructions"},
                          {"global_ld_requests/warps", "accesses each"},
                          {"alignment", "alignment", "bytes"},
                          {"global_ld_requests", "load requests"},
                          {"inst", "instructions"},
                          {"registers", "registers"},
                          {"gbps", "bandwidth", "GB/s"}};
    experiment.remarks = remarks();
    const auto fewer = [](const char* metric, const char* series) {
        return lab::compare(metric, "scalar").over(metric, series).along("bytes");
    };
    const auto loads_by = [](const char* series, const std::string& type, const char* opcode) {
        return lab::names("load_instructions", series)
            .has(opcode)
            .holds("In machine code " + type +
                   " is loaded by {value}; the kernel's loads are {found}.")
            .fails("In machine code " + type +
                   " is not loaded by {value}: the kernel's loads are {found}.");
    };
    const auto stores_by = [](const char* series, const std::string& type, const char* opcode) {
        return lab::names("store_instructions", series)
            .has(opcode)
            .holds("In machine code " + type +
                   " is stored by {value}; the kernel's stores are {found}.")
            .fails("In machine code " + type +
                   " is not stored by {value}: the kernel's stores are {found}.");
    };
    const auto fewer_threads = [](const char* series, const std::string& type, double factor) {
        return lab::compare("launched_threads", "scalar")
            .over("launched_threads", series)
            .at({{"bytes", 65536}})
            .equals(factor)
            .holds("The " + type + " copy is launched with {ratio} times fewer threads, {right} " +
                   "for 64 KiB.")
            .fails("The " + type + " copy is launched with {ratio} times fewer threads, not " +
                   "{value} times.");
    };
    const auto loses_none = [](const char* series, const std::string& type) {
        return lab::compare("lost", series)
            .equals(0)
            .holds("For every remainder of n the " + type + " copy loses {found} elements.")
            .fails("The " + type + " copy loses {found|element|elements} at {where}.");
    };
    const auto document_loses = [](const char* series, const std::string& type,
                                   const std::string& thread) {
        return lab::compare("lost", series)
            .at({{"n", 1025}})
            .at_least(1)
            .holds("As the documents write the " + type +
                   " copy, {found} of 1,025 elements is lost: " + thread + " is not in the grid.")
            .fails("As the documents write the " + type +
                   " copy, {found} of 1,025 elements are lost: " + thread + " is in the grid.");
    };
    experiment.claims = {
        fewer("global_ld_requests", "vector2")
            .equals(2)
            .holds("int2 makes exactly {ratio} times fewer load requests at every size.")
            .fails("int2 makes {ratio} times fewer load requests, not {value}: see {where}."),
        fewer("global_ld_requests", "vector4")
            .equals(4)
            .holds("int4 makes exactly {ratio} times fewer load requests at every size.")
            .fails("int4 makes {ratio} times fewer load requests, not {value}: see {where}."),
        fewer("global_ld_sectors", "vector4")
            .equals(1)
            .holds("int and int4 load the same sectors, {left} over the sizes: width saves "
                   "instructions, not bytes.")
            .fails("int loads {ratio} times the sectors of int4: width changed what memory "
                   "moves."),
        fewer("inst", "vector2")
            .at_most(1.99)
            .holds("Instructions fall by {ratio} with int2, less than the documents' 2: what a "
                   "thread does once is not halved.")
            .fails("Instructions fall by {ratio} with int2: at {where} as much as the documents' "
                   "2."),
        fewer("inst", "vector4")
            .at_most(3.99)
            .holds("Instructions fall by {ratio} with int4, less than the documents' 4.")
            .fails("Instructions fall by {ratio} with int4: at {where} as much as the documents' "
                   "4."),
        lab::compare("global_ld_requests/warps", "vector8")
            .at_most(2)
            .holds("ulonglong4_32a takes {found|access|accesses} a vector: one from compute "
                   "capability 10.0 on, two before.")
            .fails("ulonglong4_32a takes {found|access|accesses} a vector, more than {value}."),
        loads_by("scalar", "int", "LDG.E"),
        loads_by("vector2", "int2", "LDG.E.64"),
        loads_by("vector4", "int4", "LDG.E.128"),
        stores_by("scalar", "int", "STG.E"),
        stores_by("vector2", "int2", "STG.E.64"),
        stores_by("vector4", "int4", "STG.E.128"),
        fewer_threads("vector2", "int2", 2),
        fewer_threads("vector4", "int4", 4),
        loses_none("vector2", "int2"),
        loses_none("vector4", "int4"),
        document_loses("last_thread2", "int2", "thread n / 2"),
        document_loses("last_thread4", "int4", "thread n / 4"),
        lab::crossover("us", "scalar", "vector4", "bytes")
            .holds("int4 is ahead from {at} bytes on, {ratio} times as fast in the end.")
            .fails("There is no one size from which int4 is ahead; in the end it is {ratio} times "
                   "as fast."),
    };
    experiment.charts = {{"Bandwidth over the size, GB/s", "gbps", "bytes", "line", true, false},
                         {"Load requests", "global_ld_requests", "bytes", "line", true, true},
                         {"Instructions", "inst", "bytes", "line", true, true}};
    experiment.pictures = {
        {"lanes", "int: 4 bytes a lane", "scalar"},
        {"lanes", "int4: 16 bytes a lane, in one request", "vector4"},
        {"lanes", "32 bytes a lane before 10.0: the first of two requests", "vector8"}};
    return experiment;
}

/// Requests of one direction for what is left over, each of one sector: one of threads side by
/// side; of the document's thread one an element, or none where it is not in the grid.
std::uint64_t left_over_requests(std::size_t n, const Width& width) {
    const std::size_t left_over = n % width.ints;
    if (!width.by_last_thread) return left_over != 0 ? 1 : 0;
    return n / width.ints < std::size_t{blocks_of(n, width.ints)} * kThreads ? left_over : 0;
}

/// Requests of one direction: of the vectors, and those for what is left over.
std::uint64_t requests_of(std::size_t n, const Width& width) {
    const std::uint64_t per_vector = width.ints / width.ints_per_access;
    const std::uint64_t warps = (n / width.ints + 31) / 32;
    return warps * per_vector + left_over_requests(n, width);
}

/// A split access touches every sector of its warp once for each part.
std::uint64_t sectors_of(std::size_t n, const Width& width) {
    constexpr std::size_t kIntsPerSector = 8;
    const std::size_t vectors = n / width.ints;
    const std::uint64_t parts = width.ints / width.ints_per_access;
    const std::size_t covered = (vectors * width.ints + kIntsPerSector - 1) / kIntsPerSector;
    return covered * parts + left_over_requests(n, width);
}

/// The counts that a copy of n ints must have.
void expect_copy(lab::Point& point, std::size_t n, const Width& width) {
    const bool even = n % width.ints == 0;
    const char* requests = even ? "vectors / 32 × parts" : "vectors / 32 × parts + left over";
    const char* sectors = even ? "bytes / 32 × parts" : "bytes / 32 × parts + left over";
    for (const std::string kind : {"global_ld", "global_st"}) {
        point.expects(kind + "_requests", requests_of(n, width), requests);
        point.expects(kind + "_sectors", sectors_of(n, width), sectors);
    }
}

std::size_t lost(const lab::Buffer<int>& in, const lab::Buffer<int>& out) {
    const std::vector<int> from = in.download(), to = out.download();
    std::size_t count = 0;
    for (std::size_t i = 0; i < from.size(); ++i) count += from[i] != to[i];
    return count;
}

std::vector<std::size_t> sizes_of(const lab::Session& session) {
    const std::size_t most = session.pick(std::size_t{1} << 20, std::size_t{1} << 32);
    std::vector<std::size_t> sizes;
    for (std::size_t bytes = 4096; bytes <= most && session.fits(2 * bytes); bytes *= 2) {
        sizes.push_back(bytes);
    }
    return sizes;
}

void measure_sizes(lab::Session& session, const std::vector<std::size_t>& sizes,
                   const std::vector<Width>& widths) {
    for (const std::size_t bytes : sizes) {
        const std::size_t n = bytes / sizeof(int);
        const auto in = session.random<int>(n);
        const auto out = session.output<int>(n);
        const auto value = in.value;
        const auto same = [=] __host__ __device__(std::size_t i) { return value(i); };
        for (const Width& width : widths) {
            lab::Point point = session.point(width.series, {{"bytes", bytes}});
            expect_copy(point, n, width);
            point.moves(2 * bytes)
                .kernel(width.kernel)
                .asks("global_ld", requests_of(n, width) * 128 * width.ints_per_access,
                      "requests × 128 × parts")
                .fact("alignment", static_cast<double>(width.alignment))
                .fact("warps", static_cast<double>((n / width.ints + 31) / 32))
                .writes(out, n, same)
                .run([&](int rotation, cudaStream_t stream) {
                    width.kernel<<<blocks_of(n, width.ints), kThreads, 0, stream>>>(
                        in[rotation], out[rotation], static_cast<int>(n));
                });
        }
        if (!session.timed()) continue;
        session.point("memcpy", {{"bytes", bytes}})
            .moves(2 * bytes)
            .writes(out, n, same)
            .direct()
            .run([&](int rotation, cudaStream_t stream) {
                LAB_REQUIRE(cudaMemcpyAsync(out[rotation], in[rotation], bytes,
                                            cudaMemcpyDeviceToDevice, stream));
            });
    }
}

/// Every remainder, where the grid ends with a block and where it does not.
constexpr std::size_t kRemainderSizes[] = {1024, 1025, 1026, 1027, 1029, 1030, 1031, 1032};

void measure_remainders(lab::Session& session, const std::vector<Width>& widths) {
    for (const std::size_t n : kRemainderSizes) {
        const auto in = session.random<int>(n, n);
        const auto out = session.output<int>(n);
        for (const Width& width : widths) {
            lab::Point point = session.point(width.series, {{"n", n}});
            expect_copy(point, n, width);
            point.moves(2 * n * sizeof(int))
                .prepares([&] { out.poison(); })
                .finds("lost", [&] { return lost(in, out); })
                .run([&](int rotation, cudaStream_t stream) {
                    width.kernel<<<blocks_of(n, width.ints), kThreads, 0, stream>>>(
                        in[rotation], out[rotation], static_cast<int>(n));
                });
        }
    }
}

void run(lab::Session& session) {
    const unsigned widest = session.machine().major >= 10 ? 8 : 4;
    const std::vector<Width> widths = {
        {"scalar", copy_scalar, 1, 1, alignof(int)},
        {"vector2", copy_vector2, 2, 2, alignof(int2)},
        {"vector4", copy_vector4, 4, 4, alignof(int4)},
        {"vector8", copy_vector8, 8, widest, alignof(ulonglong4_32a)}};
    std::vector<Width> all = widths;
    all.push_back({"last_thread2", copy_vector2_by_last_thread, 2, 2, alignof(int2), true});
    all.push_back({"last_thread4", copy_vector4_by_last_thread, 4, 4, alignof(int4), true});
    const std::vector<std::size_t> sizes = sizes_of(session);
    session.announce(sizes.size() * (widths.size() + (session.timed() ? 1 : 0)) +
                     std::size(kRemainderSizes) * all.size());
    measure_sizes(session, sizes, widths);
    measure_remainders(session, all);
}

}  // namespace

LAB_MAIN(describe, run)
