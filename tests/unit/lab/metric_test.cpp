// SPDX-License-Identifier: Apache-2.0
// What a metric says must follow from what was counted; what hardware does not count, from the
// launch.
#include "lab/metric.h"

#include <gtest/gtest.h>

#include <cmath>

namespace wideload::lab {
namespace {

/// Document 003's strided kernel: every lane in a sector of its own. What its profiler counted.
Point strided() {
    Point point;
    point.launches = 1;
    point.counters = {{"global_ld_requests", 2097152}, {"global_ld_sectors", 67108864}};
    point.expected = {{"global_ld_distinct_bytes", std::uint64_t{2097152} * 128, ""}};
    return point;
}

Results on_hardware() {
    Results results;
    results.machine.is_virtual = false;
    return results;
}

TEST(Degree, OfHardwareIsCountedWithTheBytesThatTheLaunchAsksFor) {
    Point point = strided();
    EXPECT_EQ(metric(on_hardware(), point, "global_ld_degree"), 12.5);
    EXPECT_EQ(metric(on_hardware(), point, "global_ld_distinct_bytes/global_ld_sectors"), 4);
    point.counters["global_ld_distinct_bytes"] = 32 * 67108864ull;  // counted: no formula is asked
    EXPECT_EQ(metric(on_hardware(), point, "global_ld_degree"), 100);
    point.counters.erase("global_ld_distinct_bytes");
    point.expected.clear();
    EXPECT_FALSE(metric(on_hardware(), point, "global_ld_degree"));
}

TEST(Gain, IsThatOfTheDocumentsProfiler) {
    Point point = strided();
    EXPECT_FALSE(metric(on_hardware(), point, "global_ld_gain")) << "nobody saw how busy DRAM was";
    point.facts["dram_percent"] = 84.92 + 10.43;
    EXPECT_EQ(std::round(metric(on_hardware(), point, "global_ld_gain").value()), 83);
}

TEST(Gain, OfAVirtualGpuIsTheMost) {
    Results results;
    results.machine.is_virtual = true;
    EXPECT_EQ(metric(results, strided(), "global_ld_gain"), 87.5);
}

TEST(Memory, IsShownAsTheProfilersTablesShowIt) {
    Point point = strided();
    point.counters["l1_ld_hit_sectors"] = 67108864 / 4;
    EXPECT_EQ(metric(on_hardware(), point, "l1_ld_hit_percent"), 25);
    EXPECT_EQ(metric(on_hardware(), point, "l1_ld_miss_sectors"), 67108864 / 4 * 3);
    EXPECT_FALSE(metric(on_hardware(), point, "beyond_l1_sectors")) << "no store was counted";
    point.counters["global_st_sectors"] = 100;
    EXPECT_EQ(metric(on_hardware(), point, "beyond_l1_sectors"), 67108864 / 4 * 3 + 100);
    EXPECT_FALSE(metric(on_hardware(), point, "dram_read_percent"));
    point.facts = {{"dram_percent", 80}, {"dram_read_sectors", 30}, {"dram_write_sectors", 10}};
    EXPECT_EQ(metric(on_hardware(), point, "dram_read_percent"), 60);
    EXPECT_EQ(metric(on_hardware(), point, "dram_write_percent"), 20);
    EXPECT_EQ(metric(on_hardware(), point, "dram_read_bytes"), 960);
    EXPECT_FALSE(metric(on_hardware(), point, "local_ld_bytes"));
}

TEST(Launched, IsWhatTheOneLaunchStarted) {
    Point point = strided();
    point.grid = {4, 3, 1};
    point.block = {5, 3, 7};
    EXPECT_EQ(metric(on_hardware(), point, "launched_threads"), 4 * 3 * 105);
    EXPECT_EQ(metric(on_hardware(), point, "launched_warps"), 4 * 3 * 4) << "the last is not full";
    EXPECT_EQ(metric(on_hardware(), point, "global_ld_requests/launched_warps"), 2097152.0 / 48);
    point.launches = 2;  // only the first one's extent is known
    EXPECT_FALSE(metric(on_hardware(), point, "launched_threads"));
    point.launches = 0;  // a run that was only timed
    EXPECT_FALSE(metric(on_hardware(), point, "launched_warps"));
}

}  // namespace
}  // namespace wideload::lab
