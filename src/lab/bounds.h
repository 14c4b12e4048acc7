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
void add_bounds(Results& results, const arch::Device& device);

/// The same on the GPU that the results name, where the table has it.
void add_bounds(Results& results);

/// A kernel on the roofline: the point of a series with most work, by its bound.
struct Spot {
    std::string experiment, series;
    double intensity = 0;
    double bound_us = 0;
    double operations = 0;
    std::optional<double> us;  ///< measured
    std::string binding;

    /// A second: as measured, else at the bound.
    [[nodiscard]] double operation_rate() const { return operations / us.value_or(bound_us) * 1e6; }
};

/// Of every series with operations and bytes, in the order of the outcomes. What a real GPU only
/// counted is left out: its times are in an outcome of their own.
[[nodiscard]] std::vector<Spot> spots_of(const std::vector<Outcome>& outcomes);

}  // namespace wideload::lab
