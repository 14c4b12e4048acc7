// SPDX-License-Identifier: Apache-2.0
#include "report/svg.h"

#include <fmt/format.h>

#include "report/markup.h"

namespace wideload::report::svg {
namespace {

/// To a tenth, without a dot that says nothing: drawings have thousands of these.
std::string tenths(double value) {
    std::string digits = fmt::format("{:.1f}", value);
    if (digits.ends_with(".0")) digits.resize(digits.size() - 2);
    return digits == "-0" ? "0" : digits;
}

}  // namespace

std::string rectangle(const Box& box, std::string_view style) {
    return fmt::format(R"(<rect x="{}" y="{}" width="{}" height="{}" {}/>)", tenths(box.x),
                       tenths(box.y), tenths(box.width), tenths(box.height), style);
}

std::string line(double x1, double y1, double x2, double y2, std::string_view style) {
    return fmt::format(R"(<line x1="{}" y1="{}" x2="{}" y2="{}" {}/>)", tenths(x1), tenths(y1),
                       tenths(x2), tenths(y2), style);
}

std::string path(std::span<const Place> places, std::string_view style) {
    std::string steps;
    for (const Place& place : places) {
        steps +=
            fmt::format("{}{} {}", steps.empty() ? "M" : "L", tenths(place.x), tenths(place.y));
    }
    return fmt::format(R"(<path d="{}" fill="none" {}/>)", steps, style);
}

std::string circle(const Place& centre, double radius, std::string_view style) {
    return fmt::format(R"(<circle cx="{}" cy="{}" r="{}" {}/>)", tenths(centre.x), tenths(centre.y),
                       tenths(radius), style);
}

std::string text(double x, double y, std::string_view words, double size) {
    return text({x, y}, words, size, R"(text-anchor="middle")");
}

std::string text(const Place& place, std::string_view words, double size, std::string_view style) {
    return fmt::format(R"(<text x="{}" y="{}" font-size="{}" {}>{}</text>)", tenths(place.x),
                       tenths(place.y), tenths(size), style, escaped(words));
}

std::string drawing(double width, double height, std::string_view content,
                    std::string_view description) {
    return fmt::format(
        R"(<svg xmlns="http://www.w3.org/2000/svg" class="picture" viewBox="0 0 {0} {1}" )"
        R"(font-family="sans-serif" role="img" aria-label="{2}">)"
        R"(<rect width="{0}" height="{1}" fill="#fff"/>{3}</svg>)",
        tenths(width), tenths(height), escaped(description), content);
}

std::string lane_colour(unsigned lane) {
    constexpr unsigned kLanes = 32, kCircle = 360;
    return fmt::format("hsl({} 65% 55%)", lane % kLanes * kCircle / kLanes);
}

}  // namespace wideload::report::svg
