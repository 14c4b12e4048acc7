// SPDX-License-Identifier: Apache-2.0
#include "lab/chart_data.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "lab/figures.h"
#include "lab/metric.h"

namespace wideload::lab {
namespace {

constexpr const char* kSeriesParameter = "series";

NamedAxis axis_of_metric(const Description& description, const std::string& metric) {
    if (const Column* column = description.column(metric)) return {column->title, column->unit};
    return {metric, ""};
}

NamedAxis axis_of_parameter(const Description& description, const std::string& key) {
    for (const Parameter& parameter : description.parameters) {
        if (parameter.key == key) return {parameter.title, parameter.unit};
    }
    return {key, ""};
}

bool is_shown(const Chart& chart, const Point& point) {
    return chart.series.empty() ||
           std::ranges::find(chart.series, point.series) != chart.series.end();
}

/// Where each series has one bar it stands for the last point that has the parameters of the
/// series' first.
bool represents_series(const Point& point, const Results& results) {
    const auto alike = [](const Point& one, const Point& other) {
        return one.series == other.series &&
               std::ranges::equal(one.parameters, other.parameters, {},
                                  &Parameters::value_type::first, &Parameters::value_type::first);
    };
    const auto first = std::ranges::find(results.points, point.series, &Point::series);
    if (!alike(*first, point)) return false;
    return std::none_of(&point + 1, results.points.data() + results.points.size(),
                        [&](const Point& later) { return alike(*first, later); });
}

}  // namespace

std::string NamedAxis::full_title() const {
    return is_binary() || unit.empty() ? title : title + ", " + unit;
}

std::string ChartData::bar_label(const Datum& datum) const {
    if (over_series || !datum.x) return datum.title;
    const std::string value = quantity(x.title, x.unit, *datum.x);
    const bool alone = std::ranges::all_of(
        data, [&](const Datum& other) { return other.series == data.front().series; });
    return alone ? value : datum.title + ", " + value;
}

std::vector<std::size_t> runs_of(const ChartData& data) {
    std::vector<std::size_t> order(data.data.size()), runs(data.data.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) {
        return std::pair(data.data[i].series, data.data[i].x.value_or(0));
    });
    for (std::size_t i = 1; i < order.size(); ++i) {
        const Datum &before = data.data[order[i - 1]], &now = data.data[order[i]];
        const bool next =
            before.series == now.series && before.x && now.x && *now.x - *before.x == 1;
        runs[order[i]] = runs[order[i - 1]] + (next ? 0 : 1);
    }
    return runs;
}

std::optional<ChartData> data_of(const Chart& chart, const Outcome& outcome) {
    const Description& description = outcome.description;
    ChartData found;
    found.over_series = chart.parameter == kSeriesParameter;
    found.y = axis_of_metric(description, chart.metric);
    if (!found.over_series) found.x = axis_of_parameter(description, chart.parameter);
    for (const Measured& measured : select(outcome.results, {chart.metric, "", {}})) {
        const Point& point = *measured.point;
        const auto x = point.parameters.find(chart.parameter);
        if (!is_shown(chart, point)) continue;
        if (!found.over_series && x == point.parameters.end()) continue;
        if (found.over_series && !represents_series(point, outcome.results)) continue;
        const auto series = std::ranges::find(description.series, point.series, &Series::key);
        Datum datum{static_cast<std::size_t>(series - description.series.begin()),
                    std::string(description.series_title(point.series)), std::nullopt,
                    measured.value};
        if (!found.over_series) datum.x = x->second;
        found.data.push_back(std::move(datum));
    }
    if (found.data.empty()) return std::nullopt;
    return found;
}

}  // namespace wideload::lab
