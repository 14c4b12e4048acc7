// SPDX-License-Identifier: Apache-2.0
// NVIDIA's calculator as it is called here, against the rules of the CUDA C++ Programming Guide
// over this project's own table: a wrong column of the table, or an argument in the wrong place,
// makes the two differ.
#include "arch/occupancy.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace wideload::arch {
namespace {

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
    return (value + unit - 1) / unit * unit;
}

/// A warp's registers come from one of the multiprocessor's partitions, in units.
std::uint64_t blocks_by_registers(const MultiprocessorLimits& limits,
                                  const BlockResources& resources) {
    const std::uint64_t per_warp =
        round_up(std::uint64_t{std::max(resources.registers, 16u)} * kWarpSize,
                 limits.register_allocation_unit);
    return limits.registers / limits.sub_partitions / per_warp * limits.sub_partitions /
           resources.warps();
}

std::uint64_t blocks_by_shared_memory(const MultiprocessorLimits& limits,
                                      const BlockResources& resources) {
    const std::uint64_t taken =
        round_up(resources.shared_bytes() + limits.shared_bytes_reserved_per_block,
                 limits.shared_allocation_unit);
    return taken == 0 ? limits.max_blocks : limits.shared_bytes / taken;
}

std::uint64_t expected_blocks(const MultiprocessorLimits& limits, const BlockResources& resources) {
    return std::min(
        {std::uint64_t{limits.max_blocks}, std::uint64_t{limits.max_warps() / resources.warps()},
         blocks_by_registers(limits, resources), blocks_by_shared_memory(limits, resources)});
}

TEST(Occupancy, FollowsTheRulesOnEveryGpuOfTheTable) {
    for (const Device& device : devices()) {
        for (std::uint32_t threads = 32; threads <= 1024; threads += 96) {
            for (std::uint32_t registers = 8; registers <= 248; registers += 15) {
                for (std::uint64_t shared = 0; shared <= 96u << 10; shared += 7000) {
                    if (shared > device.limits().shared_bytes_per_block_optin) continue;
                    const BlockResources resources{.threads = threads,
                                                   .registers = registers,
                                                   .static_shared_bytes = shared / 3,
                                                   .dynamic_shared_bytes = shared - shared / 3};
                    ASSERT_EQ(occupancy(device, resources).blocks,
                              expected_blocks(device.limits(), resources))
                        << device.key << ' ' << threads << " threads, " << registers
                        << " registers, " << shared;
                }
            }
        }
    }
}

TEST(Occupancy, KnowsTheLargestBlockThatItsRegistersAllow) {
    for (const Device& device : devices()) {
        const MultiprocessorLimits& limits = device.limits();
        for (std::uint32_t registers = 1; registers <= kMaxRegistersPerThread; ++registers) {
            const std::uint64_t per_warp =
                round_up(std::uint64_t{std::max(registers, 16u)} * kWarpSize,
                         limits.register_allocation_unit);
            const std::uint64_t warps =
                limits.registers / limits.sub_partitions / per_warp * limits.sub_partitions;
            ASSERT_EQ(most_threads_by_registers(device, registers),
                      std::min<std::uint64_t>(warps * kWarpSize, kMaxThreadsPerBlock))
                << device.key << ' ' << registers;
        }
    }
}

// The document's example of a cliff: two more registers cost a quarter of the threads.
TEST(Occupancy, FallsFromAllToThreeQuartersBetween31And33Registers) {
    const Device& h200 = default_device();
    const auto percent = [&](std::uint32_t registers) {
        return occupancy_percent(h200, occupancy(h200, {.threads = 512, .registers = registers}));
    };
    EXPECT_EQ(percent(31), 100);
    EXPECT_EQ(percent(32), 100);
    EXPECT_EQ(percent(33), 75);
    EXPECT_EQ(percent(64), 50);
}

TEST(Occupancy, NamesWhatLimitsIt) {
    const Device& h200 = default_device();
    const Occupancy full = occupancy(h200, {.threads = 512, .registers = 32});
    EXPECT_TRUE(full.is_limited_by(Limiter::warps));
    EXPECT_TRUE(full.is_limited_by(Limiter::registers));
    EXPECT_FALSE(full.is_limited_by(Limiter::blocks));
    const Occupancy small = occupancy(h200, {.threads = 32, .registers = 16});
    EXPECT_EQ(small.blocks, h200.limits().max_blocks);
    EXPECT_TRUE(small.is_limited_by(Limiter::blocks));
    const Occupancy shared =
        occupancy(h200, {.threads = 64, .registers = 16, .dynamic_shared_bytes = 100 << 10});
    EXPECT_TRUE(shared.is_limited_by(Limiter::shared_memory));
    EXPECT_EQ(shared.blocks, 2u);
    // 64 barriers for 32 blocks: 15 a block leave room for 4.
    const Occupancy barriers = occupancy(h200, {.threads = 32, .registers = 16, .barriers = 15});
    EXPECT_TRUE(barriers.is_limited_by(Limiter::barriers));
    EXPECT_EQ(barriers.blocks, 4u);
}

// Such a launch fails on a GPU; a block that does not fit must not come out as one that does.
TEST(Occupancy, IsZeroWhereABlockDoesNotFit) {
    const Device& h200 = default_device();
    const std::uint64_t most = h200.limits().shared_bytes_per_block_optin;
    EXPECT_EQ(occupancy(h200, {.threads = 0, .registers = 16}).blocks, 0u);
    EXPECT_EQ(occupancy(h200, {.threads = 1025, .registers = 16}).blocks, 0u);
    EXPECT_EQ(occupancy(h200, {.threads = 257, .registers = 16, .max_threads = 256}).blocks, 0u);
    EXPECT_EQ(occupancy(h200, {.threads = 1024, .registers = 65}).blocks, 0u);
    EXPECT_EQ(occupancy(h200, {.threads = 32, .registers = 256}).blocks, 0u);
    EXPECT_EQ(occupancy(h200, {.threads = 32, .static_shared_bytes = most}).blocks, 1u);
    EXPECT_EQ(occupancy(h200, {.threads = 32, .static_shared_bytes = most + 1}).blocks, 0u);
    EXPECT_EQ(occupancy(h200, {.threads = 32, .dynamic_shared_bytes = ~0ull >> 1}).blocks, 0u);
}

}  // namespace
}  // namespace wideload::arch
