// SPDX-License-Identifier: Apache-2.0
#include "report/label_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "report/layout.h"

namespace wideload::report {
namespace {

constexpr double kFontSize = 10, kLetterWidth = 6, kBetween = 3, kDot = 3;
constexpr double kBeside = 9, kFarthest = 160, kRing = 7;
constexpr int kDirections = 16;

bool overlap(const svg::Box& one, const svg::Box& other) {
    return one.x < other.x + other.width && other.x < one.x + one.width &&
           one.y < other.y + other.height && other.y < one.y + one.height;
}

}  // namespace

void LabelPlaces::avoid(const svg::Place& dot) {
    taken_.push_back({dot.x - kDot, dot.y - kDot, 2 * kDot, 2 * kDot});
}

bool LabelPlaces::is_free(const svg::Box& box) const {
    if (box.x < area_.x || box.x + box.width > area_.x + area_.width) return false;
    if (box.y < area_.y || box.y + box.height > area_.y + area_.height) return false;
    return std::ranges::none_of(taken_, [&](const svg::Box& one) { return overlap(one, box); });
}

std::string LabelPlaces::draw(const svg::Place& dot, const std::string& label,
                              const std::string& colour) {
    const double width = static_cast<double>(display_width(label)) * kLetterWidth + kBetween;
    const auto box_at = [&](double distance, int direction) {
        const double angle = 2 * std::numbers::pi * direction / kDirections;
        const double x = dot.x + std::cos(angle) * (distance + width / 2 - kLetterWidth / 2);
        const double y = dot.y - std::sin(angle) * distance;
        return svg::Box{x - width / 2, y - kFontSize / 2, width, kFontSize};
    };
    double distance = kBeside;
    svg::Box box = box_at(distance, 0);
    for (bool found = is_free(box); !found && distance < kFarthest; distance += kRing) {
        for (int direction = 0; direction < kDirections && !found; ++direction) {
            const svg::Box candidate = box_at(distance, direction);
            found = is_free(candidate);
            if (found) box = candidate;
        }
        if (found) break;
    }
    taken_.push_back(box);
    const svg::Place middle{box.x + box.width / 2, box.y + box.height / 2};
    std::string content;
    if (distance > kBeside) {
        content = svg::line(dot.x, dot.y, middle.x, middle.y,
                            fmt::format(R"(stroke="{}" stroke-opacity="0.5")", colour));
    }
    return content + svg::text({middle.x, middle.y + kFontSize * 0.35}, label, kFontSize,
                               fmt::format(R"(text-anchor="middle" fill="{}")", colour));
}

}  // namespace wideload::report
