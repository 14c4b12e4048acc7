// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/record.h"

/// What a chart shows, whoever draws it: Vega in the page, SVG files elsewhere.
namespace wideload::lab {

struct NamedAxis {
    std::string title, unit;

    [[nodiscard]] bool is_binary() const { return unit == "bytes"; }
    /// With its unit, but where labels in KiB and MiB name it.
    [[nodiscard]] std::string full_title() const;
};

struct Datum {
    std::size_t series = 0;   ///< of the description; past its end: one that it does not name
    std::string title;        ///< of the series
    std::optional<double> x;  ///< nothing in a chart over the series
    double y = 0;
};

struct ChartData {
    NamedAxis x, y;
    bool over_series = false;
    std::vector<Datum> data;  ///< in the order of the points

    /// What a bar is called: the series, the parameter's value, or both where there are several of
    /// each.
    [[nodiscard]] std::string bar_label(const Datum& datum) const;
};

/// Between which data a chart of steps may draw a level line: by datum the number of its run, in
/// which neighbours lie 1 apart, so that there is nothing between them that was not measured.
[[nodiscard]] std::vector<std::size_t> runs_of(const ChartData& data);

/// Nothing where the results lack the chart's metric.
[[nodiscard]] std::optional<ChartData> data_of(const Chart& chart, const Outcome& outcome);

}  // namespace wideload::lab
