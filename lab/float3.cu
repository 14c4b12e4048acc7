// SPDX-License-Identifier: Apache-2.0
// Structs of three floats: as they are, padded to four, as three arrays, and by the library's wide
// accesses.
#include <wideload/warp/aos.cuh>

#include "harness/lab.cuh"

__device__ float3 twice(float3 value) { return {2.0f * value.x, 2.0f * value.y, 2.0f * value.z}; }

__global__ void scale_float3(const float3* from, float3* to) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = twice(from[i]);
}

/// The fourth float is padding: it travels along.
__global__ void scale_padded(const float4* from, float4* to) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 value = from[i];
    const float3 scaled = twice({value.x, value.y, value.z});
    to[i] = {scaled.x, scaled.y, scaled.z, value.w};
}

/// x, y and z are arrays of n floats, one behind the other.
__global__ void scale_arrays(const float* from, float* to, unsigned n) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const float3 scaled = twice({from[i], from[n + i], from[2 * n + i]});
    to[i] = scaled.x;
    to[n + i] = scaled.y;
    to[2 * n + i] = scaled.z;
}

/// A warp takes 128 structs, four a lane, by accesses of 16 bytes that lie side by side.
__global__ void scale_by_library(const float3* from, float3* to) {
    constexpr unsigned kLanes = 32, kStructs = wideload::warp::kStructsPerLane<float3>;
    const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / kLanes;
    const std::size_t first = std::size_t{warp} * kLanes * kStructs;
    const int lane = threadIdx.x % kLanes;
    auto structs = wideload::warp::load_aos(wideload::assume_aligned<16>(from + first), lane);
    for (int i = 0; i < structs.kSize; ++i) structs[i] = twice(structs[i]);
    wideload::warp::store_aos(wideload::assume_aligned<16>(to + first), structs, lane);
}

namespace {

constexpr unsigned kThreads = 256;

lab::Experiment describe() {
    lab::Experiment experiment;
    experiment.chapter = 17;
    experiment.name = "float3";
    experiment.title = "float3: twelve bytes are three accesses";
    experiment.sources = {"002"};
    experiment.question =
        "No access moves 12 bytes. What becomes of an array of float3, and which way around it "
        "moves the least?";
    experiment.expectation =
        "Document 002 says that the compiler makes an access of 8 and one of 4 bytes. It cannot: "
        "float3 promises a multiple of 4 bytes only, so there are three accesses of 4 bytes. Each "
        "of them takes one float in three from 384 bytes, 12 sectors, a third of which it uses; "
        "all "
        "three touch the same 12 sectors.\n\n"
        "Padded to 16 bytes a struct is one access, but a quarter of what moves is padding. Three "
        "arrays need three accesses too, each of them coalesced: 4 sectors. The library loads 16 "
        "bytes a lane side by side, whatever the structs, and lets the lanes sort them out by "
        "shuffles: as few sectors, a quarter of the requests.";
    experiment.series = {{"float3", "float3"},
                         {"padded", "padded to float4"},
                         {"arrays", "three arrays"},
                         {"library", "float3 by warp::load_aos"}};
    experiment.parameters = {{"n", "structs"}};
    experiment.columns = {{"load_instructions", "load instructions"},
                          {"global_ld_requests/warps", "loads for 32 structs"},
                          {"global_ld_sectors/warps", "sectors for 32 structs"},
                          {"global_ld_sectors/global_ld_requests", "sectors a load"},
                          {"global_ld_degree", "degree of loads", "%"},
                          {"global_st_sectors/warps", "stored sectors for 32 structs"},
                          {"useful_percent", "of the bytes are fields", "%"},
                          {"registers", "registers"},
                          {"us", "time", "µs"},
                          {"gbps", "useful bandwidth", "GB/s"},
                          {"copy_percent", "of the best copy", "%"}};
    experiment.claims = {
        lab::compare("global_ld_requests/warps", "float3")
            .equals(3)
            .holds("An array of float3 is read by {found|load|loads} a struct.")
            .fails("An array of float3 is read by {found|load|loads} a struct, not {value}."),
        lab::compare("global_ld_sectors/global_ld_requests", "float3")
            .equals(12)
            .holds("Each of float3's loads touches {found} sectors.")
            .fails("Each of float3's loads touches {found|sector|sectors}, not the {value} of 384 "
                   "bytes."),
        lab::compare("global_ld_sectors", "float3")
            .over("global_ld_sectors", "arrays")
            .equals(3)
            .holds("In all float3 takes {ratio} times the sectors of three arrays, {left} against "
                   "{right}.")
            .fails("In all float3 takes {ratio} times the sectors of three arrays, not {value} "
                   "times."),
        lab::compare("global_ld_sectors", "padded")
            .over("global_ld_sectors", "arrays")
            .equals(4.0 / 3, 1e-9)
            .holds("Padded structs take {ratio} times the sectors of three arrays: the padding is "
                   "moved too.")
            .fails("Padded structs take {ratio} times the sectors of three arrays, not {value}."),
        lab::compare("global_ld_requests", "arrays")
            .over("global_ld_requests", "library")
            .equals(4)
            .holds("The library reads the same structs by a quarter of the requests: {right} in "
                   "place of {left}.")
            .fails("The library makes {right} requests where three arrays make {left}, not a "
                   "quarter."),
        lab::compare("global_ld_degree", "library")
            .equals(100)
            .holds(
                "The library's coalescing degree is {found} %, without any change of the layout.")
            .fails("The library's coalescing degree is only {found} %."),
        lab::compare("us", "float3")
            .over("us", "library")
            .at_least(1.05)
            .holds("On this GPU plain float3 takes {ratio} times the library's time.")
            .fails("On this GPU plain float3 takes {ratio} times the library's time: the cache "
                   "merges the three accesses."),
        lab::compare("us", "padded")
            .over("us", "library")
            .at_least(1.2)
            .holds("Padding takes {ratio} times the library's time.")
            .fails("Padding takes only {ratio} times the library's time."),
        lab::best("us", "library", "lowest")
            .holds("The fastest is {best}, {ratio} times as fast as the next.")
            .fails("The fastest is {best}: the library needs {left} µs against {right} µs."),
    };
    experiment.charts = {
        {"Loaded sectors for 32 structs", "global_ld_sectors/warps", "series", "bar"},
        {"Loads for 32 structs", "global_ld_requests/warps", "series", "bar"},
        {"Useful bandwidth, GB/s", "gbps", "series", "bar"}};
    experiment.pictures = {{"lanes", "float3: the first of three loads", "float3"},
                           {"lanes", "Padded to 16 bytes", "padded"},
                           {"lanes", "One of three arrays", "arrays"},
                           {"lanes", "The library's first load: 16 bytes a lane", "library"}};
    return experiment;
}

void run(lab::Session& session) {
    const std::size_t n = session.pick(std::size_t{1} << 13, std::size_t{1} << 26);
    const auto packed = session.random<float>(3 * n, 1), padded = session.random<float>(4 * n, 2);
    const auto packed_out = session.output<float>(3 * n), padded_out = session.output<float>(4 * n);
    const auto packed_value = packed.value, padded_value = padded.value;
    const std::uint64_t warps = n / 32;
    const unsigned blocks = lab::blocks_for(n, kThreads);
    const auto point = [&](const char* series, double useful_percent) {
        lab::Point described = session.point(series, {{"n", n}});
        described.moves(2 * n * sizeof(float3))
            .fact("warps", static_cast<double>(warps))
            .fact("useful_percent", useful_percent);
        return described;
    };
    const auto scaled = [=] __host__ __device__(std::size_t i) { return 2.0f * packed_value(i); };

    session.announce(4);
    point("float3", 100)
        .kernel(scale_float3)
        .expects_traffic("global_ld", 3 * warps, "3 × warps", 12, "384 bytes / 32")
        .asks("global_ld", 3 * warps * 128, "3 × warps × 128")
        .expects_traffic("global_st", 3 * warps, "3 × warps", 12, "384 bytes / 32")
        .writes(packed_out, 3 * n, scaled)
        .run([&](int rotation, cudaStream_t stream) {
            scale_float3<<<blocks, kThreads, 0, stream>>>(
                reinterpret_cast<const float3*>(packed[rotation]),
                reinterpret_cast<float3*>(packed_out[rotation]));
        });
    point("padded", 75)
        .kernel(scale_padded)
        .expects_traffic("global_ld", warps, "warps", 16, "512 bytes / 32")
        .asks("global_ld", warps * 512, "warps × 512")
        .expects_traffic("global_st", warps, "warps", 16, "512 bytes / 32")
        .writes(padded_out, 4 * n,
                [=] __host__ __device__(std::size_t i) {
                    return i % 4 == 3 ? padded_value(i) : 2.0f * padded_value(i);
                })
        .run([&](int rotation, cudaStream_t stream) {
            scale_padded<<<blocks, kThreads, 0, stream>>>(
                reinterpret_cast<const float4*>(padded[rotation]),
                reinterpret_cast<float4*>(padded_out[rotation]));
        });
    point("arrays", 100)
        .kernel(scale_arrays)
        .expects_traffic("global_ld", 3 * warps, "3 × warps", 4, "128 bytes / 32")
        .asks("global_ld", 3 * warps * 128, "3 × warps × 128")
        .expects_traffic("global_st", 3 * warps, "3 × warps", 4, "128 bytes / 32")
        .writes(packed_out, 3 * n, scaled)
        .run([&](int rotation, cudaStream_t stream) {
            scale_arrays<<<blocks, kThreads, 0, stream>>>(packed[rotation], packed_out[rotation],
                                                          static_cast<unsigned>(n));
        });
    point("library", 100)
        .kernel(scale_by_library)
        .expects_traffic("global_ld", 3 * n / 128, "bytes / 512", 16, "512 bytes / 32")
        .asks("global_ld", 3 * n * sizeof(float), "bytes")
        .expects_traffic("global_st", 3 * n / 128, "bytes / 512", 16, "512 bytes / 32")
        .writes(packed_out, 3 * n, scaled)
        .run([&](int rotation, cudaStream_t stream) {
            scale_by_library<<<lab::blocks_for(n / 4, kThreads), kThreads, 0, stream>>>(
                reinterpret_cast<const float3*>(packed[rotation]),
                reinterpret_cast<float3*>(packed_out[rotation]));
        });
}

}  // namespace

LAB_MAIN(describe, run)
