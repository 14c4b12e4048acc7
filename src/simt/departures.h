// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "ptx/module.h"
#include "simt/bitset.h"
#include "simt/blocks.h"

namespace wideload::simt {

/// Which lanes of a warp leave a function without seeing the others again. A GPU runs these to
/// their end while others wait for them where lanes meet, and waits for no lane that has exited.
class Departures {
public:
    /// @param blocks live as long as this, as does the function
    Departures(const ptx::Function& function, const std::vector<Block>& blocks);

    /// Whether lanes at the start of `waiting` may leave without those in `here`: there is no block
    /// that all of both still come to, but for blocks in which nothing happens that anyone could
    /// see. Lanes on their way to a barrier of the block do not part: that waits for all.
    [[nodiscard]] bool part_for_good(BlockId waiting, BlockId here) const;

    /// Whether lanes that skip the instruction of the block, or come back from it, do nothing more
    /// that anyone could see.
    [[nodiscard]] bool nothing_follows(BlockId block, std::uint32_t instruction) const;

private:
    [[nodiscard]] bool changes_nothing(std::uint32_t first, std::uint32_t last) const;
    [[nodiscard]] bool only_idle_follow(const Block& block) const;
    void find_idle();
    void find_barriers();
    void find_certain();
    [[nodiscard]] Bitset certain_after(const Block& block) const;
    [[nodiscard]] bool traps(const Block& block) const;

    const ptx::Function& function_;
    const std::vector<Block>& blocks_;
    Bitset all_;
    Bitset idle_;                  ///< blocks from which lanes leave unseen
    Bitset to_barrier_;            ///< blocks from which lanes may come to a barrier
    std::vector<Bitset> certain_;  ///< by block: its post-dominators, itself among them
};

}  // namespace wideload::simt
