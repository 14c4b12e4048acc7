// SPDX-License-Identifier: Apache-2.0
#include "model/roofline.h"

#include <gtest/gtest.h>

namespace wideload::model {
namespace {

constexpr std::uint64_t kN = 1 << 20;

profile::Launch launch(const char* kernel, profile::Counters counters) {
    profile::Launch made;
    made.kernel = kernel;
    made.counters = std::move(counters);
    for (const char* name : {"global_ld_sectors", "global_st_sectors", "global_red_sectors",
                             "global_atom_sectors", "local_ld_sectors", "local_st_sectors"}) {
        made.counters.own().try_emplace(name, 0);
    }
    return made;
}

profile::Launch saxpy() {
    return launch("saxpy", {{"f32_operations", 2 * kN},
                            {"i32_operations", 2 * kN},
                            {"global_ld_sectors", 2 * kN / 8},
                            {"global_st_sectors", kN / 8},
                            {"touched_read_sectors", 2 * kN / 8},
                            {"touched_write_sectors", kN / 8}});
}

Roofline roofline_of(const profile::Launch& made, const arch::Device& device) {
    profile::Profile profile;
    profile.launches = {made};
    return rooflines(profile, &device).at(0);
}

// 12 bytes for 2 operations: no GPU of the table has so little arithmetic that this is not DRAM's.
TEST(Roofline, OfSaxpyIsDramOnEveryGpu) {
    for (const arch::Device& device : arch::devices()) {
        const Roofline kernel = roofline_of(saxpy(), device);
        EXPECT_EQ(kernel.binding, Roof::dram) << device.key;
        EXPECT_TRUE(kernel.is_memory_bound());
        EXPECT_DOUBLE_EQ(kernel.bound_s, 12.0 * kN / device.dram_peak_bytes_per_second())
            << device.key;
        EXPECT_DOUBLE_EQ(kernel.intensity().value(), 2.0 / 12);
    }
}

// The same bytes under ever more arithmetic: the roof turns exactly where the two take equally
// long.
TEST(Roofline, TurnsToArithmeticAtTheBalanceOfTheMachine) {
    const arch::Device& device = arch::default_device();
    const double balance = device.fp64_peak_flops() / device.dram_peak_bytes_per_second();
    const auto kernel = [&](double operations_per_byte) {
        profile::Launch made = saxpy();
        made.counters.own()["f64_operations"] =
            static_cast<std::uint64_t>(12.0 * kN * operations_per_byte);
        return roofline_of(made, device);
    };
    EXPECT_EQ(kernel(balance * 0.99).binding, Roof::dram);
    EXPECT_EQ(kernel(balance * 1.01).binding, Roof::f64);
    EXPECT_FALSE(kernel(balance * 1.01).is_memory_bound());
    EXPECT_NEAR(kernel(balance * 2).bound_s, 2 * kernel(balance * 0.5).bound_s,
                1e-6 * kernel(balance).bound_s);
}

// Launches add up one by one: a sum of each one's slowest roof, not the slowest roof of the sums.
TEST(Roofline, AddsLaunchesThatAreBoundByDifferentRoofs) {
    const arch::Device& device = arch::default_device();
    profile::Launch computing = saxpy();
    computing.counters.own()["f32_operations"] = 100'000 * kN;
    profile::Launch moving = saxpy();
    moving.count = 3;
    profile::Profile profile;
    profile.launches = {computing, moving};
    const Roofline both = rooflines(profile, &device).at(0);
    EXPECT_EQ(both.launches, 4u);
    EXPECT_DOUBLE_EQ(both.bound_s, roofline_of(computing, device).bound_s +
                                       3 * roofline_of(saxpy(), device).bound_s);
    EXPECT_EQ(both.binding, Roof::f32);
}

// What was not counted is no bound of 0, and no intensity.
TEST(Roofline, LeavesOutWhatWasNotCounted) {
    profile::Launch made = saxpy();
    made.counters.own().erase("touched_read_sectors");
    made.counters.own().erase("touched_write_sectors");
    const Roofline kernel = roofline_of(made, arch::default_device());
    EXPECT_FALSE(kernel.work[static_cast<std::size_t>(Roof::dram)]);
    EXPECT_FALSE(kernel.intensity());
    EXPECT_EQ(kernel.binding, Roof::l1);

    profile::Profile uncounted;
    uncounted.launches.emplace_back();
    EXPECT_TRUE(rooflines(uncounted, &arch::default_device()).empty());
}

// Peaks are products of the table's own columns; a wrong unit would be off by powers of ten.
TEST(Roofline, PeaksHaveTheMagnitudeOfTheDataSheets) {
    const arch::Device& h200 = arch::default_device();
    EXPECT_NEAR(peak(Roof::f32, h200).value() / 1e12, 66.9, 0.1);
    EXPECT_NEAR(peak(Roof::f64, h200).value() / 1e12, 33.5, 0.1);
    EXPECT_NEAR(peak(Roof::f16, h200).value() / 1e12, 133.8, 0.1);
    EXPECT_NEAR(peak(Roof::l1, h200).value() / 1e12, 33.5, 0.1);
    for (const arch::Device& device : arch::devices()) {
        for (const Roof roof : kRoofs) {
            if (roof == Roof::l2) continue;
            EXPECT_GT(peak(roof, device).value_or(0), 1e11) << device.key << ' ' << name(roof);
        }
        EXPECT_GT(*peak(Roof::l1, device), peak(Roof::l2, device).value_or(0));
    }
}

}  // namespace
}  // namespace wideload::model
