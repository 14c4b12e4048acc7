// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

/// Axes of charts: where values stand between their ends, and which of them are named.
namespace wideload::report {

enum class Scale : std::uint8_t { linear, log10, log2 };

struct Axis {
    std::string title;
    Scale scale = Scale::linear;
    bool bytes = false;  ///< values are named in KiB, MiB, ...
    bool tight = false;  ///< linear: ends with the greatest value, not with the next mark
};

/// An axis that holds certain values. Linear ones begin at 0, or below where values do.
class Ruler {
public:
    /// @param values  finite; of logarithmic axes those above 0 count
    Ruler(const Axis& axis, std::span<const double> values);

    /// 0 at the axis' low end, 1 at its high end. Logarithmic axes have no place for 0: it stands
    /// at the low end.
    [[nodiscard]] double share(double value) const;

    struct Mark {
        double value = 0;
        std::string label;
    };
    /// Ascending, from end to end.
    [[nodiscard]] const std::vector<Mark>& marks() const { return marks_; }

private:
    void mark_linear(double low, double high);
    void mark_powers(double low, double high);
    [[nodiscard]] std::string label(double value) const;

    Axis axis_;
    double low_ = 0, high_ = 1;
    std::vector<Mark> marks_;
};

/// "1,000", "0.25", "20 M", "5 T": short enough for an axis.
[[nodiscard]] std::string axis_figure(double value);

}  // namespace wideload::report
