// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lab/record.h"

namespace wideload::lab {

/// An experiment's outcome whose metrics are set so that a claim holds, or so that it fails.
/// Written without looking at how claims are evaluated: only at what each kind says. Points that
/// were not run here (a library's, say) are made up.
[[nodiscard]] Outcome outcome_where(const Claim& claim, const Outcome& outcome, bool holds);

}  // namespace wideload::lab
