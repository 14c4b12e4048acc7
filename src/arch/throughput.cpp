// SPDX-License-Identifier: Apache-2.0
#include "arch/throughput.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace wideload::arch {
namespace {

// Sources: f16, CUDA C++ Programming Guide 13.0, "Throughput of Native Arithmetic Instructions".
// i32: the same table has 64 additions and 64 multiply-adds, which are pipes of their own (on 12.0,
// RTX Blackwell white paper, 128 of either); the four schedulers issue 128 lanes a clock to all.
// L1: GA102 white paper (64 bytes a clock on Turing, 128 on Ampere); 128 on 8.0, 9.0 and 10.0 by
// the shared memory that is the same unit.
constexpr std::array<MultiprocessorThroughput, 7> kThroughputs = {{
    // clang-format off
    // cc      f16  i32   L1
    {{7, 5},   128, 128,  64},
    {{8, 0},   256, 128, 128},
    {{8, 6},   128, 128, 128},
    {{8, 9},   128, 128, 128},
    {{9, 0},   256, 128, 128},
    {{10, 0},  256, 128, 128},
    {{12, 0},  128, 128, 128},
    // clang-format on
}};

struct L2Throughput {
    std::string_view key;
    std::uint32_t bytes;  ///< a clock, of the whole cache, read
};

// A100 white paper: 5,120 bytes a clock; the same of an H100 (Ernst et al. 2023, "Analytical
// performance estimation during code generation on modern GPUs", table 3) and so of an H200, the
// same chip.
constexpr std::array<L2Throughput, 4> kL2Throughputs = {
    {{"a100", 5120}, {"a100-80gb", 5120}, {"h100", 5120}, {"h200", 5120}}};

double clocks_per_second(const Device& device) { return device.sm_clock_khz * 1e3; }

double whole_gpu(const Device& device, double per_multiprocessor_and_clock) {
    return per_multiprocessor_and_clock * device.multiprocessors * clocks_per_second(device);
}

}  // namespace

const MultiprocessorThroughput& throughput(ComputeCapability capability) {
    return *std::ranges::find(kThroughputs, capability, &MultiprocessorThroughput::capability);
}

double f16_peak_operations(const Device& device) {
    return whole_gpu(device, 2.0 * throughput(device.capability).f16_lanes);
}

double i32_peak_operations(const Device& device) {
    return whole_gpu(device, 2.0 * throughput(device.capability).i32_lanes);
}

double l1_peak_bytes_per_second(const Device& device) {
    return whole_gpu(device, throughput(device.capability).l1_bytes);
}

std::optional<double> l2_peak_bytes_per_second(const Device& device) {
    const auto* row = std::ranges::find(kL2Throughputs, device.key, &L2Throughput::key);
    if (row == kL2Throughputs.end()) return std::nullopt;
    return row->bytes * clocks_per_second(device);
}

}  // namespace wideload::arch
