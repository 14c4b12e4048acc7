// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "program.h"

namespace wideload::fuzz {

/// Kernels as one PTX module.
struct ModuleText {
    std::string text;
    /// By kernel and site: the line of its instruction, 1-based.
    std::vector<std::vector<unsigned>> site_lines;
};
[[nodiscard]] ModuleText ptx_text(const std::vector<Kernel>& kernels);

}  // namespace wideload::fuzz
