// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

/// Elements of a drawing.
namespace wideload::lab::svg {

struct Box {
    double x = 0, y = 0, width = 0, height = 0;
};

/// @param style  attributes: R"(fill="red")"
[[nodiscard]] std::string rectangle(const Box& box, std::string_view style);
[[nodiscard]] std::string line(double x1, double y1, double x2, double y2, std::string_view style);
/// Centred on x, its base line at y.
[[nodiscard]] std::string text(double x, double y, std::string_view words, double size);

/// The whole drawing, with what a reader without eyes is told.
[[nodiscard]] std::string drawing(double width, double height, std::string_view content,
                                  std::string_view description);

/// One of 32 colours round the wheel, as an attribute's value.
[[nodiscard]] std::string lane_colour(unsigned lane);

}  // namespace wideload::lab::svg
