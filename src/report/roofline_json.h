// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "model/roofline.h"

namespace wideload::report {

/// Schema "wideload-roofline/1", which docs/roofline.md describes. Ends with a newline.
/// @param producer "wideload 0.1.0"
[[nodiscard]] std::string roofline_json(std::span<const model::Roofline> kernels,
                                        std::string_view producer);

}  // namespace wideload::report
