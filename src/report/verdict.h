// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "report/fold.h"
#include "report/source_text.h"

namespace wideload::report {

/// One sentence: what this kernel's memory accesses cost and where most of it arises.
[[nodiscard]] std::string verdict(const FoldedKernel& kernel, const SourceText& sources);

}  // namespace wideload::report
