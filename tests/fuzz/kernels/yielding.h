// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "program.h"

namespace wideload::fuzz {

/// Whether the end of any loop may hang on what it reads by an atomic or a volatile load. Lanes
/// that leave such a loop do not wait for the others, which the reference knows nothing of.
[[nodiscard]] bool has_yielding_loop(const Kernel& kernel);

}  // namespace wideload::fuzz
