// SPDX-License-Identifier: Apache-2.0
#include "simt/pending.h"

namespace wideload::simt {
namespace {

class Propagator {
public:
    Propagator(const std::vector<Block>& blocks, const std::vector<char>& divergent,
               const SetAside& set_aside)
        : blocks_(blocks),
          divergent_(divergent),
          pending_(blocks.size(), Bitset(blocks.size())),
          runs_(blocks.size(), 0),
          stays_(blocks.size(), 0),
          spins_(blocks.size(), 0),
          queued_(blocks.size()) {
        for (const BlockId block : set_aside.stops) stays_[block] = 1;
        for (const BlockId block : set_aside.latches) spins_[block] = 1;
    }

    /// Lanes that were set aside go on when no others wait.
    std::vector<Bitset> run(const SetAside& set_aside) {
        const Bitset nobody(blocks_.size());
        reach(0, nobody);
        for (const BlockId header : set_aside.headers) reach(header, nobody);
        for (const BlockId stop : set_aside.stops) reach(stop, nobody);
        // In order, so that what a block adds is seen by all after it before they are looked at
        // again.
        while (!queued_.empty()) {
            queued_.for_each([&](std::size_t block) {
                queued_.erase(block);
                leave(static_cast<BlockId>(block));
            });
        }
        return std::move(pending_);
    }

private:
    /// `block` runs next while lanes may wait at those of `waiting` after it.
    void reach(BlockId block, const Bitset& waiting) {
        const bool grew = pending_[block].unite_above(waiting, block);
        if (grew || !runs_[block]) {
            runs_[block] = 1;
            queued_.insert(block);
        }
    }

    /// All that may run once `block` has ended. Waiting lanes are only known to be possible, so any
    /// of their blocks may be the lowest, up to a successor that is certain.
    void leave(BlockId block) {
        const auto nowhere = static_cast<BlockId>(blocks_.size());
        const std::vector<BlockId> successors = distinct_successors(blocks_[block]);
        const Exit exit = blocks_[block].exit;
        const bool all_may_leave = exit == Exit::leave_some || exit == Exit::call;
        if (stays_[block]) go_on(block, {}, nowhere);
        if (spins_[block]) {
            go_on(block, successors, nowhere);
        } else if (divergent_[block] && all_may_leave) {
            // Every lane may have left, so none of the successors is certain.
            go_on(block, successors, nowhere);
        } else if (divergent_[block]) {
            go_on(block, successors, successors.empty() ? nowhere : successors.back());
        } else if (successors.empty() || all_may_leave) {
            go_on(block, {}, nowhere);
            if (!successors.empty()) go_on(block, successors, successors.back());
        } else {
            for (const BlockId next : successors) go_on(block, {next}, next);
        }
    }

    void go_on(BlockId block, const std::vector<BlockId>& added, BlockId certain) {
        Bitset waiting = pending_[block];
        for (const BlockId next : added) waiting.insert(next);
        waiting.for_each([&](std::size_t candidate) {
            if (candidate <= certain) reach(static_cast<BlockId>(candidate), waiting);
        });
    }

    const std::vector<Block>& blocks_;
    const std::vector<char>& divergent_;
    std::vector<Bitset> pending_;
    std::vector<char> runs_, stays_, spins_;
    Bitset queued_;
};

}  // namespace

std::vector<Bitset> pending_blocks(const std::vector<Block>& blocks,
                                   const std::vector<char>& divergent, const SetAside& set_aside) {
    return Propagator(blocks, divergent, set_aside).run(set_aside);
}

}  // namespace wideload::simt
