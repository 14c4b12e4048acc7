// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "lab/picture.h"
#include "report/svg.h"

namespace wideload::lab {
namespace {

namespace svg = report::svg;

constexpr std::uint32_t kLanes = 32;
constexpr double kWidth = 760, kLargestCell = 22, kTop = 4, kSliceGap = 12;

/// Neighbouring warps are told apart by hue, lanes of a warp are not.
std::string warp_colour(std::uint32_t warp) {
    constexpr unsigned kStep = 137;  // degrees of the golden angle: no two neighbours are alike
    return fmt::format(R"svg(fill="hsl({} 60% 70%)" stroke="#fff")svg", warp * kStep % 360);
}

}  // namespace

std::string threads_picture(const std::array<std::uint32_t, 3>& block) {
    const auto [across, down, deep] = block;
    const double columns = static_cast<double>(across) * deep;
    const double cell =
        std::min(kLargestCell, (kWidth - kSliceGap * (deep - 1)) / std::max(columns, 1.0));
    std::string content;
    for (std::uint32_t z = 0; z < deep; ++z) {
        const double left = z * (across * cell + kSliceGap);
        for (std::uint32_t y = 0; y < down; ++y) {
            for (std::uint32_t x = 0; x < across; ++x) {
                const std::uint32_t thread = (z * down + y) * across + x;
                const double cell_left = left + x * cell, cell_top = kTop + y * cell;
                content +=
                    svg::rectangle({cell_left, cell_top, cell, cell}, warp_colour(thread / kLanes));
                if (cell < 14) continue;
                content += svg::text(cell_left + cell / 2, cell_top + cell * 0.68,
                                     std::to_string(thread % kLanes), cell * 0.45);
            }
        }
    }
    const std::uint32_t threads = across * down * deep;
    const std::uint32_t warps = (threads + kLanes - 1) / kLanes;
    const std::uint32_t last = threads % kLanes;
    std::string caption = fmt::format("{} × {} × {} threads: {} {}", across, down, deep, warps,
                                      warps == 1 ? "warp" : "warps");
    if (last != 0) caption += fmt::format(", the last with {} of 32 lanes", last);
    const double bottom = kTop + down * cell;
    content += svg::text(kWidth / 2, bottom + 18, caption, 13);
    return svg::drawing(kWidth, bottom + 26, content, caption);
}

}  // namespace wideload::lab
