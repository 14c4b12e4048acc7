// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

#include "lab/picture.h"
#include "report/svg.h"

namespace wideload::lab {
namespace {

namespace svg = report::svg;

constexpr double kWidth = 760, kTop = 4, kLargestCell = 22;

std::string wave_colour(std::size_t wave) {
    constexpr std::size_t kStep = 137;  // degrees of the golden angle: no two neighbours are alike
    return fmt::format(R"svg(fill="hsl({} 60% 70%)" stroke="#fff")svg", wave * kStep % 360);
}

}  // namespace

std::string blocks_picture(std::span<const double> multiprocessors, std::size_t resident) {
    std::map<double, std::size_t> held;  // blocks that each multiprocessor has had so far
    for (const double multiprocessor : multiprocessors) held[multiprocessor] = 0;
    const double cell =
        std::min(kLargestCell, kWidth / static_cast<double>(std::max<std::size_t>(held.size(), 1)));
    std::map<double, double> left;
    for (const auto& [multiprocessor, _] : held) {
        left[multiprocessor] = static_cast<double>(left.size()) * cell;
    }
    std::string content;
    std::size_t deepest = 0;
    for (std::size_t block = 0; block < multiprocessors.size(); ++block) {
        const double multiprocessor = multiprocessors[block];
        const std::size_t row = held[multiprocessor]++;
        const double x = left[multiprocessor], y = kTop + static_cast<double>(row) * cell;
        content += svg::rectangle({x, y, cell, cell},
                                  wave_colour(block / std::max<std::size_t>(resident, 1)));
        if (cell >= 14) {
            content += svg::text(x + cell / 2, y + cell * 0.68, std::to_string(block), cell * 0.4);
        }
        deepest = std::max(deepest, row + 1);
    }
    const double bottom = kTop + static_cast<double>(deepest) * cell;
    const std::string caption = fmt::format(
        "{} blocks on {} multiprocessors, one column each; at most {} on one, coloured by "
        "waves of {}",
        multiprocessors.size(), held.size(), deepest, resident);
    content += svg::text(kWidth / 2, bottom + 18, caption, 13);
    return svg::drawing(kWidth, bottom + 26, content, caption);
}

}  // namespace wideload::lab
