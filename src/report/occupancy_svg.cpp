// SPDX-License-Identifier: Apache-2.0
#include "report/occupancy_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "report/chart.h"
#include "report/layout.h"
#include "report/step_plot.h"

namespace wideload::report {
namespace {

Axis axis_of(model::Axis axis) {
    return {std::string(axis_words(axis)), Scale::linear, axis == model::Axis::shared};
}

/// "scale(float*, int)", or the figures that belong to no kernel.
std::string subject_of(const model::OccupancyStudy& study) {
    constexpr std::size_t kMostColumns = 80;
    const arch::BlockResources& block = study.resources;
    if (!study.kernel.empty()) return shortened(study.kernel, kMostColumns);
    return fmt::format("{} threads, {} registers, {} bytes shared", block.threads, block.registers,
                       block.static_shared_bytes + block.dynamic_shared_bytes);
}

/// What all studies have alike stands in the title, the rest in the legend.
struct Names {
    explicit Names(std::span<const model::OccupancyStudy> studies)
        : one_device(std::ranges::all_of(
              studies, [&](const auto& study) { return study.device == studies.front().device; })),
          one_subject(std::ranges::all_of(studies, [&](const auto& study) {
              return subject_of(study) == subject_of(studies.front());
          })) {}

    [[nodiscard]] std::string in_title(const model::OccupancyStudy& study) const {
        std::string text;
        if (one_subject) text += ": " + subject_of(study);
        if (one_device) text += (text.empty() ? ": " : ", ") + std::string(study.device->name);
        return text;
    }
    [[nodiscard]] std::string in_legend(const model::OccupancyStudy& study) const {
        if (one_subject && one_device) return {};
        if (one_subject) return std::string(study.device->name);
        if (one_device) return subject_of(study);
        return subject_of(study) + ", " + std::string(study.device->name);
    }

    bool one_device, one_subject;
};

void add(LineChart& chart, const model::OccupancyStudy& study, model::Axis axis, std::size_t colour,
         const Names& names) {
    const auto percent = [&](const arch::Occupancy& occupancy) {
        return arch::occupancy_percent(*study.device, occupancy);
    };
    ChartLine line{names.in_legend(study), colour, LineMark::step, {}};
    for (const model::Step& step : study.steps[static_cast<std::size_t>(axis)]) {
        line.points.push_back({static_cast<double>(step.first), percent(step.occupancy)});
        line.points.push_back({static_cast<double>(step.last), percent(step.occupancy)});
    }
    const auto here = static_cast<double>(model::value_on(axis, study.resources));
    chart.lines.push_back(std::move(line));
    chart.lines.push_back({"", colour, LineMark::points, {{here, percent(study.occupancy)}}});
}

}  // namespace

std::string occupancy_svg(std::span<const model::OccupancyStudy> studies) {
    if (studies.empty()) return line_charts_svg({});
    const Names names(studies);
    std::vector<LineChart> charts;
    for (const model::Axis axis : model::kAxes) {
        Axis horizontal = axis_of(axis);
        horizontal.tight = true;
        LineChart& chart = charts.emplace_back(
            LineChart{"Occupancy over " + horizontal.title + names.in_title(studies.front()),
                      horizontal,
                      {"% of the warps"},
                      {}});
        for (std::size_t i = 0; i < studies.size(); ++i) add(chart, studies[i], axis, i, names);
    }
    return line_charts_svg(charts);
}

}  // namespace wideload::report
