// SPDX-License-Identifier: Apache-2.0
// What readers see: words of results must not break the page, and what was not measured is left
// out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/chart.h"
#include "lab/figures.h"
#include "lab/page.h"
#include "lab/table.h"
#include "lab/terminal.h"
#include "sample.h"

namespace wideload::lab {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(Figure, KeepsWholesAndRoundsOthers) {
    EXPECT_EQ(figure(1048576), "1,048,576");
    EXPECT_EQ(figure(7.984), "7.98");
    EXPECT_EQ(figure(12.5), "12.5");
    EXPECT_EQ(figure(4317.4), "4,317");
    EXPECT_EQ(figure(-3), "-3");
    EXPECT_EQ(figure(1.0 / 0.0), "?");
    EXPECT_EQ(figure(4096, "bytes"), "4.00 KiB");
}

TEST(Quantity, StandsBehindASingularTitleAndBeforeAPluralOne) {
    EXPECT_EQ(quantity("stride", "floats", 8), "stride 8 floats");
    EXPECT_EQ(quantity("stride", "floats", 1), "stride 1 float");
    EXPECT_EQ(quantity("size", "bytes", 4096), "size 4.00 KiB");
    EXPECT_EQ(quantity("fields of a record", "", 3), "3 fields of a record");
    EXPECT_EQ(quantity("blocks", "", 1), "1 block");
    const Description description = sample_outcome().description;
    EXPECT_EQ(words({{"n", 2}, {"full", 1}}, description), "size 2 B");
    EXPECT_EQ(words({}, description), "all");
}

TEST(Table, LeavesOutColumnsThatNobodyMeasured) {
    const Table table = table_of(sample_outcome());
    EXPECT_THAT(table.heads, ElementsAre("series", "size", "cost"));
    EXPECT_THAT(table.rows[1], ElementsAre("the right one", "1 B", "31"));
}

TEST(Table, KnowsItsColumnsOfWords) {
    Outcome outcome = sample_outcome();
    outcome.description.columns.insert(outcome.description.columns.begin(),
                                       {"remarks", "remarks", ""});
    outcome.results.points[0].notes["remarks"] = "words";
    const Table table = table_of(outcome);
    EXPECT_THAT(table.heads, ElementsAre("series", "size", "remarks", "cost"));
    EXPECT_TRUE(table.is_text(0));
    EXPECT_FALSE(table.is_text(1));
    EXPECT_TRUE(table.is_text(2));
    EXPECT_FALSE(table.is_text(3));
    EXPECT_THAT(html_page({{outcome}, {}, "", ""}), HasSubstr("<td class=\"text\">words</td>"));
}

TEST(Table, StandsWhereItHasFewPointsWithManyFigures) {
    Outcome outcome = sample_outcome();
    outcome.results.points.resize(2);
    for (int i = 0; i < 7; ++i) {
        outcome.description.columns.push_back({"cost", "column " + std::to_string(i), ""});
    }
    const Table table = table_of(outcome);
    EXPECT_THAT(table.heads, ElementsAre("series", "the left </script> one", "the right one"));
    EXPECT_THAT(table.rows[0], ElementsAre("size", "1 B", "1 B"));
    EXPECT_THAT(table.rows[8], ElementsAre("column 6", "10", "31"));
}

TEST(Chart, IsLeftOutWithoutItsMetric) {
    const Outcome outcome = sample_outcome();
    EXPECT_TRUE(chart_specification(outcome.description.charts[0], outcome));
    EXPECT_FALSE(chart_specification(outcome.description.charts[1], outcome));
}

TEST(Page, SurvivesWordsThatLookLikeMarkup) {
    const std::string page = html_page({{sample_outcome()}, {}, "vega", "vegaLite"});
    EXPECT_THAT(page, HasSubstr("A &lt; B &amp; C"));
    EXPECT_THAT(page, Not(HasSubstr("</script> one")));
    EXPECT_THAT(page, HasSubstr("<li class=\"holds\">at most 10 to 80</li>"));
    EXPECT_THAT(page, HasSubstr("<p>Two.</p>"));
}

TEST(Page, ShowsTablesWithoutVega) {
    const std::string page = html_page({{sample_outcome()}, {}, "", ""});
    EXPECT_THAT(page, Not(HasSubstr("class=\"chart\"")));
    EXPECT_THAT(page, HasSubstr("<table>"));
}

TEST(Terminal, TellsSentencesOfBothOutcomes) {
    Outcome outcome = sample_outcome();
    EXPECT_THAT(terminal_text(outcome, {}), HasSubstr("✓ at most 10 to 80"));
    outcome.results.points[0].facts["cost"] = 101;
    EXPECT_THAT(terminal_text(outcome, {}), HasSubstr("✗ too much: 20 to 101"));
}

TEST(Terminal, BoundsTheLargestPointOfASeriesOnAVirtualGpu) {
    Outcome outcome = sample_outcome();
    outcome.results.machine.is_virtual = true;
    const std::string series = outcome.results.points.front().series;
    for (Point& point : outcome.results.points) {
        if (point.series != series) continue;
        point.facts["bound_us"] = point.parameters.begin()->second * 17;
        point.notes["binding"] = "DRAM";
    }
    const auto rows_of_dram = [](const std::string& text) {
        std::size_t rows = 0;
        for (std::size_t at = text.find("DRAM"); at != std::string::npos;
             at = text.find("DRAM", at + 1)) {
            ++rows;
        }
        return rows;
    };
    EXPECT_THAT(terminal_text(outcome, {}), HasSubstr(" 136 DRAM"));
    EXPECT_EQ(rows_of_dram(terminal_text(outcome, {})), 1u) << "one line a series";
    outcome.results.machine.is_virtual = false;
    EXPECT_EQ(rows_of_dram(terminal_text(outcome, {})), 0u);
}

}  // namespace
}  // namespace wideload::lab
