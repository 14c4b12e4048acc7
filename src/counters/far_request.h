// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "counters/rules.h"

namespace wideload::counters {

/// What the vector code leaves to rules.h: requests whose lanes lie over a gibibyte apart.
[[nodiscard]] Figures measure_far(const std::uint64_t* addresses, std::uint32_t mask,
                                  unsigned bytes_per_lane, Rule rule);

}  // namespace wideload::counters
