// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "model/occupancy_steps.h"

namespace wideload::report {

/// "registers": also the name in JSON, with `_` for the blank.
[[nodiscard]] std::string_view limiter_words(arch::Limiter limiter);

/// All that keep one more block away: "warps, registers".
[[nodiscard]] std::string limiters_words(const arch::Occupancy& occupancy);

/// "75 %", "93.8 %"
[[nodiscard]] std::string occupancy_words(const arch::Device& device,
                                          const arch::Occupancy& occupancy);

}  // namespace wideload::report
