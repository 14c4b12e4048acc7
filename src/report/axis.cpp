// SPDX-License-Identifier: Apache-2.0
#include "report/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "report/words.h"

namespace wideload::report {
namespace {

constexpr double kMostMarks = 8;
constexpr double kSmallestLogarithm = 1e-12;

/// The least of 1, 2 and 5 times a power of ten that is no smaller.
double round_step(double step) {
    const double power = std::pow(10, std::floor(std::log10(step)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * power >= step * (1 - 1e-9)) return factor * power;
    }
    return 10 * power;
}

}  // namespace

std::string axis_figure(double value) {
    constexpr std::pair<double, const char*> kUnits[] = {
        {1e15, " P"}, {1e12, " T"}, {1e9, " G"}, {1e6, " M"}};
    for (const auto& [unit, name] : kUnits) {
        if (value >= unit) return fmt::format("{:.4g}{}", value / unit, name);
    }
    if (value >= 1000) return grouped(static_cast<std::uint64_t>(std::llround(value)));
    return fmt::format("{:.4g}", value);
}

Ruler::Ruler(const Axis& axis, std::span<const double> values) : axis_(axis) {
    const bool logarithmic = axis.scale != Scale::linear;
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const double value : values) {
        if (!std::isfinite(value) || (logarithmic && value <= 0)) continue;
        low = std::min(low, value);
        high = std::max(high, value);
    }
    if (low > high) low = high = 1;
    if (logarithmic) {
        mark_powers(std::max(low, kSmallestLogarithm), std::max(high, kSmallestLogarithm));
    } else {
        mark_linear(std::min(low, 0.0), std::max(high, 0.0));
    }
}

double Ruler::share(double value) const {
    if (axis_.scale == Scale::linear) return (value - low_) / (high_ - low_);
    if (value <= low_) return 0;
    return std::log(value / low_) / std::log(high_ / low_);
}

void Ruler::mark_linear(double low, double high) {
    if (low == high) high = 1;
    double step = round_step((high - low) / kMostMarks);
    if (axis_.bytes) step = std::exp2(std::ceil(std::log2((high - low) / kMostMarks)));
    const auto first = static_cast<long>(std::floor(low / step + 1e-9));
    const auto last = static_cast<long>(std::ceil(high / step - 1e-9));
    for (long i = first; i <= last; ++i) {
        const double value = static_cast<double>(i) * step;
        marks_.push_back({value, label(value)});
    }
    low_ = marks_.front().value;
    high_ = marks_.back().value;
    if (axis_.tight && high_ > high && marks_.size() > 2) {
        marks_.pop_back();
        high_ = high;
    }
}

void Ruler::mark_powers(double low, double high) {
    const double base = axis_.scale == Scale::log2 ? 2 : 10;
    const double first = std::floor(std::log(low) / std::log(base) + 1e-9);
    const double last = std::max(std::ceil(std::log(high) / std::log(base) - 1e-9), first + 1);
    const double step = std::ceil((last - first) / (kMostMarks + 2));
    for (double power = first; power <= last; power += step) {
        const double value = std::pow(base, power);
        marks_.push_back({value, label(value)});
    }
    low_ = std::pow(base, first);
    high_ = std::pow(base, last);
}

std::string Ruler::label(double value) const {
    if (!axis_.bytes || value < 0) return axis_figure(value);
    std::string words = byte_words(static_cast<std::uint64_t>(value));
    // "4.00 KiB" is "4 KiB" on an axis.
    const std::size_t dot = words.find('.'), space = words.find(' ');
    if (dot != std::string::npos && space != std::string::npos &&
        words.find_first_not_of('0', dot + 1) == space) {
        words.erase(dot, space - dot);
    }
    return words;
}

}  // namespace wideload::report
