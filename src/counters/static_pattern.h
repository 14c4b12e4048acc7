// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "counters/rules.h"
#include "counters/site_row.h"

/// Requests of full warps whose lanes' distances are known when the kernel is compiled: lane i
/// accesses base + offsets[i]. What such a request costs depends on the base's place within a
/// sector alone.
namespace wideload::counters {

/// Bytes from the base to each lane's address; may be negative.
using LaneOffsets = std::array<std::int64_t, kLanes>;

/// Figures by `base % 32`. Only bases that leave every address a multiple of bytes_per_lane occur:
/// the others' entries stay 0.
struct StaticFigures {
    std::array<Figures, kSectorBytes> by_class;
};

/// @param rule  Rule::local is none of them: its offsets are the lanes' own
[[nodiscard]] StaticFigures static_figures(const LaneOffsets& offsets, unsigned bytes_per_lane,
                                           Rule rule = Rule::global);

/// Adds what machine code counted by class to the row's other members, as if each request had been
/// counted by itself, and clears the classes. Shared memory: banks turn with the base, so that 32
/// classes tell them apart too.
///
/// Machine code keeps no order. It leaves a worker's first request of a site to count_*(), which
/// records it; where a class is worse than every recorded request, the class's last base stands in,
/// with kUnknownOrder.
void fold(SiteRow& row, const LaneOffsets& offsets, unsigned bytes_per_lane,
          Rule rule = Rule::global);

}  // namespace wideload::counters
