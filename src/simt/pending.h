// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "simt/bitset.h"
#include "simt/blocks.h"

namespace wideload::simt {

/// For each block, the blocks at which lanes of the same warp may wait while it runs, given that a
/// warp always runs the lowest-numbered block with waiting lanes, and that only blocks in
/// `divergent` send lanes to more than one successor. Lanes that are set aside (`parked_at`) may
/// wait throughout: in a spinning loop, or at a meeting for those in one.
/// @param may_stay blocks that may set all their lanes aside and send them nowhere
[[nodiscard]] std::vector<Bitset> pending_blocks(const std::vector<Block>& blocks,
                                                 const std::vector<char>& divergent,
                                                 const std::vector<BlockId>& parked_at,
                                                 const std::vector<BlockId>& may_stay);

}  // namespace wideload::simt
