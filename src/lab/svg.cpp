// SPDX-License-Identifier: Apache-2.0
#include "lab/svg.h"

#include <fmt/format.h>

#include "lab/markup.h"

namespace wideload::lab::svg {

std::string rectangle(const Box& box, std::string_view style) {
    return fmt::format(R"(<rect x="{:.1f}" y="{:.1f}" width="{:.2f}" height="{:.1f}" {}/>)", box.x,
                       box.y, box.width, box.height, style);
}

std::string line(double x1, double y1, double x2, double y2, std::string_view style) {
    return fmt::format(R"(<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" {}/>)", x1, y1, x2,
                       y2, style);
}

std::string text(double x, double y, std::string_view words, double size) {
    return fmt::format(
        R"(<text x="{:.1f}" y="{:.1f}" font-size="{:.1f}" text-anchor="middle">{}</text>)", x, y,
        size, escaped(words));
}

std::string drawing(double width, double height, std::string_view content,
                    std::string_view description) {
    return fmt::format(
        R"(<svg class="picture" viewBox="0 0 {:.0f} {:.0f}" role="img" aria-label="{}">{}</svg>)",
        width, height, escaped(description), content);
}

std::string lane_colour(unsigned lane) {
    constexpr unsigned kLanes = 32, kCircle = 360;
    return fmt::format("hsl({} 65% 55%)", lane % kLanes * kCircle / kLanes);
}

}  // namespace wideload::lab::svg
