// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "counters/site_row.h"

namespace wideload::counters {

/// Adds what one execution of a bulk copy or reduction moves through global memory: a request, a
/// copy per active lane, and of each copy the sectors that its range touches. Copies are priced one
/// by one: two lanes that copy one range move it twice. The figures have no histogram, no pattern
/// and no sample, which describe how a warp's lanes lie to each other.
///
/// @param begins  32 global addresses; those of inactive lanes are not looked at
/// @param bytes   how many each lane copies; a copy of none touches nothing
void count_bulk(SiteRow& row, const std::uint64_t* begins, const std::uint32_t* bytes,
                std::uint32_t mask);

}  // namespace wideload::counters
