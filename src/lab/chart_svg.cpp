// SPDX-License-Identifier: Apache-2.0
#include "lab/chart_svg.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "lab/chart_data.h"
#include "lab/figures.h"
#include "lab/overlap.h"
#include "lab/staircase.h"
#include "report/chart.h"

namespace wideload::lab {
namespace {

using report::LineMark;
using report::Scale;

std::string bars(const Chart& chart, const ChartData& data) {
    report::BarChart drawn{chart.title, {data.y.full_title(), Scale::linear, false}, {}};
    for (const Datum& datum : data.data) {
        drawn.bars.push_back({data.bar_label(datum), datum.y, figure(datum.y, data.y.unit),
                              data.over_series ? 0 : datum.series});
    }
    return report::bar_chart_svg(drawn);
}

Scale scale_of(bool logarithmic, const NamedAxis& axis) {
    if (!logarithmic) return Scale::linear;
    return axis.is_binary() ? Scale::log2 : Scale::log10;
}

/// The line of that title, which is put behind the others where it is not there yet.
report::ChartLine& line_like(const report::ChartLine& wanted,
                             std::vector<report::ChartLine>& lines) {
    const auto found = std::ranges::find(lines, wanted.title, &report::ChartLine::title);
    if (found != lines.end()) return *found;
    lines.push_back(wanted);
    return lines.back();
}

std::string lines(const Chart& chart, const ChartData& data) {
    report::LineChart drawn{
        chart.title,
        {data.x.full_title(), scale_of(chart.log_x, data.x), data.x.is_binary(), true},
        {data.y.full_title(), scale_of(chart.log_y, data.y), data.y.is_binary()},
        {}};
    const Overlaps overlaps = overlaps_of(chart, data);
    const std::vector<std::size_t> runs = runs_of(data);
    std::vector<report::ChartLine> steps;
    for (std::size_t i = 0; i < data.data.size(); ++i) {
        const Datum& datum = data.data[i];
        const report::ChartPoint point{datum.x.value_or(0), datum.y, {}, overlaps.above[i]};
        report::ChartLine line{datum.title,
                               datum.series,
                               chart.mark == Mark::line ? LineMark::line : LineMark::points,
                               {},
                               overlaps.turns[datum.series]};
        line_like(line, drawn.lines).points.push_back(point);
        if (chart.mark != Mark::step) continue;
        line.title = std::to_string(runs[i]);
        line.mark = LineMark::step;
        line_like(line, steps).points.push_back(point);
    }
    std::erase_if(steps, [](const report::ChartLine& line) { return line.points.size() < 2; });
    for (report::ChartLine& line : steps) line.title.clear();  // the legend names the dots
    drawn.lines.insert(drawn.lines.begin(), steps.begin(), steps.end());
    for (report::ChartLine& line : drawn.lines) {
        std::ranges::stable_sort(line.points, {}, &report::ChartPoint::x);
    }
    return report::line_chart_svg(drawn);
}

}  // namespace

std::optional<std::string> chart_svg(const Chart& chart, const Outcome& outcome) {
    const std::optional<ChartData> data = data_of(chart, outcome);
    if (!data) return std::nullopt;
    const bool as_bars = data->over_series || chart.mark == Mark::bar;
    return as_bars ? bars(chart, *data) : lines(chart, *data);
}

std::string staircase_svg(const Staircase& staircase) {
    report::LineChart drawn{
        staircase.title,
        {axis_title(staircase.axis), Scale::linear, staircase.axis == model::Axis::shared},
        {"occupancy, %"},
        {}};
    for (const Course& course : courses_of(staircase)) {
        report::ChartLine line{names_of(course), drawn.lines.size(), report::LineMark::step, {}};
        for (const model::Step& step : course.steps) {
            const double percent = arch::occupancy_percent(*course.devices.front(), step.occupancy);
            line.points.push_back({static_cast<double>(step.first), percent});
            line.points.push_back({static_cast<double>(step.last), percent});
        }
        drawn.lines.push_back(std::move(line));
    }
    return report::line_chart_svg(drawn);
}

}  // namespace wideload::lab
