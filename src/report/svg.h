// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

/// Elements of a drawing.
namespace wideload::report::svg {

struct Box {
    double x = 0, y = 0, width = 0, height = 0;
};

struct Place {
    double x = 0, y = 0;
};

/// @param style  attributes: R"(fill="red")"
[[nodiscard]] std::string rectangle(const Box& box, std::string_view style);
[[nodiscard]] std::string line(double x1, double y1, double x2, double y2, std::string_view style);
/// Straight from each place to the next.
[[nodiscard]] std::string path(std::span<const Place> places, std::string_view style);
[[nodiscard]] std::string circle(const Place& centre, double radius, std::string_view style);
/// Centred on x, its base line at y.
[[nodiscard]] std::string text(double x, double y, std::string_view words, double size);
/// The same with attributes of its own: R"(text-anchor="end")".
[[nodiscard]] std::string text(const Place& place, std::string_view words, double size,
                               std::string_view style);

/// The whole drawing, with what a reader without eyes is told. It stands inside HTML as in a file
/// of its own.
[[nodiscard]] std::string drawing(double width, double height, std::string_view content,
                                  std::string_view description);

/// One of 32 colours round the wheel, as an attribute's value.
[[nodiscard]] std::string lane_colour(unsigned lane);

}  // namespace wideload::report::svg
