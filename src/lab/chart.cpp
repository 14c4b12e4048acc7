// SPDX-License-Identifier: Apache-2.0
#include "lab/chart.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "lab/chart_data.h"

namespace wideload::lab {
namespace {

using Json = nlohmann::ordered_json;

/// Vega-Lite reads dots and brackets in field names as paths; these fields have none.
constexpr const char* kX = "x";
constexpr const char* kY = "y";
constexpr const char* kSeries = "series";
constexpr const char* kBar = "bar";

Json axis_json(const NamedAxis& axis) {
    Json json = {{"title", axis.full_title()}};
    if (axis.is_binary()) json["labelExpr"] = "wideloadBytes(datum.value)";
    return json;
}

Json scale_json(bool logarithmic, bool powers_of_two) {
    if (!logarithmic) return Json::object();
    Json json = {{"type", "log"}};
    if (powers_of_two) json["base"] = 2;
    return json;
}

Json values_of(const ChartData& data) {
    Json values = Json::array();
    for (const Datum& datum : data.data) {
        Json value = {{kSeries, datum.title}, {kY, datum.y}, {kBar, data.bar_label(datum)}};
        if (datum.x) value[kX] = *datum.x;
        values.push_back(std::move(value));
    }
    return values;
}

/// All series in the order of the description, so that each keeps its colour in every chart, and a
/// legend of those that are drawn.
Json colour_of(const Description& description, const ChartData& data) {
    Json titles = Json::array(), drawn = Json::array();
    for (const Series& series : description.series) {
        titles.push_back(series.title);
        if (std::ranges::find(data.data, series.title, &Datum::title) != data.data.end()) {
            drawn.push_back(series.title);
        }
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

/// Bars lie below each other, each with its name: side by side they would be stacked, and their
/// sum means nothing.
Json bar_axis() {
    return {{"field", kBar},
            {"type", "nominal"},
            {"sort", nullptr},
            {"axis", {{"title", nullptr}, {"labelLimit", 320}}}};
}

Json encoding_of(const Chart& chart, const Description& description, const ChartData& data) {
    const Json measured = {{"field", kY},
                           {"type", "quantitative"},
                           {"scale", scale_json(chart.log_y, false)},
                           {"axis", axis_json(data.y)}};
    if (data.over_series) return {{"y", bar_axis()}, {"x", measured}};
    if (chart.mark == Mark::bar) {
        return {{"y", bar_axis()}, {"x", measured}, {"color", colour_of(description, data)}};
    }
    return {{"x",
             {{"field", kX},
              {"type", "quantitative"},
              {"scale", scale_json(chart.log_x, data.x.is_binary())},
              {"axis", axis_json(data.x)}}},
            {"y", measured},
            {"color", colour_of(description, data)}};
}

}  // namespace

std::optional<std::string> chart_specification(const Chart& chart, const Outcome& outcome) {
    const std::optional<ChartData> data = data_of(chart, outcome);
    if (!data) return std::nullopt;
    Json specification = {{"title", chart.title},
                          {"width", 560},
                          {"data", {{"values", values_of(*data)}}},
                          {"mark", mark_json(chart.mark)},
                          {"encoding", encoding_of(chart, outcome.description, *data)}};
    if (!data->over_series && chart.mark != Mark::bar) specification["height"] = 280;
    return specification.dump();
}

}  // namespace wideload::lab
