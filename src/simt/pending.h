// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "simt/bitset.h"
#include "simt/blocks.h"

namespace wideload::simt {

/// Where lanes are set aside until no others of their warp wait.
struct SetAside {
    std::vector<BlockId> headers;  ///< of spinning loops
    std::vector<BlockId> latches;  ///< of spinning loops: may set aside the lanes that go round
    /// May set aside all lanes that come: meetings, for those still in such a loop, and headers of
    /// loops in which lanes yield, for those that have left.
    std::vector<BlockId> stops;
};

/// For each block, the blocks at which lanes of the same warp may wait while it runs, given that a
/// warp always runs the lowest-numbered block with waiting lanes, and that only blocks in
/// `divergent` send lanes to more than one successor. Lanes that are set aside do not count as
/// waiting.
[[nodiscard]] std::vector<Bitset> pending_blocks(const std::vector<Block>& blocks,
                                                 const std::vector<char>& divergent,
                                                 const SetAside& set_aside);

}  // namespace wideload::simt
