// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "report/fold.h"

namespace wideload::report {

/// Whether a site costs enough over its ideal that a reader should look at it: a tenth more, or a
/// tenth of a branch's executions parted.
[[nodiscard]] bool is_costly(const FoldedSite& site);

/// What to change, in one line of plain words computed from how the lanes lie; empty where the site
/// is not costly.
[[nodiscard]] std::string advice(const FoldedSite& site);

}  // namespace wideload::report
