// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "report/fold.h"
#include "report/site_lines.h"
#include "report/source_text.h"

namespace wideload::report {

/// One kernel: its name and launches, the verdict, totals, then its sites.
[[nodiscard]] std::string kernel_section(const FoldedKernel& kernel, const Layout& layout,
                                         SourceText& sources);

}  // namespace wideload::report
