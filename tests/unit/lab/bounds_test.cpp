// SPDX-License-Identifier: Apache-2.0
// A point must stand under the roof that takes its work longest, on whichever side of the ridge.
#include "lab/bounds.h"

#include <gtest/gtest.h>

namespace wideload::lab {
namespace {

constexpr std::uint64_t kSectors = 1 << 20;
constexpr double kBytes = 32.0 * kSectors;

const arch::Device& h200() { return *arch::find_device("h200"); }

/// One launch that reads so many sectors and makes so many operations for each byte.
Point point_of(const char* series, double operations_per_byte) {
    Point point;
    point.series = series;
    point.launches = 1;
    point.counters = {{"touched_read_sectors", kSectors},
                      {"touched_write_sectors", 0},
                      {"f32_operations", static_cast<std::uint64_t>(operations_per_byte * kBytes)}};
    return point;
}

Point placed(Point point) {
    Results results;
    results.points.push_back(std::move(point));
    add_bounds(results, h200());
    return results.points.front();
}

TEST(Bounds, ChangeSidesAtTheRidge) {
    const double ridge = h200().fp32_peak_flops() / h200().dram_peak_bytes_per_second();
    const Point below = placed(point_of("k", ridge * 0.9));
    EXPECT_NEAR(below.facts.at("ridge"), ridge, ridge * 1e-9);
    EXPECT_NEAR(below.facts.at("intensity"), ridge * 0.9, 1e-6);
    EXPECT_EQ(below.facts.at("memory_bound"), 1);
    EXPECT_EQ(below.notes.at("binding"), "DRAM");
    EXPECT_NEAR(below.facts.at("bound_us"), kBytes / h200().dram_peak_bytes_per_second() * 1e6,
                1e-9);
    const Point above = placed(point_of("k", ridge * 1.1));
    EXPECT_EQ(above.facts.at("memory_bound"), 0);
    EXPECT_EQ(above.notes.at("binding"), "f32");
    EXPECT_NEAR(above.facts.at("bound_us"), below.facts.at("bound_us") * 1.1, 1e-3);
}

TEST(Bounds, TakeWhatTheProgramSaysWhereNothingWasCounted) {
    Point timed;
    timed.series = "k";
    timed.bytes = static_cast<std::uint64_t>(kBytes);
    timed.flops = 2 * kBytes;
    timed.time = Time{.median = 1000, .lowest = 1000, .highest = 1000, .repeats = 21};
    const Point point = placed(timed);
    EXPECT_DOUBLE_EQ(point.facts.at("intensity"), 2);
    EXPECT_DOUBLE_EQ(point.facts.at("bound_percent"), point.facts.at("bound_us") / 10);
}

TEST(Bounds, TellHowBusyDramWas) {
    Point counted = point_of("k", 1);
    counted.counters["dram_read_sectors"] = 3'000'000;
    counted.counters["dram_write_sectors"] = 1'000'000;
    EXPECT_FALSE(placed(counted).facts.contains("dram_percent"));
    counted.counters["profiled_ns"] = 32'000;
    const Point point = placed(counted);
    EXPECT_DOUBLE_EQ(point.facts.at("dram_read_gbps"), 3000);
    EXPECT_DOUBLE_EQ(point.facts.at("dram_write_gbps"), 1000);
    EXPECT_DOUBLE_EQ(point.facts.at("dram_percent"),
                     100 * 4e12 / h200().dram_peak_bytes_per_second());
}

TEST(Bounds, OfNoWorkAreNone) {
    const Point point = placed(Point{});
    EXPECT_TRUE(point.facts.empty());
    EXPECT_TRUE(point.notes.empty());
}

TEST(Spots, AreThePointWithMostWorkOfEachSeriesThatCanBePlaced) {
    Outcome outcome;
    outcome.description.name = "sample";
    outcome.results.machine.is_virtual = true;
    outcome.description.series = {{"a", "first"}, {"b", "second"}, {"none", "never run"}};
    outcome.results.points = {point_of("a", 20), point_of("b", 3), point_of("a", 1)};
    add_bounds(outcome.results, h200());
    const std::vector<Spot> spots = spots_of({outcome});
    ASSERT_EQ(spots.size(), 2u);
    EXPECT_EQ(spots[0].series, "first");
    EXPECT_NEAR(spots[0].intensity, 20, 1e-9);
    EXPECT_EQ(spots[1].series, "second");
    EXPECT_EQ(spots[1].binding, "DRAM");
}

}  // namespace
}  // namespace wideload::lab
