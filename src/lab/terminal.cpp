// SPDX-License-Identifier: Apache-2.0
#include "lab/terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lab/bounds.h"
#include "lab/chart_data.h"
#include "lab/claim.h"
#include "lab/figures.h"
#include "lab/join.h"
#include "lab/roofline_table.h"
#include "lab/staircase.h"
#include "lab/table.h"
#include "lab/table_text.h"
#include "report/layout.h"

namespace wideload::lab {
namespace {

using report::display_width;
using report::pad_right;
using report::Style;

/// A chart's points as bars, the longest as long as there is room.
std::string bars(const Chart& chart, const Outcome& outcome) {
    constexpr std::size_t kMostBars = 24;
    constexpr double kLongest = 40;
    const std::optional<ChartData> data = data_of(chart, outcome);
    if (!data || data->data.size() > kMostBars) return {};
    double highest = 0;
    std::size_t width = 0;
    for (const Datum& datum : data->data) {
        highest = std::max(highest, datum.y);
        width = std::max(width, display_width(data->bar_label(datum)));
    }
    if (!(highest > 0)) return {};
    std::string text = "  " + chart.title + "\n";
    for (const Datum& datum : data->data) {
        const auto length = static_cast<std::size_t>(std::lround(datum.y / highest * kLongest));
        std::string bar;
        for (std::size_t part = 0; part < length; ++part) bar += "█";
        text += fmt::format("  {}  {} {}\n", pad_right(data->bar_label(datum), width), bar,
                            figure(datum.y));
    }
    return text + '\n';
}

std::string first_chart(const Outcome& outcome) {
    for (const Chart& chart : outcome.description.charts) {
        std::string text = bars(chart, outcome);
        if (!text.empty()) return text;
    }
    return {};
}

/// Each staircase with a line for the GPUs that share its course.
std::string staircase_text(const Outcome& outcome, const TerminalLook& look) {
    std::string text;
    for (const Staircase& staircase : outcome.description.staircases) {
        text += "  " + staircase.title + ": % up to\n";
        for (const Course& course : courses_of(staircase)) {
            std::string gpus;
            for (const arch::Device* device : course.devices) {
                gpus += (gpus.empty() ? "" : ", ") + std::string(device->key);
            }
            text +=
                "    " + report::shortened(gpus + ": " + words(course), look.columns - 4) + "\n";
        }
        text += '\n';
    }
    return text;
}

std::string verdict_text(const Outcome& outcome, const TerminalLook& look, const Style& style) {
    std::string text;
    for (const Verdict& verdict : verdicts(outcome)) {
        const std::string lines = report::wrapped(verdict.sentence, "    ", look.columns);
        text += "  " + (verdict.holds ? style.good("✓") : style.bad("✗")) + lines.substr(3);
    }
    return text;
}

std::string difference_text(const Outcome& outcome, const TerminalLook& look, const Style& style) {
    const std::vector<Difference> all = differences(outcome.results);
    const std::size_t expected = checked_counts(outcome.results);
    if (all.empty()) {
        if (expected == 0) return {};
        return fmt::format("  All {} counts are what the formulas of their launches say.\n",
                           figure(static_cast<double>(expected)));
    }
    std::string text;
    for (const Difference& difference : all) {
        text += style.bad(report::wrapped(words(difference, outcome), "  ", look.columns));
    }
    return text;
}

/// The least time that the GPU's peak rates allow the largest point of each series, by what was
/// counted; a real GPU's times are in the table of the points.
Table bounds_table(const Outcome& outcome) {
    Table table;
    table.heads = {"series", "at", "at least, µs", "limited by"};
    table.text_columns = table.key_columns = 2;
    table.notes = {true, true, false, true};
    if (!outcome.results.machine.is_virtual) return table;
    for (const Point* point : largest_points(outcome)) {
        table.rows.push_back({std::string(outcome.description.series_title(point->series)),
                              words(point->parameters, outcome.description),
                              figure(point->facts.at("bound_us")), point->notes.at("binding")});
    }
    return table;
}

/// Of the roofline what fits: kernels are known by their names, not by their numbers in a figure.
Table kernels_table(const std::vector<Outcome>& outcomes) {
    Table table;
    table.heads = {"experiment", "kernel", "operations a byte", "bound, µs", "limited by"};
    table.text_columns = table.key_columns = 2;
    for (const Spot& spot : spots_of(outcomes)) {
        table.rows.push_back({spot.experiment, spot.series, figure(spot.intensity),
                              figure(spot.bound_us), spot.binding});
    }
    return table;
}

}  // namespace

std::string terminal_list(const std::vector<Program>& programs, const TerminalLook& look) {
    std::size_t width = 0;
    for (const Program& program : programs) {
        width = std::max(width, program.description.name.size());
    }
    std::string text;
    for (const Program& program : programs) {
        const Description& description = program.description;
        text += fmt::format(
            "{}  {}\n", pad_right(description.name, width),
            report::shortened(description.title, look.columns - std::min(look.columns, width + 2)));
    }
    return text;
}

std::string terminal_text(const Outcome& outcome, const TerminalLook& look) {
    const Style style(look.colour);
    const Description& description = outcome.description;
    std::string text = style.bold(description.title) + "\n";
    text += style.dim(machine_words(outcome.results)) + "\n\n";
    text += report::wrapped(description.question, "", look.columns) + "\n";
    text += table_text(table_of(outcome), style, look.columns) + "\n";
    const Table summary = summary_of(outcome);
    if (!summary.rows.empty()) text += table_text(summary, style, look.columns) + "\n";
    const Table bounds = bounds_table(outcome);
    if (!bounds.rows.empty()) text += table_text(bounds, style, look.columns) + "\n";
    text += first_chart(outcome);
    text += staircase_text(outcome, look);
    text += verdict_text(outcome, look, style);
    return text + difference_text(outcome, look, style);
}

std::string roofline_text(const std::vector<Outcome>& outcomes, const TerminalLook& look) {
    const Style style(look.colour);
    const auto part = [&](const char* title, const Table& table, const std::string& sentence) {
        if (table.rows.empty()) return std::string{};
        return style.bold(title) + "\n" + table_text(table, style, look.columns) +
               (sentence.empty() ? "" : report::wrapped(sentence, "  ", look.columns));
    };
    const std::string kernels =
        part("Every kernel on the roofline", kernels_table(outcomes), roofline_words(outcomes));
    const std::string traffic =
        part("What DRAM moved", traffic_table(outcomes), traffic_words(outcomes));
    return kernels + (kernels.empty() || traffic.empty() ? "" : "\n") + traffic;
}

}  // namespace wideload::lab
