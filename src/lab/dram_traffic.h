// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "lab/record.h"

/// The bytes that DRAM moved at full size. The small sizes at which a profiler counts everything
/// stay in the L2, so one point of each series is launched once more, with two metrics alone.
namespace wideload::lab {

/// The arguments by which an experiment's program carries out the largest points of a timed outcome
/// (bounds.h) and no others; empty where there are none.
[[nodiscard]] std::vector<std::string> dram_arguments(const Outcome& timed);

/// Gives the timed points what DRAM moved at those of equal series and parameters, whose launches
/// were joined: the facts `dram_read_bytes`, `dram_write_bytes` and both together, `dram_bytes`.
void take_dram_bytes(Results& timed, const Results& counted);

/// A point whose bytes in DRAM were counted at full size.
struct Traffic {
    std::string experiment, series;
    std::string parameters;  ///< in words
    double stated_bytes = 0, dram_bytes = 0;

    [[nodiscard]] double times_stated() const { return dram_bytes / stated_bytes; }
};

/// Of all points that state bytes, in the order of the outcomes.
[[nodiscard]] std::vector<Traffic> traffic_of(const std::vector<Outcome>& outcomes);

}  // namespace wideload::lab
