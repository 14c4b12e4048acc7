// SPDX-License-Identifier: Apache-2.0
// Rows of workers add up to what one worker would have counted, and requests counted by class fold
// into the same totals as requests counted one by one.
#include <gtest/gtest.h>

#include "counters/count.h"
#include "counters/row_sum.h"
#include "counters/static_pattern.h"

namespace wideload::counters::test {
namespace {

LaneOffsets progression(std::int64_t stride) {
    LaneOffsets offsets;
    for (unsigned lane = 0; lane < kLanes; ++lane) offsets[lane] = stride * lane;
    return offsets;
}

void count_at(SiteRow& row, CountFunction function, std::uint64_t base, const LaneOffsets& offsets,
              unsigned bytes, std::uint64_t order) {
    std::array<std::uint64_t, kLanes> addresses;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        addresses[lane] = base + static_cast<std::uint64_t>(offsets[lane]);
    }
    function(row, addresses.data(), ~0u, bytes, order);
}

void expect_same_totals(const SiteRow& a, const SiteRow& b) {
    EXPECT_EQ(a.requests, b.requests);
    EXPECT_EQ(a.active_lanes, b.active_lanes);
    EXPECT_EQ(a.sectors, b.sectors);
    EXPECT_EQ(a.ideal_sectors, b.ideal_sectors);
    EXPECT_EQ(a.distinct_bytes, b.distinct_bytes);
    EXPECT_EQ(a.wavefronts, b.wavefronts);
    EXPECT_EQ(a.ideal_wavefronts, b.ideal_wavefronts);
    EXPECT_EQ(a.histogram, b.histogram);
    EXPECT_EQ(a.patterns.contiguous, b.patterns.contiguous);
    EXPECT_EQ(a.patterns.broadcast, b.patterns.broadcast);
    EXPECT_EQ(a.patterns.irregular, b.patterns.irregular);
    EXPECT_EQ(a.patterns.misaligned, b.patterns.misaligned);
    EXPECT_EQ(a.patterns.other_strides, b.patterns.other_strides);
    for (std::size_t i = 0; i < a.patterns.strides.size(); ++i) {
        EXPECT_EQ(a.patterns.strides[i].bytes, b.patterns.strides[i].bytes);
        EXPECT_EQ(a.patterns.strides[i].requests, b.patterns.strides[i].requests);
    }
}

// 80 % of what a float load 4 bytes past a sector moves is asked for: 128 bytes in 5 sectors.
TEST(StaticFigures, OfAMisalignedLoad) {
    const StaticFigures figures = static_figures(progression(4), 4);
    EXPECT_EQ(figures.by_class[0].sectors, 4u);
    EXPECT_EQ(figures.by_class[0].pattern, (Pattern{PatternKind::contiguous, 0}));
    EXPECT_EQ(figures.by_class[4].sectors, 5u);
    EXPECT_EQ(figures.by_class[4].pattern, (Pattern{PatternKind::misaligned, 4}));
    EXPECT_DOUBLE_EQ(
        coalescing_degree(figures.by_class[4].distinct_bytes, figures.by_class[4].sectors), 0.8);
    EXPECT_EQ(figures.by_class[2].active_lanes, 0u) << "no float lies there";
}

// The two ways of counting must not differ by which code path a request took.
TEST(Fold, EqualsCountingOneByOne) {
    struct Case {
        std::int64_t stride;
        unsigned bytes;
        Rule rule;
        CountFunction function;
    };
    const CountFunctions& functions = count_functions();
    const Case cases[] = {{4, 4, Rule::global, functions.global},
                          {-4, 4, Rule::global, functions.global},
                          {0, 4, Rule::global, functions.global},
                          {12, 4, Rule::global, functions.global},
                          {128, 8, Rule::global, functions.global},
                          {1, 1, Rule::global, functions.global},
                          {0, 4, Rule::atomic, functions.atomic},
                          {0, 4, Rule::uniform_atomic, functions.uniform_atomic},
                          {2, 2, Rule::shared_load, functions.shared_load},
                          {8, 4, Rule::shared_load, functions.shared_load},
                          {32, 16, Rule::shared_store, functions.shared_store},
                          {0, 8, Rule::shared_load, functions.shared_load}};
    for (const Case& c : cases) {
        SCOPED_TRACE("stride " + std::to_string(c.stride) + ", bytes " + std::to_string(c.bytes));
        SiteRow folded, counted;
        const LaneOffsets offsets = progression(c.stride);
        for (std::uint64_t i = 0; i < 100; ++i) {
            const std::uint64_t base = 0x100000 + i * i * c.bytes;
            ++folded.static_classes[base % 32].requests;
            folded.static_classes[base % 32].last_base = base;
            count_at(counted, c.function, base, offsets, c.bytes, i + 1);
        }
        fold(folded, offsets, c.bytes, c.rule);
        expect_same_totals(folded, counted);
        EXPECT_EQ(folded.worst.sectors, counted.worst.sectors);
        EXPECT_EQ(folded.static_classes[0].requests, 0u) << "a second fold adds nothing";
    }
}

// A report shows the lowest block's request even where machine code keeps no order.
TEST(Fold, KeepsTheFirstRequestThatWasCounted) {
    const CountFunction global = count_functions().global;
    const LaneOffsets offsets = progression(4);
    SiteRow row;
    count_at(row, global, 0x2000, offsets, 4, 129);
    count_at(row, global, 0x1004, offsets, 4, 65);
    row.static_classes[4] = {2, 0x3004};
    row.static_classes[0] = {5, 0x4000};
    fold(row, offsets, 4);
    EXPECT_EQ(row.requests, 2u + 7u);
    EXPECT_EQ(row.first.order, 65u);
    EXPECT_EQ(row.first.addresses[31], 0x1004u + 124);
    EXPECT_EQ(row.worst.sectors, 5u);
    EXPECT_EQ(row.worst.order, 65u) << "the first request is as bad, and earlier";
}

TEST(Add, SumsWorkersInAnyOrder) {
    const CountFunction global = count_functions().global;
    SiteRow workers[2], alone;
    for (std::uint64_t i = 0; i < 60; ++i) {
        const LaneOffsets offsets = progression(static_cast<std::int64_t>(i % 5) * 4);
        const std::uint64_t base = 0x10000 * (i + 1) + i % 3 * 4;
        count_at(workers[i % 2], global, base, offsets, 4, 100 - i);
        count_at(alone, global, base, offsets, 4, 100 - i);
        workers[i % 2].static_classes[8] = {i, 0x5008 + i * 32};
    }
    SiteRow one_way, other_way;
    add(one_way, workers[0]);
    add(one_way, workers[1]);
    add(other_way, workers[1]);
    add(other_way, workers[0]);
    for (const SiteRow* total : {&one_way, &other_way}) {
        EXPECT_EQ(total->requests, alone.requests);
        EXPECT_EQ(total->sectors, alone.sectors);
        EXPECT_EQ(total->distinct_bytes, alone.distinct_bytes);
        EXPECT_EQ(total->histogram, alone.histogram);
        EXPECT_EQ(total->patterns.misaligned, alone.patterns.misaligned);
        EXPECT_EQ(total->first.order, alone.first.order);
        EXPECT_EQ(total->first.addresses, alone.first.addresses);
        EXPECT_EQ(total->worst.order, alone.worst.order);
        EXPECT_EQ(total->worst.addresses, alone.worst.addresses);
        EXPECT_EQ(total->static_classes[8].requests, 58u + 59u);
        EXPECT_EQ(total->static_classes[8].last_base, 0x5008u + 58 * 32);
    }
}

TEST(Add, GathersStridesBeyondTheTable) {
    const CountFunction global = count_functions().global;
    SiteRow row, total;
    for (std::int64_t i = 1; i <= 20; ++i) {
        count_at(row, global, 0x100000, progression(64 * i), 4, 1);
    }
    add(total, row);
    add(total, row);
    EXPECT_EQ(total.patterns.strides[0].requests, 2u);
    EXPECT_EQ(total.patterns.strides[7].requests, 2u);
    EXPECT_EQ(total.patterns.other_strides, 2u * 12);
}

}  // namespace
}  // namespace wideload::counters::test
