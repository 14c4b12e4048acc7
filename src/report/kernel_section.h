// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/roofline.h"
#include "report/fold.h"
#include "report/site_lines.h"
#include "report/source_text.h"

namespace wideload::report {

/// One kernel: its name and launches, the verdict, totals, then its sites.
/// @param bound null where there is none
[[nodiscard]] std::string kernel_section(const FoldedKernel& kernel, const model::Roofline* bound,
                                         const Layout& layout, SourceText& sources);

}  // namespace wideload::report
