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

/// "at least 12.3 µs on an NVIDIA H200, by DRAM": of a kernel that has a binding roof.
[[nodiscard]] std::string bound_words(const model::Roofline& kernel);

}  // namespace wideload::report
