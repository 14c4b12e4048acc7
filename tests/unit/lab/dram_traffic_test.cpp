// SPDX-License-Identifier: Apache-2.0
// What DRAM moved at full size must reach the timed point that it is of, and place that kernel on
// the roofline in place of the bytes that its program states; without it all stays as it was.
#include "lab/dram_traffic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/bounds.h"
#include "lab/csv.h"
#include "lab/markdown.h"
#include "lab/page.h"
#include "lab/roofline_table.h"
#include "lab/terminal.h"
#include "sample.h"

namespace wideload::lab {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr std::uint64_t kStated = 32'000'000;

/// Timed on an H200: work grows with n; the left computes, the right only copies.
Outcome timed_outcome() {
    Outcome outcome = sample_outcome();
    outcome.results.machine.is_virtual = false;
    outcome.results.machine.gpu = "NVIDIA H200";
    for (Point& point : outcome.results.points) {
        const double n = point.parameters.at("n");
        point.bytes = kStated * static_cast<std::uint64_t>(n);
        point.flops = point.series == "left" ? 2.0 * kStated * n : 0;
        point.time = Time{100, 100, 100, 21};
    }
    add_bounds(outcome.results);
    return outcome;
}

/// The largest points as a program that was told to launch them alone leaves them, after DRAM read
/// their stated bytes and wrote so many times as many again.
Results counted_results(const Outcome& timed, std::uint64_t written) {
    Results counted;
    for (const Point* point : largest_points(timed)) {
        Point& one = counted.points.emplace_back();
        one.series = point->series;
        one.parameters = point->parameters;
        one.launches = 1;
        one.counters = {{"dram_read_sectors", point->bytes / 32},
                        {"dram_write_sectors", point->bytes / 32 * written}};
    }
    return counted;
}

Outcome counted_outcome(std::uint64_t written) {
    Outcome outcome = timed_outcome();
    take_dram_bytes(outcome.results, counted_results(outcome, written));
    add_bounds(outcome.results);
    return outcome;
}

TEST(DramArguments, NameTheLargestPointOfEachSeries) {
    EXPECT_THAT(dram_arguments(timed_outcome()),
                ElementsAre("--point", "left:n=8", "--point", "right:n=8", "--full"));
}

TEST(DramArguments, SpellNumbersInFullAndEveryParameter) {
    Outcome outcome = timed_outcome();
    outcome.results.points.back().parameters = {{"n", 4294967296.0}, {"share", 0.1}};
    EXPECT_THAT(dram_arguments(outcome), Contains("right:n=4294967296,share=0.1"));
    outcome.results.points.back().parameters.clear();
    EXPECT_THAT(dram_arguments(outcome), Contains("right"));
}

TEST(DramArguments, AreNoneWhereNothingHasABound) {
    EXPECT_THAT(dram_arguments(sample_outcome()), IsEmpty());
}

TEST(LargestPoints, AreThoseThatComputeWhereAnyDoes) {
    Outcome outcome = timed_outcome();
    Point& copy = outcome.results.points.emplace_back();
    copy.series = "left";
    copy.parameters["n"] = 1000;
    copy.bytes = 1000 * kStated;
    add_bounds(outcome.results);
    EXPECT_EQ(largest_points(outcome).front()->parameters.at("n"), 8);
}

TEST(DramBytes, AreThoseOfThePointOfEqualParameters) {
    const Outcome outcome = counted_outcome(1);
    for (const Point& point : outcome.results.points) {
        const bool largest = point.parameters.at("n") == 8;
        EXPECT_EQ(point.facts.contains("dram_bytes"), largest);
        EXPECT_EQ(point.launches, 0u) << "what was timed has no counts of its own";
        if (!largest) continue;
        EXPECT_EQ(point.facts.at("dram_read_bytes"), 8.0 * kStated);
        EXPECT_EQ(point.facts.at("dram_bytes"), 16.0 * kStated);
        EXPECT_EQ(point.facts.at("dram_times_stated"), 2);
    }
}

TEST(DramBytes, AreLeftOutWhereOneOfBothIsMissing) {
    Outcome outcome = timed_outcome();
    Results counted = counted_results(outcome, 1);
    counted.points.front().counters.erase("dram_write_sectors");
    counted.points.back().parameters["n"] = 16;  // which was not timed
    take_dram_bytes(outcome.results, counted);
    for (const Point& point : outcome.results.points) {
        EXPECT_FALSE(point.facts.contains("dram_bytes"));
    }
}

TEST(DramBytes, PlaceTheirKernelAndLeaveTheBoundOfTheWork) {
    const Outcome before = timed_outcome(), after = counted_outcome(2);
    const Spot stated = spots_of({before}).front(), moved = spots_of({after}).front();
    EXPECT_FALSE(stated.is_by_dram);
    EXPECT_TRUE(moved.is_by_dram);
    EXPECT_DOUBLE_EQ(stated.intensity, 2);
    EXPECT_DOUBLE_EQ(moved.intensity, 2.0 / 3) << "one part read and two written";
    EXPECT_DOUBLE_EQ(moved.bound_us, 3 * stated.bound_us);
    EXPECT_EQ(moved.binding, "DRAM");
    EXPECT_EQ(moved.dram_times_stated, 3);
    EXPECT_DOUBLE_EQ(moved.operation_rate(), stated.operation_rate());
    for (std::size_t i = 0; i < before.results.points.size(); ++i) {
        for (const auto& [name, value] : before.results.points[i].facts) {
            EXPECT_EQ(after.results.points[i].facts.at(name), value) << name;
        }
    }
}

TEST(DramBytes, MayMoveAKernelBelowAnotherRoof) {
    Outcome outcome = timed_outcome();
    Point& point = outcome.results.points[6];  // n = 8 on the left
    point.flops = 100.0 * static_cast<double>(point.bytes);
    add_bounds(outcome.results);
    EXPECT_EQ(spots_of({outcome}).front().binding, "f32");
    take_dram_bytes(outcome.results, counted_results(outcome, 9));
    add_bounds(outcome.results);
    EXPECT_EQ(spots_of({outcome}).front().binding, "DRAM");
}

TEST(DramBytes, OfNoneSayNothing) {
    Outcome outcome = timed_outcome();
    Results counted = counted_results(outcome, 0);
    for (Point& point : counted.points) point.counters["dram_read_sectors"] = 0;
    take_dram_bytes(outcome.results, counted);
    add_bounds(outcome.results);
    EXPECT_FALSE(spots_of({outcome}).front().is_by_dram) << "there is no place at 0 bytes";
}

TEST(DramBytes, AreKeptWithTheRecord) {
    const auto record = parse_record(record_json({counted_outcome(1)}), "record");
    ASSERT_TRUE(record);
    ASSERT_THAT(traffic_of(*record), SizeIs(2));
    EXPECT_THAT(csv(*record), HasSubstr(",dram_times_stated,"));
}

TEST(Traffic, NamesThePointAndHowOftenItsBytesMoved) {
    const Outcome outcome = counted_outcome(2);
    const std::vector<Traffic> all = traffic_of({outcome});
    ASSERT_THAT(all, SizeIs(2));
    EXPECT_EQ(all[1].series, "the right one") << "which has no place on the roofline";
    EXPECT_EQ(all[1].parameters, "size 8 B");
    EXPECT_EQ(all[1].stated_bytes, 8.0 * kStated);
    EXPECT_EQ(all[1].times_stated(), 3);
    const Table table = traffic_table({outcome});
    EXPECT_THAT(table.rows, Each(SizeIs(table.heads.size())));
    EXPECT_THAT(table.rows[1], Contains("size 8 B"));
    EXPECT_EQ(table.rows[1].back(), "3");
}

TEST(Traffic, SaysWhoseIsLeastAndMost) {
    Outcome outcome = counted_outcome(1);
    for (Point& point : outcome.results.points) {
        if (point.series == "right" && point.facts.contains("dram_bytes")) {
            point.facts["dram_bytes"] *= 4;
        }
    }
    EXPECT_THAT(traffic_words({outcome}), HasSubstr("from 2 times (sample: the left"));
    EXPECT_THAT(traffic_words({outcome}), HasSubstr("to 8 times (sample: the right one)"));
}

TEST(RooflineWords, SayByWhoseBytesKernelsStand) {
    EXPECT_EQ(roofline_words({timed_outcome()}), "");
    EXPECT_THAT(roofline_words({counted_outcome(1)}), Not(HasSubstr("of the others")));
    EXPECT_THAT(roofline_words({counted_outcome(1), timed_outcome()}),
                HasSubstr("1 of 2 kernels are by the bytes that DRAM moved"));
    EXPECT_THAT(roofline_words({counted_outcome(1), timed_outcome()}), HasSubstr("of the others"));
}

TEST(RooflineTable, HasAColumnOfDramsBytesWhereAnyWereCounted) {
    const Table before = roofline_table({timed_outcome()});
    EXPECT_EQ(before.heads.back(), "limited by");
    const Table after = roofline_table({counted_outcome(1), timed_outcome()});
    ASSERT_THAT(after.rows, SizeIs(2));
    EXPECT_THAT(after.rows, Each(SizeIs(before.heads.size() + 1)));
    EXPECT_EQ(after.rows[0].back(), "2");
    EXPECT_EQ(after.rows[1].back(), "") << "not counted";
}

TEST(Pages, ShowWhatDramMovedOnlyWhereItWasCounted) {
    constexpr const char* kWords = "DRAM moved";
    const Outcome before = timed_outcome(), after = counted_outcome(2);
    EXPECT_THAT(html_page({{before}, {}, "", ""}), Not(HasSubstr(kWords)));
    EXPECT_THAT(html_page({{after}, {}, "", ""}), HasSubstr(kWords));
    EXPECT_THAT(markdown_pages({{before}, {}, "", ""}).back().text, Not(HasSubstr(kWords)));
    EXPECT_THAT(markdown_pages({{after}, {}, "", ""}).back().text, HasSubstr(kWords));
    EXPECT_THAT(roofline_text({before}, {}), Not(HasSubstr(kWords)));
    EXPECT_THAT(roofline_text({after}, {}), HasSubstr(kWords));
}

}  // namespace
}  // namespace wideload::lab
