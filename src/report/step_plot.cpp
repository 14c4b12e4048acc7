// SPDX-License-Identifier: Apache-2.0
#include "report/step_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "report/layout.h"
#include "report/words.h"

namespace wideload::report {
namespace {

constexpr std::size_t kStepColumns = 64, kStepRows = 8;
/// A column's uppermost cell by eighths; the empty one first.
constexpr std::array<std::string_view, 9> kEighths = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

std::string value_words(model::Axis axis, std::uint64_t value) {
    return axis == model::Axis::shared ? byte_words(value) : grouped(value);
}

/// Columns stand for equal runs of values; each shows its run's last value, so that multiples of
/// the allocation unit stand where they belong.
class StepScale {
public:
    explicit StepScale(std::uint64_t last) : last_(last) {}
    [[nodiscard]] std::uint64_t value_of(std::size_t column) const {
        return std::max<std::uint64_t>(1, (column + 1) * last_ / kStepColumns);
    }
    [[nodiscard]] std::size_t column_of(std::uint64_t value) const {
        std::size_t column = 0;
        while (column + 1 < kStepColumns && value_of(column) < value) ++column;
        return column;
    }

private:
    std::uint64_t last_;
};

std::uint32_t warps_at(const std::vector<model::Step>& steps, std::uint64_t value) {
    const auto step = std::ranges::lower_bound(steps, value, {}, &model::Step::last);
    return step == steps.end() ? 0 : step->occupancy.warps;
}

}  // namespace

std::string_view axis_words(model::Axis axis) {
    switch (axis) {
        case model::Axis::threads:
            return "threads a block";
        case model::Axis::registers:
            return "registers a thread";
        case model::Axis::shared:
            return "shared memory a block";
    }
    return {};
}

std::string step_plot(const model::OccupancyStudy& study, model::Axis axis) {
    const std::vector<model::Step>& steps = study.steps[static_cast<std::size_t>(axis)];
    // A register is never without its neighbours: 256 columns' worth keep multiples of 4 in place.
    const StepScale scale(axis == model::Axis::registers ? steps.back().last + 1
                                                         : steps.back().last);
    const std::uint32_t most = study.device->limits().max_warps();
    std::string text = fmt::format("  occupancy over {}\n", axis_words(axis));
    for (std::size_t row = kStepRows; row-- > 0;) {
        text += row % 2 == 1 ? fmt::format("  {:>4} % ┤", (row + 1) * 100 / kStepRows)
                             : std::string("         │");
        for (std::size_t column = 0; column < kStepColumns; ++column) {
            // In eighths of a row, above this row's floor.
            const std::size_t height =
                std::size_t{warps_at(steps, scale.value_of(column))} * kStepRows * 8 / most;
            text += kEighths[std::clamp<std::size_t>(height, row * 8, row * 8 + 8) - row * 8];
        }
        while (text.ends_with(' ')) text.pop_back();
        text += '\n';
    }
    const std::uint64_t value = model::value_on(axis, study.resources);
    const std::size_t arrow = scale.column_of(value);
    std::string axis_line;
    for (std::size_t column = 0; column < kStepColumns; ++column) {
        axis_line += column == arrow ? "↑" : "─";
    }
    text += "         └" + axis_line + '\n';
    const std::string here = value_words(axis, value);
    const std::string end = value_words(axis, steps.back().last);
    const std::size_t room = kStepColumns - std::min(kStepColumns, display_width(end) + 1);
    const std::size_t at = std::min(arrow, room - std::min(room, display_width(here) + 1));
    text += "          " +
            pad_right(std::string(at, ' ') + here, kStepColumns - display_width(end)) + end + '\n';
    return text;
}

}  // namespace wideload::report
