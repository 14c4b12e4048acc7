// SPDX-License-Identifier: Apache-2.0
#include "report/roofline_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "report/layout.h"
#include "report/roofline_plot.h"
#include "report/roofline_text.h"

namespace wideload::report {
namespace {

using model::Roof;

constexpr double kPlotHeight = 460;
constexpr std::array kMemory = {Roof::dram, Roof::l2, Roof::l1};
constexpr std::array kArithmetic = {Roof::f64, Roof::f32, Roof::f16};

std::string terabytes(double bytes_a_second) {
    return fmt::format("{:.3g} TB/s", bytes_a_second / 1e12);
}

RooflineDot dot_of(const model::Roofline& kernel, std::size_t index) {
    constexpr std::size_t kMostColumns = 100;
    const double intensity = kernel.intensity().value_or(0);
    const std::string label(1, plot_letter(index));
    return {label,
            shortened(fmt::format("{}  {}  (at least {}, {})", label, kernel.kernel,
                                  duration_words(kernel.bound_s),
                                  kernel.binding ? model::name(*kernel.binding) : "-"),
                      kMostColumns),
            intensity, kernel.bound_s > 0 ? kernel.operations() / kernel.bound_s : 0,
            kernel.binding ? std::string(model::name(*kernel.binding)) : std::string()};
}

}  // namespace

IntensityRange range_of(std::span<const RooflineDot> dots) {
    IntensityRange range;
    for (const RooflineDot& dot : dots) {
        if (!(dot.intensity > 0)) continue;
        range.from = std::min(range.from, std::pow(10, std::floor(std::log10(dot.intensity))));
        range.to = std::max(range.to, std::pow(10, std::ceil(std::log10(dot.intensity))));
    }
    return range;
}

std::vector<RoofLine> roofs_of(const arch::Device& device, double from, double to) {
    double highest = 0, fastest = 0;
    for (const Roof roof : kArithmetic) {
        highest = std::max(highest, model::peak(roof, device).value_or(0));
    }
    std::vector<RoofLine> lines;
    for (const Roof roof : kMemory) {
        const double rate = model::peak(roof, device).value_or(0);
        if (rate == 0 || highest == 0) continue;
        fastest = std::max(fastest, rate);
        const double end = std::clamp(highest / rate, from, to);
        lines.push_back({fmt::format("{} {}", model::name(roof), terabytes(rate)),
                         {{from, from * rate}, {end, end * rate}}});
    }
    for (const Roof roof : kArithmetic) {
        const double rate = model::peak(roof, device).value_or(0);
        if (rate == 0 || fastest == 0) continue;
        const double begin = std::clamp(rate / fastest, from, to);
        lines.push_back({fmt::format("{} {:.3g} TFLOP/s", model::name(roof), rate / 1e12),
                         {{begin, rate}, {to, rate}}});
    }
    return lines;
}

LineChart roofline_chart(const arch::Device& device, std::string title,
                         std::span<const RooflineDot> dots) {
    LineChart chart{std::move(title),
                    {"operations a byte of DRAM", Scale::log10},
                    {"operations a second", Scale::log10},
                    {},
                    {},
                    kPlotHeight};
    const IntensityRange range = range_of(dots);
    for (RoofLine& roof : roofs_of(device, range.from, range.to)) {
        chart.lines.push_back({std::move(roof.name), 0, LineMark::roof, std::move(roof.ends)});
    }
    std::map<std::string, ChartLine> limits;
    for (const RooflineDot& dot : dots) {
        chart.key.push_back(dot.name);
        if (!(dot.intensity > 0) || !(dot.rate > 0)) continue;
        limits[dot.limit].points.push_back({dot.intensity, dot.rate, dot.label});
    }
    std::size_t colour = 0;
    for (auto& [limit, line] : limits) {
        line.title = "limited by " + limit;
        line.mark = LineMark::points;
        line.colour = colour++;
        chart.lines.push_back(std::move(line));
    }
    return chart;
}

std::string roofline_svg(std::span<const model::Roofline> kernels) {
    std::vector<LineChart> charts;
    for (std::size_t begin = 0; begin < kernels.size();) {
        const arch::Device& device = *kernels[begin].device;
        std::vector<RooflineDot> dots;
        std::size_t end = begin;
        for (; end < kernels.size() && kernels[end].device == &device; ++end) {
            dots.push_back(dot_of(kernels[end], end - begin));
        }
        charts.push_back(
            roofline_chart(device, fmt::format("Kernels at their bounds: {}", device.name), dots));
        begin = end;
    }
    return line_charts_svg(charts);
}

}  // namespace wideload::report
