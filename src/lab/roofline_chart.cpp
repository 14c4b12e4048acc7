// SPDX-License-Identifier: Apache-2.0
#include "lab/roofline_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <numbers>
#include <utility>
#include <vector>

#include "lab/bounds.h"
#include "lab/figures.h"
#include "report/roofline_svg.h"

namespace wideload::lab {
namespace {

using Json = nlohmann::ordered_json;

/// Kernels with the GPU whose roofs they stand under.
struct Placed {
    const arch::Device* device = nullptr;
    std::string title;
    std::vector<Spot> spots;
    std::vector<report::RooflineDot> dots;
};

/// Those that compute nothing have no place between logarithmic axes.
bool has_place(const Spot& spot) { return spot.intensity > 0 && spot.operation_rate() > 0; }

std::optional<Placed> placed(const std::vector<Outcome>& outcomes) {
    Placed found;
    found.spots = spots_of(outcomes);
    if (std::ranges::none_of(found.spots, has_place)) return std::nullopt;
    const Machine& machine = outcomes.front().results.machine;
    found.device = arch::device_named(machine.gpu);
    if (found.device == nullptr) return std::nullopt;
    found.title = machine.is_virtual ? "Kernels at their bounds: virtual " + machine.gpu
                                     : "Kernels as measured: " + machine.gpu;
    for (std::size_t i = 0; i < found.spots.size(); ++i) {
        const Spot& spot = found.spots[i];
        const std::string number = std::to_string(i + 1);
        found.dots.push_back({number,
                              fmt::format("{}  {}: {}", number, spot.experiment, spot.series),
                              spot.intensity, spot.operation_rate(), spot.binding});
    }
    return found;
}

Json kernels_of(const Placed& placed) {
    Json kernels = Json::array();
    for (std::size_t i = 0; i < placed.spots.size(); ++i) {
        const Spot& spot = placed.spots[i];
        if (!has_place(spot)) continue;
        kernels.push_back({{"x", spot.intensity},
                           {"y", spot.operation_rate()},
                           {"number", i + 1},
                           {"kernel", spot.series},
                           {"experiment", spot.experiment},
                           {"bound by", spot.binding}});
    }
    return kernels;
}

/// The part of both logarithmic axes that the plot shows.
struct Frame {
    static constexpr double kWidth = 680, kHeight = 460;
    double left = 0, right = 0, bottom = 0, top = 0;

    /// Pixels from the left edge, and from the upper one.
    [[nodiscard]] double across(double intensity) const {
        return std::log(intensity / left) / std::log(right / left) * kWidth;
    }
    [[nodiscard]] double down(double rate) const {
        return std::log(top / rate) / std::log(top / bottom) * kHeight;
    }
    [[nodiscard]] double intensity_at(double across) const {
        return left * std::pow(right / left, across / kWidth);
    }
    [[nodiscard]] double rate_at(double down) const {
        return top * std::pow(bottom / top, down / kHeight);
    }
    /// Of a line that rises as fast as its intensity, in degrees as Vega turns text.
    [[nodiscard]] double angle() const {
        const double across = kWidth / std::log(right / left);
        const double up = kHeight / std::log(top / bottom);
        return -std::atan2(up, across) * 180 / std::numbers::pi;
    }
};

Frame frame_of(const Placed& placed, const std::vector<report::RoofLine>& roofs) {
    const auto [from, to] = report::range_of(placed.dots);
    Frame frame{from, to, std::numeric_limits<double>::infinity(), 0};
    const auto include = [&](double rate) {
        frame.bottom = std::min(frame.bottom, rate * 0.8);
        frame.top = std::max(frame.top, rate * 1.6);  // with room for a name
    };
    for (const report::RoofLine& roof : roofs) {
        for (const report::ChartPoint& end : roof.ends) include(end.y);
    }
    for (std::size_t i = 0; i < placed.spots.size(); ++i) {
        if (has_place(placed.spots[i])) include(placed.dots[i].rate);
    }
    return frame;
}

/// One label for kernels that would lie on each other: "4, 7, 8 and 12 more".
struct SpotLabel {
    double intensity = 0, rate = 0;  ///< of the first of them
    std::string text;
};

std::vector<SpotLabel> labels_of(const Placed& placed) {
    constexpr double kCellsADecade = 8;
    constexpr std::size_t kMostNumbers = 4;
    std::map<std::pair<long, long>, std::vector<std::size_t>> cells;
    for (std::size_t i = 0; i < placed.spots.size(); ++i) {
        if (!has_place(placed.spots[i])) continue;
        cells[{std::lround(std::log10(placed.dots[i].intensity) * kCellsADecade),
               std::lround(std::log10(placed.dots[i].rate) * kCellsADecade)}]
            .push_back(i);
    }
    std::vector<SpotLabel> labels;
    for (const auto& [_, members] : cells) {
        const report::RooflineDot& first = placed.dots[members.front()];
        SpotLabel& label = labels.emplace_back(SpotLabel{first.intensity, first.rate, {}});
        for (std::size_t i = 0; i < std::min(members.size(), kMostNumbers); ++i) {
            label.text += (i == 0 ? "" : ", ") + placed.dots[members[i]].label;
        }
        if (members.size() > kMostNumbers) {
            label.text += fmt::format(" and {} more", members.size() - kMostNumbers);
        }
    }
    return labels;
}

/// Room for words on the plot.
class Words {
public:
    /// Names of level roofs stand there already.
    Words(const Frame& frame, const std::vector<report::RoofLine>& roofs) {
        for (const report::RoofLine& roof : roofs) {
            if (roof.ends.back().y != roof.ends.front().y) continue;
            taken_.push_back({Frame::kWidth - kRoofRight - width_of(roof.name), Frame::kWidth,
                              frame.down(roof.ends.back().y) - kRoofAbove - kRoofMiddle});
        }
    }
    struct Place {
        double left, right, y;  ///< of the words' middle
    };
    /// Below the dot and right of it, else left of it: clear of the roof that it lies on. Where
    /// neither is free, farther down.
    Place place(double x, double y, std::string_view words) {
        const double width = width_of(words);
        for (y += kBelow;; y += kLine / 2) {
            for (const double left : {x + kBeside, x - kBeside - width}) {
                const Place place{left, left + width, y};
                if (left < 0 || std::ranges::any_of(
                                    taken_,
                                    [&](const Place& other) {
                                        return place.left < other.right &&
                                               other.left < place.right &&
                                               std::abs(place.y - other.y) < kLine;
                                    })) {
                    continue;
                }
                taken_.push_back(place);
                return place;
            }
        }
    }

    static constexpr double kRoofRight = 4, kRoofAbove = 6;  ///< from the end of a roof to its name

private:
    static constexpr double kLine = 12, kBelow = 9, kBeside = 9, kLetter = 5.6, kRoofMiddle = 4;

    static double width_of(std::string_view words) {
        return static_cast<double>(words.size()) * kLetter;
    }

    std::vector<Place> taken_;
};

Json placed_labels(const Placed& placed, const Frame& frame,
                   const std::vector<report::RoofLine>& roofs) {
    Words words(frame, roofs);
    Json values = Json::array();
    for (const SpotLabel& label : labels_of(placed)) {
        const Words::Place place =
            words.place(frame.across(label.intensity), frame.down(label.rate), label.text);
        values.push_back({{"x", frame.intensity_at(place.left)},
                          {"y", frame.rate_at(place.y)},
                          {"label", label.text}});
    }
    return values;
}

Json axis(const char* field, const char* title, const char* format, double from, double to) {
    return {{"field", field},
            {"type", "quantitative"},
            {"scale", {{"type", "log"}, {"domain", {from, to}}, {"nice", false}}},
            {"axis", {{"title", title}, {"format", format}, {"tickCount", 8}}}};
}

Json tooltips() {
    Json list = Json::array();
    for (const char* field : {"number", "experiment", "kernel", "bound by", "x", "y"}) {
        Json tip = {{"field", field}};
        if (std::string_view(field) == "x") tip["title"] = "operations a byte";
        if (std::string_view(field) == "y") tip["title"] = "operations a second";
        list.push_back(std::move(tip));
    }
    return list;
}

/// Layers of one plot.
class Layers {
public:
    explicit Layers(const Frame& frame) : frame_(frame) {}

    void add(Json values, Json mark, Json encoding) {
        encoding["x"] = axis("x", "operations a byte of DRAM", "~g", frame_.left, frame_.right);
        encoding["y"] = axis("y", "operations a second", "~s", frame_.bottom, frame_.top);
        layers_.push_back({{"data", {{"values", std::move(values)}}},
                           {"mark", std::move(mark)},
                           {"encoding", std::move(encoding)}});
    }
    void add_text(Json values, const char* field, Json mark) {
        mark["type"] = "text";
        mark["fontSize"] = 10;
        add(std::move(values), std::move(mark), {{"text", {{"field", field}}}});
    }
    /// Names of roofs end where their lines do.
    void add_roofs(const std::vector<report::RoofLine>& roofs) {
        Json lines = Json::array(), rising = Json::array(), level = Json::array();
        for (const report::RoofLine& roof : roofs) {
            for (const report::ChartPoint& end : roof.ends) {
                lines.push_back({{"x", end.x}, {"y", end.y}, {"roof", roof.name}});
            }
            const report::ChartPoint& end = roof.ends.back();
            (end.y == roof.ends.front().y ? level : rising)
                .push_back({{"x", end.x}, {"y", end.y}, {"roof", roof.name}});
        }
        const Json text = {{"align", "right"},
                           {"dx", -Words::kRoofRight},
                           {"dy", -Words::kRoofAbove},
                           {"color", "#666"}};
        Json turned = text;
        turned["angle"] = frame_.angle();
        add(std::move(lines), {{"type", "line"}, {"color", "#999"}, {"strokeWidth", 1}},
            {{"detail", {{"field", "roof"}}}});
        add_text(std::move(rising), "roof", turned);
        add_text(std::move(level), "roof", text);
    }
    [[nodiscard]] Json take() { return std::move(layers_); }

private:
    Frame frame_;
    Json layers_ = Json::array();
};

}  // namespace

std::optional<std::string> roofline_specification(const std::vector<Outcome>& outcomes) {
    const std::optional<Placed> all = placed(outcomes);
    if (!all) return std::nullopt;
    const auto [from, to] = report::range_of(all->dots);
    const std::vector<report::RoofLine> roofs = report::roofs_of(*all->device, from, to);
    const Frame frame = frame_of(*all, roofs);
    Layers layers(frame);
    layers.add_roofs(roofs);
    const Json colour = {
        {"field", "bound by"}, {"type", "nominal"}, {"legend", {{"orient", "bottom"}}}};
    layers.add(kernels_of(*all), {{"type", "point"}, {"filled", true}, {"size", 40}},
               {{"color", colour}, {"tooltip", tooltips()}});
    layers.add_text(placed_labels(*all, frame, roofs), "label",
                    {{"align", "left"}, {"baseline", "middle"}});
    const Json specification = {{"title", all->title},
                                {"width", Frame::kWidth},
                                {"height", Frame::kHeight},
                                {"layer", layers.take()}};
    return specification.dump();
}

std::optional<std::string> roofline_svg(const std::vector<Outcome>& outcomes) {
    const std::optional<Placed> all = placed(outcomes);
    if (!all) return std::nullopt;
    return report::line_chart_svg(report::roofline_chart(*all->device, all->title, all->dots));
}

}  // namespace wideload::lab
