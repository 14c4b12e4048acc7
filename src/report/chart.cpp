// SPDX-License-Identifier: Apache-2.0
#include "report/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "report/label_places.h"
#include "report/layout.h"
#include "report/svg.h"

namespace wideload::report {
namespace {

constexpr double kWidth = 760;
constexpr double kLeft = 74, kRight = 24, kTop = 36, kUnderPlot = 44;
constexpr double kRow = 18, kTitleSize = 15, kTextSize = 12, kKeySize = 10;
constexpr double kSample = 36;  // of a line, in the legend
constexpr const char* kGrid = R"(stroke="#ddd")";
constexpr const char* kMiddle = R"(text-anchor="middle" fill="#333")";
constexpr const char* kEnd = R"(text-anchor="end" fill="#333")";

/// Told apart by those who see colours differently, too; further series begin anew.
constexpr std::array<const char*, 13> kColours = {
    "#1f77b4", "#d95f02", "#2a8a3f", "#8c4fb0", "#b8860b", "#c2185b", "#00838f",
    "#5d4037", "#607d8b", "#7cb342", "#303f9f", "#e57373", "#000000"};

const char* colour_of(std::size_t number) { return kColours[number % kColours.size()]; }

/// A piece of a drawing, from its own upper edge downwards.
struct Part {
    std::string content;
    double height = 0;
};

double text_width(std::string_view words, double size = kTextSize) {
    constexpr double kLetterWidth = 0.53;  // of the size
    return static_cast<double>(display_width(words)) * kLetterWidth * size;
}

std::string moved_down(double distance, std::string_view content) {
    return fmt::format(R"svg(<g transform="translate(0 {})">{}</g>)svg", distance, content);
}

std::string title_of(const std::string& title) {
    return svg::text({kLeft, 20}, title, kTitleSize, R"(fill="#222")");
}

/// Rows of words in as many columns as the longest allows.
template <class Item, class Draw>
Part in_columns(const std::vector<Item>& items, double widest, double row_height, Draw draw) {
    constexpr double kEdge = 12;
    const auto columns = std::clamp<std::size_t>(
        static_cast<std::size_t>((kWidth - 2 * kEdge) / std::max(widest, 1.0)), 1, 4);
    const std::size_t rows = (items.size() + columns - 1) / columns;
    const double column_width = (kWidth - 2 * kEdge) / static_cast<double>(columns);
    Part part;
    for (std::size_t i = 0; i < items.size(); ++i) {
        // Down the columns, so that the order can be read.
        const std::size_t column = i / rows, row = i % rows;
        const svg::Place at{kEdge + static_cast<double>(column) * column_width,
                            static_cast<double>(row) * row_height + kTextSize};
        part.content += draw(items[i], at);
    }
    part.height = static_cast<double>(rows) * row_height;
    return part;
}

/// As an attribute with a space before it; nothing for a solid line.
std::string dashes_of(const DashTurn& turn) {
    const std::vector<double> pattern = turn.pattern();
    if (pattern.empty()) return {};
    return fmt::format(R"( stroke-dasharray="{}")", fmt::join(pattern, " "));
}

/// What a line looks like, for the legend.
std::string sample_of(const ChartLine& line, const svg::Place& at) {
    const char* colour = colour_of(line.colour);
    std::string dot =
        svg::circle({at.x + kSample / 2, at.y}, dot_radius(0), fmt::format(R"(fill="{}")", colour));
    if (line.mark == LineMark::points) return dot;
    const std::array<svg::Place, 2> ends = {{{at.x, at.y}, {at.x + kSample, at.y}}};
    const std::string stroke = svg::path(
        ends, fmt::format(R"(stroke="{}" stroke-width="2"{})", colour, dashes_of(line.turn)));
    return line.mark == LineMark::line ? stroke + dot : stroke;
}

class Plot {
public:
    explicit Plot(const LineChart& chart)
        : chart_(chart), x_(chart.x, values(&ChartPoint::x)), y_(chart.y, values(&ChartPoint::y)) {}

    [[nodiscard]] Part draw() const {
        Part part{title_of(chart_.title) + grid(), kTop + chart_.plot_height + kUnderPlot};
        for (const ChartLine& line : chart_.lines) part.content += draw(line);
        part.content += labels();
        append(part, legend());
        append(part, key());
        return part;
    }

private:
    [[nodiscard]] std::vector<double> values(double ChartPoint::* member) const {
        std::vector<double> all;
        for (const ChartLine& line : chart_.lines) {
            for (const ChartPoint& point : line.points) all.push_back(point.*member);
        }
        return all;
    }
    [[nodiscard]] svg::Place place(double x, double y) const {
        return {kLeft + x_.share(x) * (kWidth - kLeft - kRight),
                kTop + (1 - y_.share(y)) * chart_.plot_height};
    }
    /// Logarithmic axes have no place for what is not above 0.
    [[nodiscard]] bool has_place(const ChartPoint& point) const {
        return (chart_.x.scale == Scale::linear || point.x > 0) &&
               (chart_.y.scale == Scale::linear || point.y > 0);
    }
    static void append(Part& part, const Part& below) {
        if (below.content.empty()) return;
        part.content += moved_down(part.height, below.content);
        part.height += below.height + 8;
    }
    [[nodiscard]] std::string grid() const {
        const double right = kWidth - kRight, bottom = kTop + chart_.plot_height;
        std::string content;
        for (const Ruler::Mark& mark : y_.marks()) {
            const double y = kTop + (1 - y_.share(mark.value)) * chart_.plot_height;
            content += svg::line(kLeft, y, right, y, kGrid) +
                       svg::text({kLeft - 6, y + 4}, mark.label, kTextSize, kEnd);
        }
        for (const Ruler::Mark& mark : x_.marks()) {
            const double x = kLeft + x_.share(mark.value) * (right - kLeft);
            content += svg::line(x, kTop, x, bottom, kGrid) +
                       svg::text({x, bottom + 16}, mark.label, kTextSize, kMiddle);
        }
        content +=
            svg::text({(kLeft + right) / 2, bottom + 35}, chart_.x.title, kTextSize, kMiddle);
        const double middle = kTop + chart_.plot_height / 2;
        return content +
               svg::text({14, middle}, chart_.y.title, kTextSize,
                         fmt::format(R"svg(transform="rotate(-90 14 {})" {})svg", middle, kMiddle));
    }
    [[nodiscard]] std::string draw(const ChartLine& line) const {
        std::vector<svg::Place> corners;
        std::string dots;
        const std::string colour = line.mark == LineMark::roof ? "#888" : colour_of(line.colour);
        for (const ChartPoint& point : line.points) {
            if (!has_place(point)) continue;
            const svg::Place here = place(point.x, point.y);
            if (line.mark == LineMark::step && !corners.empty()) {
                corners.push_back({here.x, corners.back().y});
            }
            corners.push_back(here);
            if (line.mark == LineMark::line || line.mark == LineMark::points) {
                dots +=
                    svg::circle(here, dot_radius(point.above), fmt::format(R"(fill="{}")", colour));
            }
        }
        if (line.mark == LineMark::points || corners.empty()) return dots;
        const double width = line.mark == LineMark::roof ? 1 : 2;
        std::string content = svg::path(corners, fmt::format(R"(stroke="{}" stroke-width="{}"{})",
                                                             colour, width, dashes_of(line.turn)));
        if (line.mark == LineMark::roof) content += roof_name(line.title, corners);
        return content + dots;
    }
    /// Along the line, ending where it ends.
    static std::string roof_name(const std::string& name, const std::vector<svg::Place>& corners) {
        const svg::Place from = corners.front(), to = corners.back();
        const double angle = std::atan2(to.y - from.y, to.x - from.x) * 180 / std::numbers::pi;
        return svg::text(
            {to.x - 4, to.y - 4}, name, kKeySize,
            fmt::format(
                R"svg(transform="rotate({:.1f} {:.1f} {:.1f})" text-anchor="end" fill="#666")svg",
                angle, to.x, to.y));
    }
    /// A level roof and its name, on which dots at their bounds lie.
    void avoid_level(const ChartLine& roof, LabelPlaces& places) const {
        const svg::Place from = place(roof.points.front().x, roof.points.front().y);
        const svg::Place to = place(roof.points.back().x, roof.points.back().y);
        if (from.y != to.y) return;
        const double name = text_width(roof.title, kKeySize) + 8;
        places.avoid(svg::Box{from.x, from.y - 1, to.x - from.x, 2});
        places.avoid(svg::Box{to.x - name, to.y - 4 - kKeySize, name, kKeySize});
    }
    [[nodiscard]] std::string labels() const {
        LabelPlaces places({kLeft, kTop, kWidth - kLeft - kRight, chart_.plot_height});
        const auto each = [&](auto visit) {
            for (const ChartLine& line : chart_.lines) {
                for (const ChartPoint& point : line.points) {
                    if (!point.label.empty() && has_place(point)) visit(line, point);
                }
            }
        };
        each([&](const ChartLine&, const ChartPoint& point) {
            places.avoid(place(point.x, point.y));
        });
        for (const ChartLine& line : chart_.lines) {
            if (line.mark == LineMark::roof) avoid_level(line, places);
        }
        std::string content;
        each([&](const ChartLine& line, const ChartPoint& point) {
            content += places.draw(place(point.x, point.y), point.label, colour_of(line.colour));
        });
        return content;
    }
    [[nodiscard]] Part legend() const {
        std::vector<const ChartLine*> named;
        double widest = 0;
        for (const ChartLine& line : chart_.lines) {
            if (line.mark == LineMark::roof || line.title.empty()) continue;
            named.push_back(&line);
            widest = std::max(widest, text_width(line.title) + kSample + 16);
        }
        return in_columns(named, widest, kRow, [](const ChartLine* line, const svg::Place& at) {
            return sample_of(*line, {at.x, at.y - 4}) +
                   svg::text({at.x + kSample + 6, at.y}, line->title, kTextSize, R"(fill="#333")");
        });
    }
    [[nodiscard]] Part key() const {
        double widest = 0;
        for (const std::string& entry : chart_.key)
            widest = std::max(widest, text_width(entry, kKeySize));
        return in_columns(chart_.key, widest + 4, kKeySize * 1.4,
                          [](const std::string& entry, const svg::Place& at) {
                              return svg::text(at, entry, kKeySize, R"(fill="#333")");
                          });
    }

    const LineChart& chart_;
    Ruler x_, y_;
};

}  // namespace

std::vector<double> DashTurn::pattern() const {
    constexpr double kDash = 8;
    if (number == 0) return {};
    const auto before = static_cast<double>(number - 1),
               after = static_cast<double>(lines - number);
    // A dash of no length puts a gap in front.
    return {0, kDash * before, kDash, kDash * after};
}

double dot_radius(std::size_t above) {
    constexpr std::size_t kMostRings = 3;
    return 3 + 1.5 * static_cast<double>(std::min(above, kMostRings));
}

std::string line_charts_svg(std::span<const LineChart> charts) {
    std::string content, titles;
    double height = 0;
    for (const LineChart& chart : charts) {
        const Part part = Plot(chart).draw();
        content += moved_down(height, part.content);
        height += part.height;
        titles += (titles.empty() ? "" : "; ") + chart.title;
    }
    return svg::drawing(kWidth, height, content, titles) + '\n';
}

std::string line_chart_svg(const LineChart& chart) { return line_charts_svg({&chart, 1}); }

std::string bar_chart_svg(const BarChart& chart) {
    constexpr double kMostLabel = 300, kFigure = 70, kBar = 13;
    double label = 0;
    std::vector<double> values;
    for (const Bar& bar : chart.bars) {
        label = std::max(label, text_width(bar.label) + 16);
        values.push_back(bar.value);
    }
    const Ruler ruler(chart.axis, values);
    const double left = std::min(label, kMostLabel), width = kWidth - left - kFigure;
    std::string content = svg::text({16, 20}, chart.title, kTitleSize, R"(fill="#222")");
    double y = kTop;
    for (const Bar& bar : chart.bars) {
        const double length = ruler.share(bar.value) * width;
        content += svg::text({left - 6, y + 11}, bar.label, kTextSize, kEnd) +
                   svg::rectangle({left, y, length, kBar},
                                  fmt::format(R"(fill="{}")", colour_of(bar.colour))) +
                   svg::text({left + length + 6, y + 11}, bar.figure, kTextSize, R"(fill="#333")");
        y += kRow;
    }
    content += svg::line(left, kTop - 4, left, y, R"(stroke="#888")");
    if (!chart.axis.title.empty()) {
        content += svg::text({left + width / 2, y + 16}, chart.axis.title, kTextSize, kMiddle);
        y += kRow;
    }
    return svg::drawing(kWidth, y + 8, content, chart.title) + '\n';
}

}  // namespace wideload::report
