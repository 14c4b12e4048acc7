// SPDX-License-Identifier: Apache-2.0
// Charts show what was measured, a bar for each series; rooflines place every kernel, and Markdown
// pages quote the record that lies beside a run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "lab/answers.h"
#include "lab/bounds.h"
#include "lab/chapters.h"
#include "lab/chart.h"
#include "lab/chart_data.h"
#include "lab/chart_svg.h"
#include "lab/markdown.h"
#include "lab/overlap.h"
#include "lab/roofline_chart.h"
#include "sample.h"

namespace wideload::lab {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Lt;
using testing::Not;
using testing::SizeIs;

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

/// Kernels side by side at one roof, too close for their labels.
TEST(Roofline, KeepsLabelsApart) {
    Outcome outcome = placed_outcome();
    outcome.description.series.clear();
    outcome.results.points.clear();
    for (int i = 0; i < 6; ++i) {
        const std::string key = "kernel " + std::to_string(i);
        outcome.description.series.push_back({key, key});
        Point& point = outcome.results.points.emplace_back();
        point.series = key;
        point.bytes = 1'000'000;
        point.flops = 1e8 * std::pow(10, i / 8.0);
    }
    add_bounds(outcome.results);
    const auto json = nlohmann::json::parse(*roofline_specification({outcome}));
    const auto& labels = json.at("layer").back().at("data").at("values");
    std::vector<double> rates;
    for (const auto& label : labels) {
        const auto decades = [&](const char* axis) {
            return [&label, axis](const auto& other) {
                return std::abs(std::log10(label.at(axis).template get<double>() /
                                           other.at(axis).template get<double>()));
            };
        };
        const auto on_it = std::ranges::count_if(labels, [&](const auto& other) {
            return decades("x")(other) < 0.04 && decades("y")(other) < 0.08;  // a letter's size
        });
        EXPECT_EQ(on_it, 1) << label << " lies on another";
        rates.push_back(label.at("y").get<double>());
    }
    EXPECT_THAT(rates, SizeIs(6));
    EXPECT_THAT(rates, Each(Lt(65e12))) << "below the roof that the dots lie on";
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

TEST(Answers, StandOnceWhereSeveralResultsSayThemAlike) {
    Outcome run = sample_outcome(), kept = sample_outcome();
    kept.results.machine.is_virtual = false;
    const std::vector<Outcome> runs = {run}, records = {kept};
    Chapter chapter = chapters_of(runs, records).front();
    ASSERT_EQ(answers_of(chapter).size(), 1u);
    EXPECT_EQ(whose(answers_of(chapter).front(), chapter), "");
    kept.results.points[0].facts["cost"] = 101;
    const std::vector<Outcome> others = {kept};
    chapter = chapters_of(runs, others).front();
    ASSERT_EQ(answers_of(chapter).size(), 2u);
    EXPECT_EQ(whose(answers_of(chapter).front(), chapter), "a GPU, small sizes");
}

TEST(Pictures, OfBlocksAreTheRealMachines) {
    Outcome run = sample_outcome(), kept = sample_outcome();
    kept.results.machine.is_virtual = false;
    for (Outcome* outcome : {&run, &kept}) {
        Point& point = outcome->results.points.front();
        point.facts["resident"] = 2;
        point.lists["multiprocessor"] = {0, 1};
        point.block = {32, 1, 1};
    }
    const std::vector<Outcome> runs = {run}, records = {kept};
    const Chapter chapter = chapters_of(runs, records).front();
    const Picture blocks{PictureKind::blocks, "Blocks", "left", {}, "", 0};
    const Picture threads{PictureKind::threads, "Threads", "left", {}, "", 0};
    EXPECT_EQ(draw(blocks, chapter)->of, &records.front());
    EXPECT_EQ(draw(threads, chapter)->of, &runs.front());
}

std::size_t times(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
        ++count;
    }
    return count;
}

/// Results whose right costs as much as the left from size 2 on.
Outcome overlapping() {
    Outcome outcome = sample_outcome();
    for (Point& point : outcome.results.points) {
        const double n = point.parameters.at("n");
        point.facts["cost"] = point.series == "left" ? 10 * n : n < 2 ? 80 : 10 * n;
    }
    return outcome;
}

TEST(Overlaps, AreLinesThatHideEachOther) {
    const Chart chart = chart_over("n", Mark::line);
    const auto apart = data_of(chart, sample_outcome());
    EXPECT_EQ(overlaps_of(chart, *apart).turns[1].number, 0u);
    const auto together = data_of(chart, overlapping());
    const Overlaps found = overlaps_of(chart, *together);
    EXPECT_EQ(found.turns[0].number, 0u);
    EXPECT_EQ(found.turns[1].number, 1u);
    EXPECT_EQ(found.turns[1].lines, 2u);
    EXPECT_THAT(found.above, ElementsAre(0, 0, 1, 0, 1, 0, 1, 0));
}

TEST(Overlaps, AreSeenByDashesAndLargerDots) {
    const Chart chart = chart_over("n", Mark::line);
    EXPECT_THAT(*chart_svg(chart, sample_outcome()), Not(HasSubstr("stroke-dasharray")));
    const std::string drawn = *chart_svg(chart, overlapping());
    EXPECT_EQ(times(drawn, "stroke-dasharray"), 2u) << "of the line and of its legend";
    EXPECT_EQ(times(drawn, "r=\"4.5\""), 3u) << "below the other line's dots";
    EXPECT_THAT(*chart_specification(chart, overlapping()), HasSubstr("[0.0,0.0,8.0,8.0]"));
}

TEST(Steps, AreLevelOnlyBetweenNeighbours) {
    const Chart chart = chart_over("n", Mark::step);
    const auto data = data_of(chart, sample_outcome());  // at 1, 2, 4, 8 of either series
    EXPECT_THAT(runs_of(*data), ElementsAre(0, 3, 0, 3, 1, 4, 2, 5));
    const std::string drawn = *chart_svg(chart, sample_outcome());
    EXPECT_EQ(times(drawn, "stroke-width=\"2\""), 2u) << "a piece of each series, from 1 to 2";
    EXPECT_EQ(times(drawn, "<circle"), 8u + 2u) << "a dot for each point and two in the legend";
}

TEST(Markdown, QuotesTheRecordBesideARunAndDrawsThePicturesOfTheRun) {
    Outcome run = sample_outcome(), kept = sample_outcome();
    run.results.points[0].block = {4, 1, 1};
    kept.results.machine.gpu = "a measured GPU";
    kept.results.machine.is_virtual = false;
    kept.results.points[0].facts["cost"] = 101;
    const std::vector<PageFile> files = markdown_pages({{run}, {kept}, "", ""});
    const std::string& page = file_named(files, "sample.md").text;
    EXPECT_THAT(page, HasSubstr("# 3. A \\< B & C"));
    EXPECT_THAT(page, HasSubstr("a measured GPU"));
    EXPECT_THAT(page, HasSubstr("- ✗ too much: 20 to 101 *(a measured GPU, small sizes)*\n"));
    EXPECT_THAT(page, HasSubstr("- ✓ at most 10 to 80 *(virtual a GPU)*\n"));
    EXPECT_THAT(page, HasSubstr("**Threads** (virtual a GPU)"));
    EXPECT_THAT(page, HasSubstr("![Threads](figures/sample-1.svg)"));
    EXPECT_THAT(file_named(files, "figures/sample-1.svg").text, HasSubstr("4 × 1 × 1 threads"));
    EXPECT_THAT(file_named(files, "index.md").text, HasSubstr("| 1 of 2 | none |"));
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
