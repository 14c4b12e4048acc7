// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "program.h"

namespace wideload::fuzz {

/// What a reduction leaves in memory that holds `a`.
[[nodiscard]] std::uint64_t combine(Reduction reduction, std::uint64_t a, std::uint64_t b);

/// A value for each lane of a warp.
using LaneValues = std::array<std::uint32_t, 32>;

/// What a collective gives each active lane: its result, and whether a shuffle's source was in
/// range.
struct LaneResults {
    LaneValues results{}, in_range{};
};

/// @param values, seconds  the lanes' operands; of those that are not active, anything
[[nodiscard]] LaneResults collect(Collective collective, std::uint32_t active,
                                  const LaneValues& values, const LaneValues& seconds);

}  // namespace wideload::fuzz
