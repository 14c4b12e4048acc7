// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "counters/site_row.h"
#include "profile/profile.h"

namespace wideload::profile {

/// Sets a memory site's figures from what all workers counted there, static classes already folded
/// in. Which figures stand follows from site.kind: sectors for global and local sites, wavefronts
/// for shared ones. `executions` is set where it is still 0.
void set_figures(Site& site, const counters::SiteRow& row);

/// Adds the sites' figures to a launch's counters, by the names of counter_names.h. Every site
/// kind's counters appear, at 0 where the kernel has no such site: they were measured.
void add_site_totals(Counters& counters, const std::vector<Site>& sites);

}  // namespace wideload::profile
