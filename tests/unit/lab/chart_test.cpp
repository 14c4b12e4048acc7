// SPDX-License-Identifier: Apache-2.0
// Charts show what was measured, a bar for each series; rooflines place every kernel, and Markdown
// pages quote the record that lies beside a run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "lab/bounds.h"
#include "lab/chart_data.h"
#include "lab/chart_svg.h"
#include "lab/markdown.h"
#include "lab/roofline_chart.h"
#include "sample.h"

namespace wideload::lab {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Chart chart_over(const char* parameter, Mark mark) {
    return {"Cost", "cost", parameter, mark, false, false, {}};
}

TEST(ChartData, OverSeriesIsTheLastPointOfEach) {
    const auto data = data_of(chart_over("series", Mark::bar), sample_outcome());
    ASSERT_TRUE(data);
    ASSERT_EQ(data->data.size(), 2u);
    EXPECT_EQ(data->data[0].y, 80);
    EXPECT_EQ(data->data[1].y, 38);
    EXPECT_EQ(data->bar_label(data->data[1]), "the right one");
}

TEST(ChartData, NamesBarsByWhatTellsThemApart) {
    Outcome outcome = sample_outcome();
    const auto both = data_of(chart_over("n", Mark::bar), outcome);
    EXPECT_EQ(both->bar_label(both->data[1]), "the right one, size 1 B");
    Chart one = chart_over("n", Mark::bar);
    one.series = {"right"};
    const auto alone = data_of(one, outcome);
    EXPECT_EQ(alone->bar_label(alone->data[1]), "size 2 B");
}

TEST(ChartSvg, IsLeftOutWithoutItsMetric) {
    const Outcome outcome = sample_outcome();
    EXPECT_TRUE(chart_svg(outcome.description.charts[0], outcome));
    EXPECT_FALSE(chart_svg(outcome.description.charts[1], outcome));
}

/// A kernel of each series on the H200, one under each side of the ridge.
Outcome placed_outcome() {
    Outcome outcome = sample_outcome();
    outcome.results.machine.gpu = "NVIDIA H200";
    for (Point& point : outcome.results.points) {
        point.bytes = 1'000'000;
        point.flops = point.series == "left" ? 1e6 : 1e9;
    }
    add_bounds(outcome.results);
    return outcome;
}

TEST(Roofline, PlacesEveryKernelUnderItsNumber) {
    const auto specification = roofline_specification({placed_outcome()});
    ASSERT_TRUE(specification);
    const auto json = nlohmann::json::parse(*specification);
    std::vector<double> intensities;
    for (const auto& layer : json.at("layer")) {
        if (layer.at("mark").at("type") != "point") continue;
        for (const auto& kernel : layer.at("data").at("values")) {
            intensities.push_back(kernel.at("x").get<double>());
        }
    }
    EXPECT_THAT(intensities, ElementsAre(1, 1000));
    EXPECT_THAT(*roofline_svg({placed_outcome()}), HasSubstr("2  sample: the right one"));
    EXPECT_FALSE(roofline_specification({sample_outcome()}));
    EXPECT_FALSE(roofline_svg({}));
}

TEST(Roofline, StandsAtTheMeasuredTimeWhereThereIsOne) {
    Outcome outcome = placed_outcome();
    outcome.results.machine.is_virtual = false;
    EXPECT_TRUE(spots_of({outcome}).empty()) << "what was only counted has no time";
    for (Point& point : outcome.results.points) point.time = Time{2, 2, 2, 21};
    const std::vector<Spot> spots = spots_of({outcome});
    ASSERT_EQ(spots.size(), 2u);
    EXPECT_DOUBLE_EQ(spots[0].operation_rate(), 1e6 / 2e-6);
}

const PageFile& file_named(const std::vector<PageFile>& files, const std::string& name) {
    return *std::ranges::find(files, name, &PageFile::name);
}

TEST(Markdown, QuotesTheRecordBesideARunAndDrawsThePicturesOfTheRun) {
    Outcome run = sample_outcome(), kept = sample_outcome();
    run.results.points[0].block = {4, 1, 1};
    kept.results.machine.gpu = "a measured GPU";
    kept.results.points[0].facts["cost"] = 101;
    const std::vector<PageFile> files = markdown_pages({{run}, {kept}, "", ""});
    const std::string& page = file_named(files, "sample.md").text;
    EXPECT_THAT(page, HasSubstr("# 3. A \\< B & C"));
    EXPECT_THAT(page, HasSubstr("a measured GPU"));
    EXPECT_THAT(page, HasSubstr("- ✗ too much: 20 to 101"));
    EXPECT_THAT(page, Not(HasSubstr("✓")));
    EXPECT_THAT(page, HasSubstr("![Threads](figures/sample-1.svg)"));
    EXPECT_THAT(file_named(files, "figures/sample-1.svg").text, HasSubstr("4 × 1 × 1 threads"));
    EXPECT_THAT(file_named(files, "index.md").text, HasSubstr("| 0 of 1 | none |"));
    // Every figure that a page shows is a file, and the other way round.
    const auto figures = std::ranges::count_if(
        files, [](const PageFile& file) { return file.name.ends_with(".svg"); });
    std::size_t shown = 0;
    for (std::size_t at = page.find("](figures/"); at != std::string::npos; ++shown) {
        at = page.find("](figures/", at + 1);
    }
    EXPECT_EQ(shown, static_cast<std::size_t>(figures));
}

}  // namespace
}  // namespace wideload::lab
