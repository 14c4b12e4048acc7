// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/record.h"

/// Every kernel of several experiments among the roofs of the GPU that they ran on: at its bound on
/// the virtual GPU, where it was measured on a real one. Each has a number, its place in spots_of()
/// from 1 on; nothing where no kernel has a place.
namespace wideload::lab {

/// For Vega in the page: kernels that lie at one place share a label, and tell their names under
/// the pointer.
[[nodiscard]] std::optional<std::string> roofline_specification(
    const std::vector<Outcome>& outcomes);

/// As an SVG file, with a key of the numbers.
[[nodiscard]] std::optional<std::string> roofline_svg(const std::vector<Outcome>& outcomes);

}  // namespace wideload::lab
