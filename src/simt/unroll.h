// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "simt/counted_loop.h"

namespace wideload::simt {

/// Has a loop take four turns at a time while there are as many, then two, then one, as ptxas does
/// with loops that only read. Where lanes take different numbers of turns, this decides which of
/// them meet in one request. What the function computes stays the same; instructions that are put
/// in to count the turns are `added`, all others are executed as often as before.
void unroll(ptx::Function& function, const CountedLoop& loop);

/// The loops that the machine code has unrolled so. How often it repeats their loads tells which:
/// seven bodies stand for one, or eight where ptxas cannot exclude that the counter wraps.
/// @param machine_loads loads from global memory in the machine code of the whole function
/// @return in the order of the text; none where the number has no explanation by whole loops, or
/// several
[[nodiscard]] std::vector<CountedLoop> loops_unrolled_in_machine_code(const ptx::Function& function,
                                                                      std::uint32_t machine_loads);

}  // namespace wideload::simt
