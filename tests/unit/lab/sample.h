// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "lab/record.h"

namespace wideload::lab {

/// An experiment "sample" with the series "left" and "right", four points each along "n" = 1, 2, 4,
/// 8, whose fact "cost" is 10 × n on the left and n + 30 on the right.
[[nodiscard]] Outcome sample_outcome();

/// Its description and results as their programs write them.
[[nodiscard]] std::string sample_description();
[[nodiscard]] std::string sample_results();

}  // namespace wideload::lab
