// SPDX-License-Identifier: Apache-2.0
#include "simt/pending.h"

namespace wideload::simt {
namespace {

class Propagator {
public:
    Propagator(const std::vector<Block>& blocks, const std::vector<char>& divergent)
        : blocks_(blocks),
          divergent_(divergent),
          pending_(blocks.size(), Bitset(blocks.size())),
          runs_(blocks.size(), 0),
          stays_(blocks.size(), 0) {}

    std::vector<Bitset> run(const std::vector<BlockId>& parked_at,
                            const std::vector<BlockId>& may_stay) {
        for (const BlockId block : may_stay) stays_[block] = 1;
        for (Bitset& set : pending_) {
            for (const BlockId header : parked_at) set.insert(header);
        }
        reach(0, Bitset(blocks_.size()));
        while (!work_.empty()) {
            const BlockId block = work_.back();
            work_.pop_back();
            leave(block);
        }
        return std::move(pending_);
    }

private:
    /// `block` runs next while lanes may wait at `waiting`.
    void reach(BlockId block, const Bitset& waiting) {
        Bitset later(blocks_.size());
        waiting.for_each([&](std::size_t w) {
            if (w > block) later.insert(w);
        });
        const bool grew = pending_[block].unite(later);
        if (grew || !runs_[block]) {
            runs_[block] = 1;
            work_.push_back(block);
        }
    }

    /// All that may run once `block` has ended. Waiting lanes are only known to be possible, so any
    /// of their blocks may be the lowest, up to a successor that is certain.
    void leave(BlockId block) {
        const std::vector<BlockId> successors = distinct_successors(blocks_[block]);
        if (stays_[block]) go_on(block, {}, static_cast<BlockId>(blocks_.size()));
        const Exit exit = blocks_[block].exit;
        const bool all_may_leave = exit == Exit::leave_some || exit == Exit::call;
        if (divergent_[block] && all_may_leave) {
            // Every lane may have left, so none of the successors is certain.
            go_on(block, successors, static_cast<BlockId>(blocks_.size()));
        } else if (divergent_[block]) {
            go_on(block, successors,
                  successors.empty() ? static_cast<BlockId>(blocks_.size()) : successors.back());
        } else if (successors.empty() || all_may_leave) {
            go_on(block, {}, static_cast<BlockId>(blocks_.size()));
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
    std::vector<char> runs_, stays_;
    std::vector<BlockId> work_;
};

}  // namespace

std::vector<Bitset> pending_blocks(const std::vector<Block>& blocks,
                                   const std::vector<char>& divergent,
                                   const std::vector<BlockId>& parked_at,
                                   const std::vector<BlockId>& may_stay) {
    return Propagator(blocks, divergent).run(parked_at, may_stay);
}

}  // namespace wideload::simt
