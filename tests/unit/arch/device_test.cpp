// SPDX-License-Identifier: Apache-2.0
#include "arch/device.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace wideload::arch {
namespace {

// A row whose capability is missing from the second table would make `limits()` read through null.
TEST(Devices, EveryRowHasTheLimitsOfItsCapability) {
    std::set<std::string_view> keys;
    for (const Device& device : devices()) {
        EXPECT_TRUE(keys.insert(device.key).second) << device.key << " stands twice";
        ASSERT_NE(find_limits(device.capability), nullptr) << device.key;
        EXPECT_EQ(device.limits().capability, device.capability);
    }
    for (const char* key : {"t4", "a100", "a100-80gb", "rtx3090", "l4", "rtx4090", "h100", "h200",
                            "b200", "rtx5090"}) {
        EXPECT_TRUE(keys.contains(key)) << key;
    }
}

// The limits of a capability are tied to each other; a typing error breaks one of these ties.
TEST(Devices, LimitsAgreeWithEachOther) {
    for (const MultiprocessorLimits& limits : multiprocessor_limits()) {
        SCOPED_TRACE(limits.capability.number());
        EXPECT_EQ(limits.shared_bytes_per_block_optin + limits.shared_bytes_reserved_per_block,
                  limits.shared_bytes);
        EXPECT_EQ(limits.shared_carveouts.back(), limits.shared_bytes);
        EXPECT_LT(limits.shared_bytes, limits.unified_cache_bytes);
        EXPECT_EQ(limits.max_warps() * kWarpSize, limits.max_threads);
        EXPECT_EQ(limits.registers % (limits.register_allocation_unit * limits.sub_partitions), 0u);
        EXPECT_GE(limits.max_warps(), limits.max_blocks);
        EXPECT_EQ(limits.fp32_lanes % limits.fp64_lanes, 0u);
    }
}

// Clock and bus width have to multiply to the bandwidth that the data sheet of the card states, to
// one per cent (the H200's and the B200's data sheets round to 4.8 and 8 TB/s: they get 3 and 5 per
// cent).
TEST(Devices, BandwidthIsThatOfTheDataSheet) {
    const struct {
        const char* key;
        double gigabytes_per_second, tolerance;
    } sheets[] = {{"t4", 320, 0.01},      {"a100", 1555, 0.01}, {"a100-80gb", 2039, 0.01},
                  {"rtx3090", 936, 0.01}, {"l4", 300, 0.01},    {"rtx4090", 1008, 0.01},
                  {"h100", 3352, 0.01},   {"h200", 4800, 0.01}, {"b200", 8000, 0.05},
                  {"rtx5090", 1792, 0.01}};
    for (const auto& sheet : sheets) {
        const Device* device = find_device(sheet.key);
        ASSERT_NE(device, nullptr) << sheet.key;
        const double peak = device->dram_peak_bytes_per_second() / 1e9;
        EXPECT_NEAR(peak, sheet.gigabytes_per_second, sheet.tolerance * sheet.gigabytes_per_second)
            << sheet.key;
    }
}

// The multiprocessor count, clock and lanes have to multiply to the data sheet's TFLOP/s.
TEST(Devices, FlopsAreThoseOfTheDataSheet) {
    EXPECT_NEAR(find_device("t4")->fp32_peak_flops(), 8.1e12, 0.1e12);
    EXPECT_NEAR(find_device("a100")->fp32_peak_flops(), 19.5e12, 0.1e12);
    EXPECT_NEAR(find_device("a100")->fp64_peak_flops(), 9.7e12, 0.1e12);
    EXPECT_NEAR(find_device("rtx3090")->fp32_peak_flops(), 35.6e12, 0.1e12);
    EXPECT_NEAR(find_device("rtx4090")->fp32_peak_flops(), 82.6e12, 0.1e12);
    EXPECT_NEAR(find_device("l4")->fp32_peak_flops(), 30.3e12, 0.1e12);
    EXPECT_NEAR(find_device("h200")->fp32_peak_flops(), 67e12, 0.2e12);
    EXPECT_NEAR(find_device("h200")->fp64_peak_flops(), 33.5e12, 0.2e12);
    EXPECT_NEAR(find_device("rtx5090")->fp32_peak_flops(), 104.8e12, 0.1e12);
}

// Read from the card itself with cuDeviceGetAttribute: the device on which every counting rule was
// checked.
TEST(Devices, TheDefaultIsWhatAnH200SaysOfItself) {
    const Device& h200 = default_device();
    EXPECT_EQ(h200.name, "NVIDIA H200");
    EXPECT_EQ(h200.multiprocessors, 132u);
    EXPECT_EQ(h200.global_memory_bytes, 150109880320u);
    EXPECT_EQ(h200.l2_bytes, 62914560u);
    EXPECT_EQ(h200.persisting_l2_bytes(), 39321600u);
    EXPECT_EQ(h200.limits().shared_bytes, 233472u);
    EXPECT_EQ(h200.limits().shared_bytes_per_block_optin, 232448u);
    EXPECT_EQ(h200.limits().single_to_double_ratio(), 2u);
    EXPECT_NEAR(h200.dram_peak_bytes_per_second(), 4814e9, 1e9);
}

TEST(Devices, AreFoundByKeyInAnyCase) {
    EXPECT_EQ(find_device("h200"), &default_device());
    EXPECT_EQ(find_device("H200"), &default_device());
    EXPECT_EQ(find_device("RTX4090")->name, "NVIDIA GeForce RTX 4090");
    EXPECT_EQ(find_device(""), nullptr);
    EXPECT_EQ(find_device("h20"), nullptr);
    EXPECT_EQ(find_device("h200x"), nullptr);
}

TEST(ComputeCapability, OrdersByMajorThenMinor) {
    EXPECT_LT((ComputeCapability{8, 9}), (ComputeCapability{9, 0}));
    EXPECT_LT((ComputeCapability{9, 0}), (ComputeCapability{10, 0}));
    EXPECT_EQ((ComputeCapability{12, 0}.number()), 120u);
    EXPECT_EQ(find_limits({3, 5}), nullptr);
}

}  // namespace
}  // namespace wideload::arch
