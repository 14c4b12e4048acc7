// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "ptx/module.h"

namespace wideload::jit {

/// By register: whether it may hold a subnormal f32. Those that cannot, since only instructions
/// with .ftz and their like write them, need no flush where .ftz reads them.
[[nodiscard]] std::vector<bool> registers_with_subnormals(const ptx::Function& function);

}  // namespace wideload::jit
