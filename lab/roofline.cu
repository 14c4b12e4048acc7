// SPDX-License-Identifier: Apache-2.0
// More and more arithmetic for the same bytes: where a kernel stops being limited by memory.
#include "harness/lab.cuh"

/// kFmas dependent multiply-adds; other warps fill the time until each is done.
template <class T, int kFmas>
__host__ __device__ T after_fmas(T value) {
#pragma unroll
    for (int k = 0; k < kFmas; ++k) value = fma(value, T(0.5), T(1));
    return value;
}

template <class T, int kFmas>
__global__ void multiply_add(const T* in, T* out) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    out[i] = after_fmas<T, kFmas>(in[i]);
}

namespace {

constexpr unsigned kThreads = 256;

lab::Experiment describe() {
    lab::Experiment experiment;
    experiment.chapter = 16;
    experiment.name = "roofline";
    experiment.title = "Roofline: what limits a kernel, memory or arithmetic";
    experiment.sources = {"002"};
    experiment.question =
        "A kernel reads an element, works on it with 1 to 256 multiply-adds, and writes it back. "
        "From how many on is arithmetic the limit?";
    experiment.expectation =
        "With a peak of P operations a second and B bytes a second, a kernel of I operations a "
        "byte "
        "reaches at most the smaller of P and B × I. Below I = P / B, the ridge, it waits for "
        "memory, and more arithmetic costs nothing; above, for arithmetic, and fewer bytes gain "
        "nothing. k multiply-adds of 4-byte elements are 2 k operations for 8 bytes: I = k / 4; of "
        "8-byte elements k / 8, under a lower peak.\n\n"
        "Bytes are those that DRAM must move at least: distinct sectors read and written. The "
        "bound "
        "is no estimate: it says what no kernel of this work can beat.\n\n"
        "Of all experiments together (wideload lab --all) every kernel is placed on the roofline.";
    experiment.series = {{"f32", "32-bit floating point"}, {"f64", "64-bit floating point"}};
    experiment.parameters = {{"fmas", "multiply-adds", "an element"}};
    experiment.columns = {{"intensity", "intensity", "operations a byte"},
                          {"binding", "limited by"},
                          {"bound_us", "bound", "µs"},
                          {"us", "time", "µs"},
                          {"gflops", "rate", "GFLOP/s"},
                          {"bound_percent", "of the bound", "%"},
                          {"gbps", "bandwidth", "GB/s"}};
    const auto intensity_at = [](double fmas) {
        return lab::compare("intensity", "f32")
            .at({{"fmas", fmas}})
            .over("ridge", "f32", {{"fmas", fmas}});
    };
    experiment.claims = {
        lab::compare("intensity/fmas", "f32")
            .equals(0.25, 1e-9)
            .holds("Each multiply-add of 4-byte elements adds {found} operations a byte.")
            .fails("A multiply-add of 4-byte elements adds {found} operations a byte, not {value}; "
                   "see {where}."),
        lab::compare("intensity/fmas", "f64")
            .equals(0.125, 1e-9)
            .holds("Each multiply-add of 8-byte elements adds {found} operations a byte.")
            .fails("A multiply-add of 8-byte elements adds {found} operations a byte, not {value}; "
                   "see {where}."),
        intensity_at(1)
            .at_most(1)
            .holds("One multiply-add an element makes {left} operations a byte, less than the "
                   "ridge's {right}: memory is the limit.")
            .fails("Even one multiply-add an element makes {left} operations a byte, above the "
                   "ridge at {right}: memory is not the limit."),
        intensity_at(256)
            .at_least(1)
            .holds("256 multiply-adds make {left} operations a byte, more than the ridge's "
                   "{right}: arithmetic is the limit.")
            .fails("256 multiply-adds make {left} operations a byte, still below the ridge at "
                   "{right}: memory is the limit."),
        lab::compare("ridge", "f32")
            .over("ridge", "f64")
            .at_least(1.5)
            .holds("The ridge lies at {left} operations a byte in 32 bits and at {right} in 64: "
                   "{ratio} times as high.")
            .fails("The ridges lie at {left} and {right} operations a byte, only {ratio} times "
                   "apart."),
        lab::monotone("bound_us", "f32", "fmas", "rising")
            .holds("The bound rises from {left} to {right} µs, flat as long as memory binds.")
            .fails("The bound falls on its way from {left} to {right} µs, at {where}."),
        lab::compare("dram_times_stated", "f32")
            .equals(1, 0.1)
            .holds("DRAM moved {found} times the bytes that the kernel must move at least: nearly "
                   "those alone.")
            .fails("DRAM moved {found} times the bytes that the kernel must move at least."),
        lab::compare("bound_percent", "f32")
            .at_least(60)
            .holds("On this GPU the kernels reach {found} % of their bounds.")
            .fails("On this GPU the kernels reach {found} % of their bounds, the least with "
                   "{where}."),
        lab::compare("us", "f32")
            .at({{"fmas", 8}})
            .over("us", "f32", {{"fmas", 1}})
            .at_most(1.05)
            .holds("Eight multiply-adds take {ratio} times as long as one: below the ridge "
                   "arithmetic is free.")
            .fails(
                "Eight multiply-adds take {ratio} times as long as one: arithmetic is not free."),
    };
    experiment.charts = {
        {"Bound on the time over arithmetic, µs", "bound_us", "fmas", "line", true, true},
        {"Operations a byte", "intensity", "fmas", "line", true, true},
        {"Rate over arithmetic, GFLOP/s", "gflops", "fmas", "line", true, true}};
    return experiment;
}

template <class T>
struct Arrays {
    lab::Buffer<T> in, out;
    std::size_t n;
};

template <class T, int kFmas>
void measure(lab::Session& session, const Arrays<T>& arrays) {
    const bool is_double = sizeof(T) == 8;
    const std::size_t n = arrays.n;
    const auto value = arrays.in.value;
    session.point(is_double ? "f64" : "f32", {{"fmas", kFmas}})
        .moves(2 * n * sizeof(T))
        .computes(2.0 * kFmas * static_cast<double>(n))
        .expects(is_double ? "f64_operations" : "f32_operations", 2 * kFmas * n,
                 "2 × multiply-adds × elements")
        .expects_traffic("global_ld", n / 32, "warps", sizeof(T), "bytes of an element")
        .expects_traffic("global_st", n / 32, "warps", sizeof(T), "bytes of an element")
        .expects("touched_read_sectors", n * sizeof(T) / 32, "bytes / 32")
        .expects("touched_write_sectors", n * sizeof(T) / 32, "bytes / 32")
        .writes(arrays.out, n,
                [=] __host__ __device__(std::size_t i) { return after_fmas<T, kFmas>(value(i)); })
        .run([&](int rotation, cudaStream_t stream) {
            multiply_add<T, kFmas><<<static_cast<unsigned>(n / kThreads), kThreads, 0, stream>>>(
                arrays.in[rotation], arrays.out[rotation]);
        });
}

template <class T, int... kFmas>
void measure_all(lab::Session& session) {
    const std::size_t n = session.pick(std::size_t{1} << 16, std::size_t{1} << 27) / sizeof(T) * 4;
    const Arrays<T> arrays{session.random<T>(n), session.output<T>(n), n};
    (measure<T, kFmas>(session, arrays), ...);
}

void run(lab::Session& session) {
    session.announce(18);
    measure_all<float, 1, 2, 4, 8, 16, 32, 64, 128, 256>(session);
    measure_all<double, 1, 2, 4, 8, 16, 32, 64, 128, 256>(session);
}

}  // namespace

LAB_MAIN(describe, run)
