// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "jit/runtime/helpers.h"

namespace wideload::jit {

/// sin and cos of f32: "wl_sin_f32", "wl_cos_f32".
void append_trigonometric(std::vector<Helper>& table);

}  // namespace wideload::jit
