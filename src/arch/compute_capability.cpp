// SPDX-License-Identifier: Apache-2.0
#include "arch/compute_capability.h"

#include <algorithm>
#include <array>

namespace wideload::arch {
namespace {

constexpr std::uint32_t kKiB = 1024;

// Steps of the shared-memory carve-out: cudaOccAlignUpShmemSizeVoltaPlus in cuda_occupancy.h of
// CUDA 13.0.
constexpr std::array<std::uint32_t, 2> kCarveouts64 = {32 * kKiB, 64 * kKiB};
constexpr std::array<std::uint32_t, 6> kCarveouts100 = {0,         8 * kKiB,  16 * kKiB,
                                                        32 * kKiB, 64 * kKiB, 100 * kKiB};
constexpr std::array<std::uint32_t, 8> kCarveouts164 = {
    0, 8 * kKiB, 16 * kKiB, 32 * kKiB, 64 * kKiB, 100 * kKiB, 132 * kKiB, 164 * kKiB};
constexpr std::array<std::uint32_t, 10> kCarveouts228 = {
    0,          8 * kKiB,   16 * kKiB,  32 * kKiB,  64 * kKiB,
    100 * kKiB, 132 * kKiB, 164 * kKiB, 196 * kKiB, 228 * kKiB};

// Sources, by column:
//   threads, blocks, registers, shared (multiprocessor and opt-in): CUDA C++ Programming
//   Guide 13.0, "Technical
//     Specifications per Compute Capability"; blocks also cudaOccMaxBlocksPerMultiprocessor in
//     cuda_occupancy.h 13.0.
//   register unit, sub-partitions, shared unit: cudaOccRegAllocationGranularity,
//   cudaOccSubPartitionsPerMultiprocessor and
//     cudaOccSMemAllocationGranularity in cuda_occupancy.h 13.0.
//   unified cache, reserved shared: tuning guides of Turing, Ampere, Ada, Hopper and Blackwell (1
//   KiB a block since 8.0). lanes: Programming Guide 13.0, "Throughput of Native Arithmetic
//   Instructions" (32-bit and 64-bit floating-point add).
constexpr std::array<MultiprocessorLimits, 7> kLimits = {{
    // clang-format off
    // cc       name      threads blocks registers unit parts  unified     shared      opt-in     reserved unit carve-outs  fp32 fp64
    {{7, 5},  "Turing",    1024,   16,   65536,   256,  4,    96 * kKiB,  64 * kKiB,  64 * kKiB,    0,   256, kCarveouts64,   64,  2},
    {{8, 0},  "Ampere",    2048,   32,   65536,   256,  4,   192 * kKiB, 164 * kKiB, 163 * kKiB, kKiB,   128, kCarveouts164,  64, 32},
    {{8, 6},  "Ampere",    1536,   16,   65536,   256,  4,   128 * kKiB, 100 * kKiB,  99 * kKiB, kKiB,   128, kCarveouts100, 128,  2},
    {{8, 9},  "Ada",       1536,   24,   65536,   256,  4,   128 * kKiB, 100 * kKiB,  99 * kKiB, kKiB,   128, kCarveouts100, 128,  2},
    {{9, 0},  "Hopper",    2048,   32,   65536,   256,  4,   256 * kKiB, 228 * kKiB, 227 * kKiB, kKiB,   128, kCarveouts228, 128, 64},
    {{10, 0}, "Blackwell", 2048,   32,   65536,   256,  4,   256 * kKiB, 228 * kKiB, 227 * kKiB, kKiB,   128, kCarveouts228, 128, 64},
    {{12, 0}, "Blackwell", 1536,   24,   65536,   256,  4,   128 * kKiB, 100 * kKiB,  99 * kKiB, kKiB,   128, kCarveouts100, 128,  2},
    // clang-format on
}};

}  // namespace

std::span<const MultiprocessorLimits> multiprocessor_limits() { return kLimits; }

const MultiprocessorLimits* find_limits(ComputeCapability capability) {
    const auto* row = std::ranges::find(kLimits, capability, &MultiprocessorLimits::capability);
    return row == kLimits.end() ? nullptr : row;
}

}  // namespace wideload::arch
