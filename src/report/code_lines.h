// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "report/site_lines.h"
#include "sass/kernel_code.h"

namespace wideload::report {

/// The memory accesses of a kernel's machine code: a heading, then each source line with them.
/// Empty where there are none.
[[nodiscard]] std::string code_lines(const sass::KernelCode& kernel, const Layout& layout,
                                     SourceText& sources);

}  // namespace wideload::report
