// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "arch/device.h"
#include "lab/record.h"

namespace wideload::lab {

/// Places each point under the GPU's roofs (model/roofline.h). Facts: `intensity` (operations a
/// byte of DRAM), `ridge` (the intensity at which arithmetic of its kind takes as long as memory),
/// `bound_us`, `memory_bound` (1 or 0), and where it was timed `bound_percent`, the share of the
/// time that the bound explains; `operations`, of the kind of which there are most. Note:
/// `binding`, the roof that binds. Work is what was counted; where it was not, what the program
/// says of bytes and operations.
/// Where a profiler counted, too: `dram_read_gbps`, `dram_write_gbps`, and both in per cent of the
/// peak, `dram_percent`.
/// Where it counted the bytes that DRAM moved at full size (the fact `dram_bytes`, dram_traffic.h):
/// how many times the program's stated bytes they are, `dram_times_stated`, and the place that they
/// make under the roofs, `dram_intensity`, `dram_bound_us` and the note `dram_binding`. The facts
/// before stay as they are: those bound every kernel of that work, these only this one.
void add_bounds(Results& results, const arch::Device& device);

/// The same on the GPU that the results name, where the table has it.
void add_bounds(Results& results);

/// Of every series of an outcome the point that stands for it: the one that takes longest at its
/// bound, of those that compute anything if there are such. Series without a bound are left out.
[[nodiscard]] std::vector<const Point*> largest_points(const Outcome& outcome);

/// A kernel on the roofline: the largest point of a series that computes anything. It stands where
/// the bytes that DRAM moved place it; where nobody counted them, those that it must move.
struct Spot {
    std::string experiment, series;
    double intensity = 0;
    double bound_us = 0;
    double operations = 0;
    std::optional<double> us;  ///< measured
    std::string binding;
    bool is_by_dram = false;  ///< by the bytes that DRAM moved
    std::optional<double> dram_times_stated;

    /// A second: as measured, else at the bound.
    [[nodiscard]] double operation_rate() const { return operations / us.value_or(bound_us) * 1e6; }
};

/// Of every series with operations and bytes, in the order of the outcomes. What a real GPU only
/// counted is left out: its times are in an outcome of their own.
[[nodiscard]] std::vector<Spot> spots_of(const std::vector<Outcome>& outcomes);

}  // namespace wideload::lab
