// SPDX-License-Identifier: Apache-2.0
#include "model/occupancy_steps.h"

#include <gtest/gtest.h>

namespace wideload::model {
namespace {

using arch::BlockResources;

const BlockResources kDocument{.threads = 512, .registers = 31};

BlockResources at(Axis axis, std::uint64_t value) {
    BlockResources resources = kDocument;
    if (axis == Axis::threads) resources.threads = static_cast<std::uint32_t>(value);
    if (axis == Axis::registers) resources.registers = static_cast<std::uint32_t>(value);
    if (axis == Axis::shared) resources.dynamic_shared_bytes = value;
    return resources;
}

// Steps are found by leaps of the allocation unit; every single value has to agree with its step.
TEST(OccupancySteps, HoldForEveryValueOnEveryGpu) {
    for (const arch::Device& device : arch::devices()) {
        for (const Axis axis : kAxes) {
            SCOPED_TRACE(std::string(device.key) + " axis " +
                         std::to_string(static_cast<int>(axis)));
            const std::vector<Step> steps = occupancy_steps(device, kDocument, axis);
            std::uint64_t next = axis == Axis::shared ? 0 : 1;
            for (const Step& step : steps) {
                ASSERT_EQ(step.first, next) << "a gap";
                for (std::uint64_t value = step.first; value <= step.last; ++value) {
                    ASSERT_EQ(arch::occupancy(device, at(axis, value)).warps, step.occupancy.warps)
                        << value;
                }
                next = step.last + 1;
            }
            EXPECT_EQ(next - 1, axis == Axis::threads ? arch::kMaxThreadsPerBlock
                                : axis == Axis::registers
                                    ? arch::kMaxRegistersPerThread
                                    : device.limits().shared_bytes_per_block_optin);
        }
    }
}

TEST(OccupancySteps, NeighboursDiffer) {
    for (const Axis axis : kAxes) {
        const std::vector<Step> steps = occupancy_steps(arch::default_device(), kDocument, axis);
        ASSERT_GT(steps.size(), 2u);
        for (std::size_t i = 1; i < steps.size(); ++i) {
            EXPECT_NE(steps[i].occupancy.warps, steps[i - 1].occupancy.warps);
        }
    }
}

Cliffs cliffs(const BlockResources& resources, Axis axis) {
    return study_occupancy("", arch::default_device(), resources)
        .cliffs[static_cast<std::size_t>(axis)];
}

// From 31 registers nothing is lost before 33, where 48 of 64 warps are left; from 33 the way back
// begins at 32.
TEST(Cliffs, AreThoseOfTheDocumentFromBothSides) {
    const Cliffs below = cliffs(kDocument, Axis::registers);
    EXPECT_FALSE(below.below) << "31 registers are full occupancy already";
    ASSERT_TRUE(below.above);
    EXPECT_EQ(below.above->value, 33u);
    EXPECT_EQ(below.above->occupancy.warps, 48u);

    const Cliffs above = cliffs({.threads = 512, .registers = 33}, Axis::registers);
    ASSERT_TRUE(above.below);
    EXPECT_EQ(above.below->value, 32u);
    EXPECT_EQ(above.below->occupancy.warps, 64u);
    ASSERT_TRUE(above.above);
    // 65,536 registers are 2 blocks of 512 threads as soon as a warp takes more than 40 x 32.
    EXPECT_EQ(above.above->value, 41u);
    EXPECT_EQ(above.above->occupancy.warps, 32u);
}

// On an H200 four blocks of 512 threads share 228 KiB, 1 KiB of each is the system's.
TEST(Cliffs, OfSharedMemoryAreExactToTheByte) {
    const Cliffs found = cliffs(kDocument, Axis::shared);
    EXPECT_FALSE(found.below);
    ASSERT_TRUE(found.above);
    EXPECT_EQ(found.above->value, 228u * 1024 / 4 - 1024 + 1);
    EXPECT_EQ(found.above->occupancy.blocks, 3u);
}

// Launch bounds end the axis: larger blocks are no occupancy to hope for.
TEST(OccupancySteps, EndAtTheLaunchBounds) {
    const std::vector<Step> steps =
        occupancy_steps(arch::default_device(),
                        {.threads = 100, .registers = 32, .max_threads = 100}, Axis::threads);
    EXPECT_EQ(steps.back().last, 100u);
}

}  // namespace
}  // namespace wideload::model
