// SPDX-License-Identifier: Apache-2.0
// A chart is only as good as the places of its dots: they are read back out of the drawing, and
// labels must not hide each other.
#include "report/chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <regex>
#include <string>
#include <vector>

#include "report/label_places.h"
#include "report/occupancy_svg.h"
#include "report/roofline_svg.h"

namespace wideload::report {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> labels_of(const Axis& axis, const std::vector<double>& values) {
    std::vector<std::string> labels;
    const Ruler ruler(axis, values);
    for (const Ruler::Mark& mark : ruler.marks()) labels.push_back(mark.label);
    return labels;
}

/// Of the plots, not of the legends, which are groups within.
std::vector<svg::Place> dots_of(const std::string& drawing) {
    const std::regex piece(R"re(<g |</g>|<circle cx="([-0-9.]+)" cy="([-0-9.]+)")re");
    std::vector<svg::Place> dots;
    int depth = 0;
    for (std::sregex_iterator found(drawing.begin(), drawing.end(), piece), end; found != end;
         ++found) {
        if ((*found)[1].matched) {
            if (depth == 1) dots.push_back({std::stod((*found)[1]), std::stod((*found)[2])});
        } else {
            depth += (*found)[0] == "</g>" ? -1 : 1;
        }
    }
    return dots;
}

TEST(Ruler, NamesRoundValues) {
    EXPECT_THAT(labels_of({""}, {3, 95}), ElementsAre("0", "20", "40", "60", "80", "100"));
    EXPECT_THAT(labels_of({"", Scale::log10}, {0.03, 40}),
                ElementsAre("0.01", "0.1", "1", "10", "100"));
    EXPECT_THAT(labels_of({"", Scale::log2, true}, {4096, 32768}),
                ElementsAre("4 KiB", "8 KiB", "16 KiB", "32 KiB"));
    EXPECT_THAT(labels_of({"", Scale::linear, false, true}, {0, 255}),
                ElementsAre("0", "50", "100", "150", "200", "250"));
    EXPECT_EQ(axis_figure(4.81e12), "4.81 T");
    EXPECT_EQ(axis_figure(1000), "1,000");
}

TEST(Ruler, HoldsItsValuesBetweenItsEnds) {
    for (const Scale scale : {Scale::linear, Scale::log10, Scale::log2}) {
        for (const std::vector<double>& values :
             {std::vector{1.0, 1.0}, {0.001, 5e9}, {7.0}, {}, {0.0, -3.0}}) {
            const Ruler ruler({"", scale}, values);
            EXPECT_GE(ruler.marks().size(), 2u);
            for (const double value : values) {
                EXPECT_GE(ruler.share(value), 0);
                EXPECT_LE(ruler.share(value), 1);
            }
        }
    }
}

TEST(LineChart, PutsDotsWhereTheirValuesAre) {
    const LineChart chart{
        "t", {"x"}, {"y"}, {{"one", 0, LineMark::line, {{0, 0}, {50, 100}, {100, 50}}}}};
    const std::vector<svg::Place> dots = dots_of(line_chart_svg(chart));
    ASSERT_EQ(dots.size(), 3u);
    EXPECT_NEAR(dots[1].x, (dots[0].x + dots[2].x) / 2, 0.1);
    EXPECT_NEAR(dots[2].y, (dots[0].y + dots[1].y) / 2, 0.1);
    EXPECT_LT(dots[1].y, dots[0].y);
}

TEST(LineChart, LeavesOutWhatALogarithmHasNoPlaceFor) {
    const LineChart chart{"t",
                          {"x", Scale::log10},
                          {"y", Scale::log10},
                          {{"one", 0, LineMark::line, {{0, 1}, {1, 0}, {10, 10}}}}};
    EXPECT_EQ(dots_of(line_chart_svg(chart)).size(), 1u);
}

TEST(LineChart, SurvivesWordsThatLookLikeMarkup) {
    const LineChart chart{
        "a < b", {"\"x\""}, {"y"}, {{"<one>", 0, LineMark::line, {{1, 1, "<l>"}}}}, {"<key>"}};
    const std::string drawing = line_chart_svg(chart);
    for (const char* raw : {"a < b", "<one>", "<l>", "<key>"}) {
        EXPECT_THAT(drawing, Not(HasSubstr(raw)));
    }
    EXPECT_THAT(drawing, HasSubstr("&lt;one&gt;"));
}

TEST(BarChart, DrawsBarsAsLongAsTheirValues) {
    BarChart chart;
    chart.bars = {{"one", 50, "50", 0}, {"two", 100, "100", 0}};
    const std::string drawing = bar_chart_svg(chart);
    const std::regex bar(R"re(<rect x="[-0-9.]+" y="[-0-9.]+" width="([-0-9.]+)" height="13")re");
    std::vector<double> widths;
    for (std::sregex_iterator found(drawing.begin(), drawing.end(), bar), end; found != end;
         ++found) {
        widths.push_back(std::stod((*found)[1]));
    }
    ASSERT_EQ(widths.size(), 2u);
    EXPECT_NEAR(widths[1], 2 * widths[0], 0.2);
}

TEST(LabelPlaces, KeepLabelsApart) {
    LabelPlaces places({0, 0, 600, 400});
    const svg::Place dot{300, 200};
    places.avoid(dot);
    const std::regex text(R"re(<text x="([-0-9.]+)" y="([-0-9.]+)")re");
    std::vector<svg::Place> found;
    for (int i = 0; i < 40; ++i) {
        const std::string drawn = places.draw(dot, "12", "#000");
        std::smatch match;
        ASSERT_TRUE(std::regex_search(drawn, match, text));
        found.push_back({std::stod(match[1]), std::stod(match[2])});
        for (std::size_t other = 0; other + 1 < found.size(); ++other) {
            EXPECT_TRUE(std::abs(found[other].x - found.back().x) > 11.5 ||
                        std::abs(found[other].y - found.back().y) > 9.5)
                << "labels " << other << " and " << i;
        }
    }
}

TEST(LabelPlaces, KeepOffBoxes) {
    LabelPlaces places({0, 0, 600, 400});
    const svg::Place dot{300, 200};
    const svg::Box line{0, 195, 600, 2};
    const double farthest = 150;
    places.avoid(dot);
    places.avoid(line);
    const std::regex text(R"re(<text x="([-0-9.]+)" y="([-0-9.]+)")re");
    for (int i = 0; i < 20; ++i) {
        const std::string drawn = places.draw(dot, "12", "#000");
        std::smatch match;
        ASSERT_TRUE(std::regex_search(drawn, match, text));
        const double baseline = std::stod(match[2]);
        EXPECT_TRUE(baseline < line.y || baseline - 8.5 > line.y + line.height) << baseline;
        EXPECT_LT(std::abs(baseline - dot.y), farthest);
    }
}

TEST(LineChart, LetsLinesTakeTurns) {
    EXPECT_THAT(DashTurn{}.pattern(), ElementsAre());
    EXPECT_THAT((DashTurn{1, 3}.pattern()), ElementsAre(0, 0, 8, 16));
    EXPECT_THAT((DashTurn{2, 3}.pattern()), ElementsAre(0, 8, 8, 8));
}

TEST(Roofs, MeetAtTheRidge) {
    const arch::Device& device = *arch::find_device("h200");
    const double dram = device.dram_peak_bytes_per_second();
    const double f16 = *model::peak(model::Roof::f16, device);
    const std::vector<RoofLine> roofs = roofs_of(device, 0.01, 1000);
    ASSERT_EQ(roofs.size(), 6u);
    EXPECT_DOUBLE_EQ(roofs[0].ends[0].y, 0.01 * dram);
    EXPECT_NEAR(roofs[0].ends[1].x, f16 / dram, 1e-9);
    EXPECT_NEAR(roofs[0].ends[1].y, f16, f16 * 1e-9);
    EXPECT_EQ(roofs[5].ends[0].y, f16);
    EXPECT_EQ(roofs[5].ends[1].x, 1000);
    EXPECT_THAT(roofs[0].name, HasSubstr("DRAM 4.81 TB/s"));
    // No published rate, no roof.
    EXPECT_EQ(roofs_of(*arch::find_device("t4"), 0.01, 1000).size(), 5u);
}

TEST(RooflineChart, ReachesAsFarAsItsKernels) {
    const std::vector<RooflineDot> dots = {{"a", "far", 1e-4, 1e9, "DRAM"},
                                           {"b", "nothing computed", 0, 0, "DRAM"}};
    EXPECT_DOUBLE_EQ(range_of(dots).from, 1e-4);
    EXPECT_DOUBLE_EQ(range_of(dots).to, 1000);
    const LineChart chart = roofline_chart(*arch::find_device("h200"), "t", dots);
    EXPECT_EQ(dots_of(line_chart_svg(chart)).size(), 1u);
    EXPECT_THAT(chart.key, ElementsAre("far", "nothing computed"));
}

TEST(OccupancySvg, HasAPlotForEachAxisWithADotAtTheKernel) {
    const arch::Device& device = *arch::find_device("h200");
    const auto study =
        model::study_occupancy("scale<int>", device, {.threads = 512, .registers = 33});
    const std::string drawing = occupancy_svg({&study, 1});
    EXPECT_EQ(dots_of(drawing).size(), 3u);
    EXPECT_THAT(drawing, HasSubstr("Occupancy over registers a thread: scale&lt;int&gt;"));
    EXPECT_THAT(occupancy_svg({}), HasSubstr("</svg>"));
}

}  // namespace
}  // namespace wideload::report
