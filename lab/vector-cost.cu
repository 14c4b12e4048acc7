// SPDX-License-Identifier: Apache-2.0
// What wide accesses cost: registers, and threads. When scalar accesses win.
#include <cmath>
#include <string>

#include "harness/lab.cuh"

constexpr unsigned kThreads = 256;
constexpr unsigned kStates = 8;

template <unsigned kWidth>
struct alignas(kWidth * sizeof(float)) Vector {
    float lane[kWidth];
};

/// A made-up computation of eight running values an element, each of them needed by the next.
__host__ __device__ inline void step(float (&state)[kStates], float x) {
#pragma unroll
    for (unsigned s = 0; s < kStates; ++s) state[s] = fmaf(state[s], x, state[(s + 1) % kStates]);
}

/// Every thread does so for `kWidth` elements, which it reads and writes by one access.
template <unsigned kWidth>
__global__ void iterate(const Vector<kWidth>* from, Vector<kWidth>* to, unsigned rounds) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const Vector<kWidth> x = from[i];
    float state[kWidth][kStates];
#pragma unroll
    for (unsigned e = 0; e < kWidth; ++e) {
#pragma unroll
        for (unsigned s = 0; s < kStates; ++s) state[e][s] = x.lane[e] + static_cast<float>(s);
    }
    for (unsigned round = 0; round < rounds; ++round) {
#pragma unroll
        for (unsigned e = 0; e < kWidth; ++e) step(state[e], x.lane[e]);
    }
    Vector<kWidth> result;
#pragma unroll
    for (unsigned e = 0; e < kWidth; ++e) result.lane[e] = state[e][0];
    to[i] = result;
}

namespace {

constexpr unsigned kLightRounds = 1, kHeavyRounds = 64;

lab::Experiment describe() {
    lab::Experiment experiment;
    experiment.chapter = 3;
    experiment.name = "vector-cost";
    experiment.title = "Wide accesses cost registers and threads";
    experiment.sources = {"000", "001"};
    experiment.question =
        "A thread that loads four elements at once makes a quarter of the requests. What does it "
        "pay, and when are scalar loads the better choice?";
    experiment.expectation =
        "Four elements are four times the values to keep: where an element needs eight running "
        "values a thread then holds 32 of them, and its registers limit how many warps fit a "
        "multiprocessor. And for the same elements there are a quarter of the threads. With many "
        "elements there are still plenty. With few, most of the GPU has nothing to do while a few "
        "threads do four elements' work one after the other.\n\n"
        "So the scalar kernel should win where elements are few and each is much work, and the "
        "wide "
        "one where there is much to move and little to compute.";
    experiment.series = {{"light_scalar", "little work, 1 element a thread"},
                         {"light_pair", "little work, 2 elements a thread"},
                         {"light_quad", "little work, 4 elements a thread"},
                         {"heavy_scalar", "much work, 1 element a thread"},
                         {"heavy_pair", "much work, 2 elements a thread"},
                         {"heavy_quad", "much work, 4 elements a thread"}};
    experiment.parameters = {{"n", "elements"}};
    experiment.columns = {{"registers", "registers"},
                          {"occupancy", "occupancy", "%"},
                          {"warps_a_multiprocessor", "warps an SM"},
                          {"global_ld_requests", "load requests"},
                          {"inst", "PTX instructions"},
                          {"us", "time", "µs"},
                          {"gbps", "bandwidth", "GB/s"},
                          {"copy_percent", "of the best copy", "%"}};
    experiment.claims = {
        lab::compare("registers", "heavy_quad")
            .over("registers", "heavy_scalar")
            .at_least(1.5)
            .holds("Four elements a thread take {ratio} times the registers: {left} in place of "
                   "{right}.")
            .fails("Four elements a thread take only {ratio} times the registers, {left} in place "
                   "of {right}."),
        lab::compare("occupancy", "heavy_scalar")
            .equals(100)
            .holds("The scalar kernel could fill {found} % of a multiprocessor's warps.")
            .fails("Even the scalar kernel can fill only {found} % of a multiprocessor's warps."),
        lab::compare("occupancy", "heavy_quad")
            .at_most(75)
            .holds("With four elements a thread no more than {found} % of them fit.")
            .fails("With four elements a thread {found} % of them fit still."),
        lab::compare("launched_warps", "heavy_scalar")
            .over("launched_warps", "heavy_quad")
            .equals(4)
            .holds("For the same elements the scalar kernel starts {ratio} times the warps.")
            .fails("For the same elements the scalar kernel starts {ratio} times the warps, not "
                   "{value} times."),
        lab::compare("global_ld_requests", "heavy_scalar")
            .over("global_ld_requests", "heavy_quad")
            .equals(4)
            .holds(
                "The scalar kernel makes {ratio} times the load requests, {left} against {right}.")
            .fails("The scalar kernel makes {ratio} times the load requests, not {value} times."),
        lab::compare("inst", "light_scalar")
            .over("inst", "light_quad")
            .at_most(3)
            .holds(
                "Four elements a thread take only {ratio} times fewer instructions: each element's "
                "work remains.")
            .fails("Four elements a thread take {ratio} times fewer instructions, nearly as many "
                   "times as requests."),
        lab::compare("us", "heavy_quad")
            .at({{"n", 1 << 14}})
            .over("us", "heavy_scalar", {{"n", 1 << 14}})
            .at_least(1.2)
            .holds(
                "With 16,384 elements and much work the wide kernel takes {ratio} times as long: "
                "scalar wins.")
            .fails(
                "With 16,384 elements and much work the wide kernel takes {ratio} times as long: "
                "scalar does not win."),
        lab::compare("us", "light_quad")
            .at({{"n", 1 << 26}})
            .over("us", "light_scalar", {{"n", 1 << 26}})
            .at_most(1)
            .holds(
                "With 67 million elements and little work the wide kernel takes {ratio} times as "
                "long: wide accesses win.")
            .fails("With 67 million elements and little work the wide kernel takes {ratio} times "
                   "as long: wide accesses do not win."),
    };
    experiment.charts = {{"Time with much work, µs",
                          "us",
                          "n",
                          "line",
                          true,
                          true,
                          {"heavy_scalar", "heavy_pair", "heavy_quad"}},
                         {"Bandwidth with little work, GB/s",
                          "gbps",
                          "n",
                          "line",
                          true,
                          false,
                          {"light_scalar", "light_pair", "light_quad"}},
                         {"Warps that an SM is given",
                          "warps_a_multiprocessor",
                          "n",
                          "line",
                          true,
                          true,
                          {"heavy_scalar", "heavy_pair", "heavy_quad"}}};
    experiment.pictures = {{"lanes", "One element a lane", "heavy_scalar"},
                           {"lanes", "Four elements a lane", "heavy_quad"}};
    return experiment;
}

/// The warps that fit a multiprocessor, of those it has room for.
template <unsigned kWidth>
double occupancy_percent() {
    int blocks = 0, threads = 0;
    LAB_REQUIRE(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, iterate<kWidth>, kThreads, 0));
    LAB_REQUIRE(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, 0));
    return 100.0 * blocks * kThreads / threads;
}

template <unsigned kWidth>
void iterate_elements(lab::Session& session, const char* series, std::size_t n, unsigned rounds) {
    const auto from = session.random<float>(n), to = session.output<float>(n);
    const auto value = from.value;
    const std::uint64_t warps = n / kWidth / 32;
    session.point(series, {{"n", n}})
        .kernel(iterate<kWidth>)
        .fact("occupancy", occupancy_percent<kWidth>())
        .fact("warps_a_multiprocessor",
              static_cast<double>(warps) / session.machine().multiprocessors)
        .moves(2 * n * sizeof(float))
        .computes(2.0 * kStates * rounds * static_cast<double>(n))
        .expects_traffic("global_ld", warps, "elements / width / 32", 4 * kWidth, "4 × width")
        .expects_traffic("global_st", warps, "elements / width / 32", 4 * kWidth, "4 × width")
        .writes(to, n,
                [=] __host__ __device__(std::size_t i) {
                    float state[kStates];
                    for (unsigned s = 0; s < kStates; ++s) {
                        state[s] = value(i) + static_cast<float>(s);
                    }
                    for (unsigned round = 0; round < rounds; ++round) step(state, value(i));
                    return state[0];
                })
        .run([&](int rotation, cudaStream_t stream) {
            iterate<kWidth><<<lab::blocks_for(n / kWidth, kThreads), kThreads, 0, stream>>>(
                reinterpret_cast<const Vector<kWidth>*>(from[rotation]),
                reinterpret_cast<Vector<kWidth>*>(to[rotation]), rounds);
        });
}

void run(lab::Session& session) {
    const std::vector<unsigned> powers = session.full()
                                             ? std::vector<unsigned>{12, 14, 16, 18, 20, 22, 24, 26}
                                             : std::vector<unsigned>{10, 12, 14};
    session.announce(6 * powers.size());
    for (const unsigned power : powers) {
        const std::size_t n = std::size_t{1} << power;
        iterate_elements<1>(session, "light_scalar", n, kLightRounds);
        iterate_elements<2>(session, "light_pair", n, kLightRounds);
        iterate_elements<4>(session, "light_quad", n, kLightRounds);
        iterate_elements<1>(session, "heavy_scalar", n, kHeavyRounds);
        iterate_elements<2>(session, "heavy_pair", n, kHeavyRounds);
        iterate_elements<4>(session, "heavy_quad", n, kHeavyRounds);
    }
}

}  // namespace

LAB_MAIN(describe, run)
