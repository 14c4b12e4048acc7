// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "report/axis.h"

/// Charts as SVG files that need nothing else: the same bytes on every machine, so that committed
/// figures can be held to their data.
namespace wideload::report {

enum class LineMark : std::uint8_t {
    line,    ///< with a dot at each point
    step,    ///< level until the next point
    points,  ///< dots alone
    roof,    ///< thin and grey, named along its end instead of in the legend
};

struct ChartPoint {
    double x = 0, y = 0;
    std::string label = {};  ///< beside its dot; empty: none
    std::size_t above = 0;   ///< dots of later lines that lie on it: it is drawn larger
};

/// Lines that lie on each other take turns in dashes, so that each is seen.
struct DashTurn {
    std::size_t number = 0;  ///< 0: solid, below the others
    std::size_t lines = 1;   ///< that take turns

    /// Lengths of dashes and gaps in turn; empty: solid.
    [[nodiscard]] std::vector<double> pattern() const;
};

/// @param above  dots of later lines that lie on it
[[nodiscard]] double dot_radius(std::size_t above);

struct ChartLine {
    std::string title;
    std::size_t colour = 0;  ///< by number, so that a series keeps its own in every chart
    LineMark mark = LineMark::line;
    std::vector<ChartPoint> points;
    DashTurn turn = {};
};

struct LineChart {
    std::string title;
    Axis x, y;
    std::vector<ChartLine> lines;
    std::vector<std::string> key = {};  ///< below: what labels stand for
    double plot_height = 300;
};

/// Below each other in one drawing.
[[nodiscard]] std::string line_charts_svg(std::span<const LineChart> charts);
[[nodiscard]] std::string line_chart_svg(const LineChart& chart);

struct Bar {
    std::string label;
    double value = 0;
    std::string figure;  ///< the value in words, at the bar's end
    std::size_t colour = 0;
};

/// Bars to the right, one below the other.
struct BarChart {
    std::string title;
    Axis axis;
    std::vector<Bar> bars;
};

[[nodiscard]] std::string bar_chart_svg(const BarChart& chart);

}  // namespace wideload::report
