// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "model/roofline.h"

namespace wideload::report {

/// What marks a kernel in table and plot: a to z, then A to Z, then `*`.
[[nodiscard]] char plot_letter(std::size_t index);

/// Both axes logarithmic: operations a DRAM byte to the right, operations a second upwards. Lines
/// are the roofs of DRAM and of floating-point arithmetic; a kernel stands where its bound allows
/// it, so on the roof or, where L1 or other work is slower, below it.
/// @param kernels of one device, at least one; those without an intensity are left out
[[nodiscard]] std::string roofline_plot(std::span<const model::Roofline> kernels);

}  // namespace wideload::report
