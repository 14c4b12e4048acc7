// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "model/roofline.h"

namespace wideload::report {

/// A table of kernels with the time that each roof alone takes, and a plot of where they stand
/// under the roofs of DRAM and arithmetic.
[[nodiscard]] std::string roofline_text(std::span<const model::Roofline> kernels);

/// "12.3 µs"
[[nodiscard]] std::string duration_words(double seconds);

/// "0.125 FLOP/B, bound by DRAM, at least 12.3 µs": of a kernel that has a binding roof. Where DRAM
/// was not counted, the bytes are those of L1, and the words say how to have it counted.
[[nodiscard]] std::string roofline_words(const model::Roofline& kernel);

}  // namespace wideload::report
