// SPDX-License-Identifier: Apache-2.0
// An experiment whose kernels are wrong in the two ways that checks exist for: one writes a wrong
// value, one leaves an element out.
#include "../../lab/harness/lab.cuh"

__global__ void copy_all_but_last(const unsigned* from, unsigned* to, unsigned n) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 1 < n) to[i] = from[i];
}

__global__ void copy_one_wrong(const unsigned* from, unsigned* to, unsigned n) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = i == n / 2 ? ~from[i] : from[i];
}

namespace {

constexpr unsigned kThreads = 256, kCount = 1 << 12;

lab::Experiment describe() {
    lab::Experiment experiment;
    experiment.chapter = 1;
    experiment.name = "wrong-results";
    experiment.title = "Wrong results";
    experiment.question = "Are they noticed?";
    experiment.series = {{"left_out", "an element left out"}, {"wrong", "a wrong element"}};
    experiment.columns = {{"us", "time", "µs"}};
    return experiment;
}

void run(lab::Session& session) {
    const auto from = session.random<unsigned>(kCount);
    const auto to = session.output<unsigned>(kCount);
    const auto value = from.value;
    using Kernel = void(const unsigned*, unsigned*, unsigned);
    const auto point = [&](const char* series, Kernel* kernel) {
        session.point(series, {})
            .moves(2 * kCount * sizeof(unsigned))
            .writes(to, kCount, [=] __host__ __device__(std::size_t i) { return value(i); })
            .run([&](int rotation, cudaStream_t stream) {
                kernel<<<kCount / kThreads, kThreads, 0, stream>>>(from[rotation], to[rotation],
                                                                   kCount);
            });
    };
    session.announce(2);
    point("left_out", copy_all_but_last);
    point("wrong", copy_one_wrong);
}

}  // namespace

LAB_MAIN(describe, run)
