// SPDX-License-Identifier: Apache-2.0
#include "lab/chart.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "lab/metric.h"

namespace wideload::lab {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSeriesParameter = "series";

/// Vega-Lite reads dots and brackets in field names as paths; these fields have none.
constexpr const char* kX = "x";
constexpr const char* kY = "y";
constexpr const char* kSeries = "series";

struct Axis {
    std::string title;
    std::string unit;
};

Axis axis_of_metric(const Description& description, const std::string& metric) {
    if (const Column* column = description.column(metric)) return {column->title, column->unit};
    return {metric, ""};
}

Axis axis_of_parameter(const Description& description, const std::string& key) {
    for (const Parameter& parameter : description.parameters) {
        if (parameter.key == key) return {parameter.title, parameter.unit};
    }
    return {key, ""};
}

Json axis_json(const Axis& axis, bool binary) {
    const bool bare = binary || axis.unit.empty();  // labels in KiB and MiB name their unit
    Json json = {{"title", bare ? axis.title : axis.title + ", " + axis.unit}};
    if (binary) json["labelExpr"] = "wideloadBytes(datum.value)";
    return json;
}

Json scale_json(bool logarithmic, bool powers_of_two) {
    if (!logarithmic) return Json::object();
    Json json = {{"type", "log"}};
    if (powers_of_two) json["base"] = 2;
    return json;
}

bool is_shown(const Chart& chart, const Point& point) {
    return chart.series.empty() ||
           std::ranges::find(chart.series, point.series) != chart.series.end();
}

Json values_of(const Chart& chart, const Outcome& outcome) {
    const bool over_series = chart.parameter == kSeriesParameter;
    Json values = Json::array();
    for (const Measured& measured : select(outcome.results, {chart.metric, "", {}})) {
        const Point& point = *measured.point;
        const auto x = point.parameters.find(chart.parameter);
        if (!is_shown(chart, point) || (!over_series && x == point.parameters.end())) continue;
        Json value = {{kSeries, outcome.description.series_title(point.series)},
                      {kY, measured.value}};
        if (!over_series) value[kX] = x->second;
        values.push_back(std::move(value));
    }
    return values;
}

/// All series in the order of the description, so that each keeps its colour in every chart, and a
/// legend of those that are drawn.
Json colour_of(const Description& description, const Json& values) {
    Json titles = Json::array(), drawn = Json::array();
    for (const Series& series : description.series) {
        titles.push_back(series.title);
        const bool is_drawn = std::ranges::any_of(
            values, [&](const Json& value) { return value[kSeries] == series.title; });
        if (is_drawn) drawn.push_back(series.title);
    }
    return {{"field", kSeries},
            {"type", "nominal"},
            {"scale", {{"domain", std::move(titles)}}},
            {"legend",
             {{"title", nullptr},
              {"values", std::move(drawn)},
              {"orient", "bottom"},
              {"columns", 2},
              {"labelLimit", 320}}}};
}

Json mark_json(Mark mark) {
    switch (mark) {
        case Mark::line:
            return {{"type", "line"}, {"point", true}};
        case Mark::step:
            return {{"type", "line"}, {"interpolate", "step-after"}};
        case Mark::bar:
            return {{"type", "bar"}};
        case Mark::points:
            return {{"type", "point"}, {"filled", true}};
    }
    return {};
}

Json series_axis() {
    return {{"field", kSeries},
            {"type", "nominal"},
            {"sort", nullptr},
            {"axis", {{"title", nullptr}, {"labelLimit", 320}}}};
}

Json encoding_of(const Chart& chart, const Description& description, const Json& values) {
    const Axis vertical = axis_of_metric(description, chart.metric);
    const Json measured = {{"field", kY},
                           {"type", "quantitative"},
                           {"scale", scale_json(chart.log_y, false)},
                           {"axis", axis_json(vertical, vertical.unit == "bytes")}};
    if (chart.parameter == kSeriesParameter) return {{"y", series_axis()}, {"x", measured}};
    const Axis horizontal = axis_of_parameter(description, chart.parameter);
    const bool binary = horizontal.unit == "bytes";
    const bool is_bar = chart.mark == Mark::bar;
    return {{"x",
             {{"field", kX},
              {"type", is_bar ? "ordinal" : "quantitative"},
              {"scale", is_bar ? Json::object() : scale_json(chart.log_x, binary)},
              {"axis", axis_json(horizontal, binary)}}},
            {"y", measured},
            {"color", colour_of(description, values)}};
}

}  // namespace

std::optional<std::string> chart_specification(const Chart& chart, const Outcome& outcome) {
    Json values = values_of(chart, outcome);
    if (values.empty()) return std::nullopt;
    Json encoding = encoding_of(chart, outcome.description, values);
    Json specification = {{"title", chart.title},
                          {"width", 560},
                          {"data", {{"values", std::move(values)}}},
                          {"mark", mark_json(chart.mark)},
                          {"encoding", std::move(encoding)}};
    if (chart.parameter != kSeriesParameter) specification["height"] = 280;
    return specification.dump();
}

}  // namespace wideload::lab
