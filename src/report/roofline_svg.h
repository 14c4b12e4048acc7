// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "model/roofline.h"
#include "report/chart.h"

namespace wideload::report {

/// A GPU's roofs as places on a roofline: operations a byte, operations a second.
struct RoofLine {
    std::string name;
    std::vector<ChartPoint> ends;  ///< of one straight line between logarithmic axes
};

/// Memory's roofs rise by what a byte costs there, arithmetic's are level; each ends where another
/// takes over. Those without a published rate are left out.
/// @param from, to  operations a byte, above 0
[[nodiscard]] std::vector<RoofLine> roofs_of(const arch::Device& device, double from, double to);

/// A kernel among the roofs.
struct RooflineDot {
    std::string label;     ///< beside the dot
    std::string name;      ///< in the key below
    double intensity = 0;  ///< operations a byte of DRAM
    double rate = 0;       ///< operations a second: at its bound, or as measured
    std::string limit;     ///< the roof that binds; dots of one roof share a colour
};

/// From the left end of the axis of intensities to its right one: what dots need, and the ridges.
struct IntensityRange {
    double from = 0.01, to = 1000;
};
[[nodiscard]] IntensityRange range_of(std::span<const RooflineDot> dots);

[[nodiscard]] LineChart roofline_chart(const arch::Device& device, std::string title,
                                       std::span<const RooflineDot> dots);

/// Kernels at their bounds, a plot for each GPU; the letters are those of the table
/// (roofline_text.h).
[[nodiscard]] std::string roofline_svg(std::span<const model::Roofline> kernels);

}  // namespace wideload::report
