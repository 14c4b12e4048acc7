// SPDX-License-Identifier: Apache-2.0
#include "lab/overlap.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>

namespace wideload::lab {
namespace {

constexpr double kTogether = 0.01;  // of the height of a plot: about a line's width

/// Where a value stands between the bottom of the plot and its top.
class Height {
public:
    Height(const Chart& chart, const ChartData& data) : logarithmic_(chart.log_y) {
        for (const Datum& datum : data.data) {
            low_ = std::min(low_, scaled(datum.y));
            high_ = std::max(high_, scaled(datum.y));
        }
        if (!logarithmic_) low_ = std::min(low_, 0.0);
    }
    [[nodiscard]] bool together(double one, double other) const {
        const double apart = std::abs(scaled(one) - scaled(other));
        return apart <= kTogether * std::max(high_ - low_, std::numeric_limits<double>::min());
    }

private:
    [[nodiscard]] double scaled(double value) const {
        return logarithmic_ ? std::log(std::max(value, std::numeric_limits<double>::min())) : value;
    }

    bool logarithmic_;
    double low_ = std::numeric_limits<double>::infinity();
    double high_ = -std::numeric_limits<double>::infinity();
};

/// The values of a series by where they stand.
using Curve = std::map<double, double>;

/// Whether two courses are together along most of what they share, so that one would hide the
/// other.
bool hide_each_other(const Curve& one, const Curve& other, const Height& height) {
    std::size_t pieces = 0, together = 0;
    std::optional<bool> before;
    for (const auto& [x, y] : one) {
        const auto partner = other.find(x);
        if (partner == other.end()) continue;
        const bool now = height.together(y, partner->second);
        if (before) {
            ++pieces;
            if (*before && now) ++together;
        }
        before = now;
    }
    return together > 0 && 2 * together >= pieces;
}

std::vector<Curve> courses_of(const ChartData& data, std::size_t series) {
    std::vector<Curve> courses(series);
    for (const Datum& datum : data.data) {
        if (datum.series < series && datum.x) courses[datum.series][*datum.x] = datum.y;
    }
    return courses;
}

/// Each line with the first of those that hide each other with it, directly or through others.
std::vector<std::size_t> groups_of(const std::vector<Curve>& courses, const Height& height) {
    std::vector<std::size_t> group(courses.size());
    std::iota(group.begin(), group.end(), std::size_t{0});
    for (std::size_t i = 0; i < courses.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            if (group[i] == group[j] || !hide_each_other(courses[i], courses[j], height)) continue;
            const auto [into, from] = std::minmax(group[i], group[j]);
            std::ranges::replace(group, from, into);
        }
    }
    return group;
}

}  // namespace

Overlaps overlaps_of(const Chart& chart, const ChartData& data) {
    const Height height(chart, data);
    std::size_t series = 0;
    for (const Datum& datum : data.data) series = std::max(series, datum.series + 1);
    const std::vector<Curve> courses = courses_of(data, series);
    const std::vector<std::size_t> groups = groups_of(courses, height);
    Overlaps found;
    for (std::size_t i = 0; i < series; ++i) {
        const auto before =
            std::count(groups.begin(), groups.begin() + static_cast<long>(i), groups[i]);
        found.turns.push_back({static_cast<std::size_t>(before),
                               static_cast<std::size_t>(std::ranges::count(groups, groups[i]))});
    }
    for (const Datum& datum : data.data) {
        std::size_t above = 0;
        for (std::size_t later = datum.series + 1; later < series; ++later) {
            const auto there = datum.x ? courses[later].find(*datum.x) : courses[later].end();
            if (there != courses[later].end() && height.together(datum.y, there->second)) ++above;
        }
        found.above.push_back(above);
    }
    return found;
}

}  // namespace wideload::lab
