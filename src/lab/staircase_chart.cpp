// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "lab/chart.h"
#include "lab/staircase.h"

namespace wideload::lab {

namespace {
using Json = nlohmann::ordered_json;
}

std::string staircase_specification(const Staircase& staircase) {
    Json values = Json::array();
    for (const Course& course : courses_of(staircase)) {
        for (const model::Step& step : course.steps) {
            const double percent = arch::occupancy_percent(*course.devices.front(), step.occupancy);
            for (const std::uint64_t end : {step.first, step.last}) {
                values.push_back({{"x", end}, {"y", percent}, {"series", names_of(course)}});
            }
        }
    }
    const Json specification = {
        {"title", staircase.title},
        {"width", 560},
        {"height", 280},
        {"data", {{"values", std::move(values)}}},
        {"mark", {{"type", "line"}, {"interpolate", "step-after"}}},
        {"encoding",
         {{"x",
           {{"field", "x"},
            {"type", "quantitative"},
            {"axis", {{"title", axis_title(staircase.axis)}}}}},
          {"y", {{"field", "y"}, {"type", "quantitative"}, {"axis", {{"title", "occupancy, %"}}}}},
          {"color",
           {{"field", "series"},
            {"type", "nominal"},
            {"sort", nullptr},
            {"legend",
             {{"title", nullptr}, {"orient", "bottom"}, {"columns", 1}, {"labelLimit", 560}}}}}}}};
    return specification.dump();
}

}  // namespace wideload::lab
