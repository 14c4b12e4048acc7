// SPDX-License-Identifier: Apache-2.0
#include "simt/waiting.h"

#include <algorithm>
#include <map>
#include <set>

#include "simt/liveness.h"

namespace wideload::simt {
namespace {

using ptx::Instruction;
using ptx::Opcode;
using ptx::Space;

bool is_fence(const Instruction& instruction) {
    return instruction.opcode == Opcode::fence || instruction.opcode == Opcode::membar;
}

/// An atomic, or a load that always sees what others wrote.
bool is_strong_read(const Instruction& instruction) {
    if (instruction.opcode == Opcode::atom) return true;
    if (instruction.opcode != Opcode::ld) return false;
    return instruction.semantics == ptx::Semantics::volatile_ ||
           instruction.semantics == ptx::Semantics::relaxed ||
           instruction.semantics == ptx::Semantics::acquire ||
           instruction.semantics == ptx::Semantics::sc ||
           instruction.cache_op == ptx::CacheOp::cv || instruction.cache_op == ptx::CacheOp::cg;
}

/// One loop, [header, latch], and what decides whether it ends: predicates, and backwards what they
/// were computed from.
class LoopSlice {
public:
    LoopSlice(const ptx::Function& function, const std::vector<Block>& blocks, BlockId header,
              BlockId latch, const CallMayWait& call_may_wait)
        : function_(function),
          blocks_(blocks),
          header_(header),
          latch_(latch),
          call_may_wait_(call_may_wait),
          deciding_(function.registers.size()) {}

    bool waits() {
        if (!survey()) return false;
        for (BlockId b = header_; b <= latch_; ++b) {
            const auto& next = blocks_[b].successors;
            const bool leaves = blocks_[b].exit == Exit::leave_some ||
                                std::any_of(next.begin(), next.end(), [&](BlockId to) {
                                    return to < header_ || to > latch_;
                                });
            if (leaves) add_condition(b);
        }
        while (!yields_ && grow()) {
        }
        return depends_ || sleeps_;
    }

    bool yields() const { return yields_; }
    bool sleeps() const { return sleeps_; }

    /// What the loop reads of what others write: a new value is progress even where no later turn
    /// reads it (the next item of a queue).
    void add_readings(Bitset& registers) const {
        for_each_instruction([&](BlockId, const Instruction& instruction) {
            if (!reads_others(instruction)) return;
            for_each_definition(instruction, [&](ptx::RegisterId r) { registers.insert(r); });
        });
    }

private:
    template <class Visit>
    void for_each_instruction(Visit visit) const {
        for (BlockId b = header_; b <= latch_; ++b) {
            for (std::uint32_t i = blocks_[b].first; i < blocks_[b].last; ++i) {
                visit(b, function_.body[i]);
            }
        }
    }

    /// @return whether there is anything in the loop that could be waited for
    bool survey() {
        bool waits = false;
        for_each_instruction([&](BlockId, const Instruction& instruction) {
            waits |= may_wait(instruction);
            sleeps_ |= instruction.opcode == Opcode::nanosleep;
            fences_ |= is_fence(instruction);
            calls_ |= instruction.opcode == Opcode::call && call_may_wait_(instruction);
        });
        return waits || calls_ || fences_;
    }

    void add_condition(BlockId block) {
        if (blocks_[block].first == blocks_[block].last || goes_on(blocks_[block].exit)) return;
        const Instruction& last = function_.body[blocks_[block].last - 1];
        if (last.guard) deciding_.insert(last.guard->predicate);
        if (blocks_[block].exit == Exit::indirect) add_uses(last);
    }

    void add_uses(const Instruction& instruction) {
        for_each_use(instruction, [&](ptx::RegisterId r) { deciding_.insert(r); });
    }

    /// Where a value comes from that others may have changed. Local memory is not followed: what is
    /// read there may be what was read elsewhere.
    bool reads_others(const Instruction& instruction) const {
        if (may_wait(instruction)) return true;
        if (instruction.opcode != Opcode::ld) return false;
        if (instruction.space == Space::param) return calls_;
        return fences_ || instruction.space == Space::local || instruction.space == Space::generic;
    }

    bool grow() {
        const Bitset before = deciding_;
        for_each_instruction([&](BlockId block, const Instruction& instruction) {
            bool decides = false;
            for_each_definition(instruction,
                                [&](ptx::RegisterId r) { decides |= before.contains(r); });
            if (!decides) return;
            depends_ |= reads_others(instruction);
            yields_ |= is_strong_read(instruction);
            add_uses(instruction);
            // Whether the value changes at all may depend on the loop's other branches.
            if (!runs_every_turn(block)) {
                for (BlockId b = header_; b <= latch_; ++b) add_condition(b);
            }
        });
        return !(deciding_ == before);
    }

    /// No turn of the loop misses the block: the latch cannot be reached around it.
    bool runs_every_turn(BlockId block) const {
        if (block == header_ || block == latch_) return true;
        std::vector<char> reached(latch_ - header_ + 1, 0);
        std::vector<BlockId> work{header_};
        reached[0] = 1;
        while (!work.empty()) {
            const BlockId from = work.back();
            work.pop_back();
            for (const BlockId to : blocks_[from].successors) {
                if (to == block || to <= header_ || to > latch_ || reached[to - header_]) continue;
                reached[to - header_] = 1;
                work.push_back(to);
            }
        }
        return !reached[latch_ - header_];
    }

    const ptx::Function& function_;
    const std::vector<Block>& blocks_;
    BlockId header_, latch_;
    const CallMayWait& call_may_wait_;
    Bitset deciding_;
    bool sleeps_ = false, fences_ = false, calls_ = false;
    bool depends_ = false;  ///< on what others write
    bool yields_ = false;   ///< on what it reads by a strong access
};

}  // namespace

bool may_wait(const Instruction& instruction) {
    return is_strong_read(instruction) || instruction.opcode == Opcode::nanosleep ||
           instruction.opcode == Opcode::mbarrier;
}

bool may_wait(const ptx::Function& function) {
    return std::any_of(function.body.begin(), function.body.end(),
                       [](const Instruction& instruction) { return may_wait(instruction); });
}

bool is_block_barrier(const Instruction& instruction) {
    if (instruction.opcode != Opcode::bar && instruction.opcode != Opcode::barrier) return false;
    return instruction.form.find("warp") == std::string::npos &&
           instruction.form.find("cluster") == std::string::npos;
}

bool is_warp_meeting(const Instruction& instruction) {
    switch (instruction.opcode) {
        case Opcode::bar:
            return instruction.form.find("warp") != std::string::npos;
        case Opcode::shfl:
        case Opcode::vote:
        case Opcode::match:
        case Opcode::redux:
        case Opcode::elect:
            return instruction.sync;
        default:
            return false;
    }
}

namespace {

template <class Visit>
void for_each_loop(const std::vector<Block>& blocks, Visit visit) {
    for (BlockId latch = 0; latch < blocks.size(); ++latch) {
        for (const BlockId header : distinct_successors(blocks[latch])) {
            if (header <= latch) visit(header, latch);
        }
    }
}

/// Registers written in any loop: of a nest the outer ones change, too.
Bitset written_in_loops(const ptx::Function& function, const std::vector<Block>& blocks) {
    std::vector<char> in_loop(blocks.size(), 0);
    for_each_loop(blocks, [&](BlockId header, BlockId latch) {
        std::fill(in_loop.begin() + header, in_loop.begin() + latch + 1, 1);
    });
    Bitset written(function.registers.size());
    for (BlockId b = 0; b < blocks.size(); ++b) {
        if (!in_loop[b]) continue;
        for (std::uint32_t i = blocks[b].first; i < blocks[b].last; ++i) {
            for_each_definition(function.body[i], [&](ptx::RegisterId r) { written.insert(r); });
        }
    }
    return written;
}

}  // namespace

SpinningLoops find_spinning_loops(const ptx::Function& function, const std::vector<Block>& blocks,
                                  const std::vector<Bitset>& live,
                                  const CallMayWait& call_may_wait) {
    SpinningLoops found;
    found.latches.assign(blocks.size(), 0);
    std::map<BlockId, SpinningLoop> by_header;
    std::set<BlockId> sleeping;
    const Bitset written = written_in_loops(function, blocks);
    for_each_loop(blocks, [&](BlockId header, BlockId latch) {
        LoopSlice slice(function, blocks, header, latch, call_may_wait);
        if (!slice.waits()) return;
        found.latches[latch] = 1;
        const auto [place, is_new] = by_header.try_emplace(header);
        SpinningLoop& loop = place->second;
        if (is_new) {
            loop = {header, latch, false, live[header]};
            loop.progress.intersect(written);
        }
        loop.last = latch;  // latches come in their order
        loop.yields |= slice.yields();
        // Whatever it computes, a lane that sleeps waits for another.
        if (slice.sleeps()) sleeping.insert(header);
        slice.add_readings(loop.progress);
    });
    for (const BlockId header : sleeping) {
        by_header.at(header).progress = Bitset(function.registers.size());
    }
    for (auto& [header, loop] : by_header) found.loops.push_back(std::move(loop));
    return found;
}

bool has_spinning_loop(const ptx::Function& function, const CallMayWait& call_may_wait) {
    const std::vector<Block> blocks = order_blocks(split_into_blocks(function));
    bool found = false;
    for_each_loop(blocks, [&](BlockId header, BlockId latch) {
        found = found || LoopSlice(function, blocks, header, latch, call_may_wait).waits();
    });
    return found;
}

}  // namespace wideload::simt
