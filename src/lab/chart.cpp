// SPDX-License-Identifier: Apache-2.0
#include "lab/chart.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numbers>
#include <utility>
#include <vector>

#include "lab/chart_data.h"
#include "lab/overlap.h"

namespace wideload::lab {
namespace {

using Json = nlohmann::ordered_json;

/// Vega-Lite reads dots and brackets in field names as paths; these fields have none.
constexpr const char* kX = "x";
constexpr const char* kY = "y";
constexpr const char* kSeries = "series";
constexpr const char* kBar = "bar";
constexpr const char* kRun = "run";
constexpr const char* kArea = "area";

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

Json values_of(const ChartData& data, const Overlaps& overlaps) {
    const std::vector<std::size_t> runs = runs_of(data);
    Json values = Json::array();
    for (std::size_t i = 0; i < data.data.size(); ++i) {
        const Datum& datum = data.data[i];
        const double radius = report::dot_radius(overlaps.above[i]);
        Json value = {{kSeries, datum.title},
                      {kY, datum.y},
                      {kBar, data.bar_label(datum)},
                      {kRun, runs[i]},
                      {kArea, std::numbers::pi * radius * radius}};
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

/// Bars lie below each other, each with its name: side by side they would be stacked, and their
/// sum means nothing.
Json bar_axis() {
    return {{"field", kBar},
            {"type", "nominal"},
            {"sort", nullptr},
            {"axis", {{"title", nullptr}, {"labelLimit", 320}}}};
}

Json measured_axis(const Chart& chart, const ChartData& data) {
    return {{"field", kY},
            {"type", "quantitative"},
            {"scale", scale_json(chart.log_y, false)},
            {"axis", axis_json(data.y)}};
}

/// Dashes of each series, with the colours' legend, so that both are one.
Json dashes_of(const Description& description, const Overlaps& overlaps, Json colour) {
    Json patterns = Json::array();
    for (std::size_t i = 0; i < description.series.size(); ++i) {
        const bool drawn = i < overlaps.turns.size() && overlaps.turns[i].number > 0;
        patterns.push_back(drawn ? Json(overlaps.turns[i].pattern()) : Json::array({1, 0}));
    }
    colour["scale"]["range"] = std::move(patterns);
    return colour;
}

/// A dot at each point, and lines only between what was measured.
Json layers_of(const Chart& chart, const Description& description, const ChartData& data,
               const Overlaps& overlaps) {
    const Json colour = colour_of(description, data);
    const Json dots = {{"mark", {{"type", "point"}, {"filled", true}, {"opacity", 1}}},
                       {"encoding",
                        {{"size",
                          {{"field", kArea},
                           {"type", "quantitative"},
                           {"scale", nullptr},
                           {"legend", nullptr}}}}}};
    if (chart.mark == Mark::points) return Json::array({dots});
    Json line = {{"mark", {{"type", "line"}}},
                 {"encoding", {{"strokeDash", dashes_of(description, overlaps, colour)}}}};
    if (chart.mark == Mark::step) {
        line["mark"]["interpolate"] = "step-after";
        line["encoding"]["detail"] = {{"field", kRun}, {"type", "nominal"}};
    }
    return Json::array({line, dots});
}

void add_bars(Json& specification, const Chart& chart, const Description& description,
              const ChartData& data) {
    specification["mark"] = {{"type", "bar"}};
    Json& encoding = specification["encoding"];
    encoding = {{"y", bar_axis()}, {"x", measured_axis(chart, data)}};
    if (!data.over_series) encoding["color"] = colour_of(description, data);
}

void add_lines(Json& specification, const Chart& chart, const Description& description,
               const ChartData& data, const Overlaps& overlaps) {
    specification["height"] = 280;
    specification["encoding"] = {{"x",
                                  {{"field", kX},
                                   {"type", "quantitative"},
                                   {"scale", scale_json(chart.log_x, data.x.is_binary())},
                                   {"axis", axis_json(data.x)}}},
                                 {"y", measured_axis(chart, data)},
                                 {"color", colour_of(description, data)}};
    specification["layer"] = layers_of(chart, description, data, overlaps);
}

}  // namespace

std::optional<std::string> chart_specification(const Chart& chart, const Outcome& outcome) {
    const std::optional<ChartData> data = data_of(chart, outcome);
    if (!data) return std::nullopt;
    const Overlaps overlaps = overlaps_of(chart, *data);
    Json specification = {
        {"title", chart.title}, {"width", 560}, {"data", {{"values", values_of(*data, overlaps)}}}};
    if (data->over_series || chart.mark == Mark::bar) {
        add_bars(specification, chart, outcome.description, *data);
    } else {
        add_lines(specification, chart, outcome.description, *data, overlaps);
    }
    return specification.dump();
}

}  // namespace wideload::lab
