// SPDX-License-Identifier: Apache-2.0
#include "lab/chart_svg.h"

#include <algorithm>

#include "lab/chart_data.h"
#include "lab/figures.h"
#include "lab/staircase.h"
#include "report/chart.h"

namespace wideload::lab {
namespace {

using report::Scale;

std::string bars(const Chart& chart, const ChartData& data) {
    report::BarChart drawn{chart.title, {data.y.full_title(), Scale::linear, false}, {}};
    for (const Datum& datum : data.data) {
        drawn.bars.push_back({data.bar_label(datum), datum.y, figure(datum.y, data.y.unit),
                              data.over_series ? 0 : datum.series});
    }
    return report::bar_chart_svg(drawn);
}

report::LineMark mark_of(Mark mark) {
    switch (mark) {
        case Mark::step:
            return report::LineMark::step;
        case Mark::points:
            return report::LineMark::points;
        default:
            return report::LineMark::line;
    }
}

Scale scale_of(bool logarithmic, const NamedAxis& axis) {
    if (!logarithmic) return Scale::linear;
    return axis.is_binary() ? Scale::log2 : Scale::log10;
}

std::string lines(const Chart& chart, const ChartData& data) {
    report::LineChart drawn{
        chart.title,
        {data.x.full_title(), scale_of(chart.log_x, data.x), data.x.is_binary(), true},
        {data.y.full_title(), scale_of(chart.log_y, data.y), data.y.is_binary()},
        {}};
    for (const Datum& datum : data.data) {
        auto line = std::ranges::find(drawn.lines, datum.title, &report::ChartLine::title);
        if (line == drawn.lines.end()) {
            drawn.lines.push_back({datum.title, datum.series, mark_of(chart.mark), {}});
            line = std::prev(drawn.lines.end());
        }
        line->points.push_back({datum.x.value_or(0), datum.y});
    }
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
