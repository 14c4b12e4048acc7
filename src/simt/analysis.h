// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "ptx/module.h"
#include "simt/bitset.h"
#include "simt/blocks.h"
#include "simt/shape.h"
#include "simt/waiting.h"

namespace wideload::simt {

/// What is known of a function's control flow and registers before machine code is made.
struct Analysis {
    std::vector<Block> blocks;    ///< in the order in which a warp prefers to run them
    std::vector<char> divergent;  ///< by block: its exit may part the lanes
    std::vector<Bitset>
        pending;  ///< by block: where lanes may wait while it runs, besides those set aside
    std::vector<Bitset> live;  ///< by block: registers live at its entry
    std::vector<Bitset>
        shielded;  ///< by block: registers that waiting lanes still need: writes must keep them
    std::vector<Shape> shapes;  ///< by register
    SpinningLoops spinning;     ///< loops that may wait for other lanes or warps
    std::vector<BlockId>
        meetings;  ///< begin where lanes come together, and wait for those set aside in such loops
    bool sets_aside =
        false;  ///< some lanes of a warp may go on while others are in a spinning loop
    bool has_barriers = false;  ///< bar, barrier: warps of a block wait for each other
    PatternTable patterns;
};

/// @param is_called a .func rather than an entry: parameters may differ by lane, and not all lanes
/// may have come
/// @param calls_may_wait a function that it calls may read what other threads write, so that a loop
/// around it may spin
[[nodiscard]] Analysis analyse(const ptx::Function& function, ThreadLayout layout, bool is_called,
                               bool calls_may_wait);

}  // namespace wideload::simt
