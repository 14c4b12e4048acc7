// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "counters/site_row.h"

namespace wideload::counters {

/// Adds what one worker counted at a site to the site's total. Of the samples the earliest, and of
/// the worst ones the earliest of those with most sectors, are kept; static classes are added up,
/// so that fold() may follow on the total.
void add(SiteRow& total, const SiteRow& worker);

}  // namespace wideload::counters
