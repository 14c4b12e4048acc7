// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine.h"

namespace wideload::fuzz {

/// A smaller kernel that differs in the same way: statements are taken out as long as it does.
[[nodiscard]] Kernel minimise(Engine& engine, Kernel kernel, Difference::Kind kind);

}  // namespace wideload::fuzz
