// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "report/fold.h"
#include "report/site_lines.h"
#include "report/source_text.h"

namespace wideload::report {

/// The kernel's collectives whose lanes were not those that their masks name: a heading, then each
/// with its source line, what was wrong and what to change. Empty where there is none.
[[nodiscard]] std::string mismatch_lines(const FoldedKernel& kernel, const Layout& layout,
                                         SourceText& sources);

}  // namespace wideload::report
