// SPDX-License-Identifier: Apache-2.0
#include "simt/departures.h"

#include <algorithm>
#include <utility>

#include "simt/waiting.h"

namespace wideload::simt {
namespace {

using ptx::Category;
using ptx::Instruction;
using ptx::Opcode;

/// Whether an instruction does something that other threads, or the host, could see.
bool has_effect(const Instruction& instruction) {
    switch (ptx::category(instruction)) {
        case Category::store:
            return instruction.space != ptx::Space::param && instruction.space != ptx::Space::local;
        case Category::control:
            return instruction.opcode == Opcode::call || instruction.opcode == Opcode::trap;
        case Category::atomic:
        case Category::barrier:
        case Category::warp:
        case Category::copy:
        case Category::fence:
        case Category::matrix:
        case Category::other:
            return true;
        default:
            return false;
    }
}

}  // namespace

Departures::Departures(const ptx::Function& function, const std::vector<Block>& blocks)
    : function_(function),
      blocks_(blocks),
      all_(blocks.size()),
      idle_(blocks.size()),
      to_barrier_(blocks.size()) {
    find_idle();
    find_barriers();
    find_certain();
}

bool Departures::changes_nothing(std::uint32_t first, std::uint32_t last) const {
    return std::none_of(function_.body.begin() + first, function_.body.begin() + last, has_effect);
}

bool Departures::only_idle_follow(const Block& block) const {
    return std::all_of(block.successors.begin(), block.successors.end(),
                       [&](BlockId next) { return idle_.contains(next); });
}

/// From the ends backwards; a loop that does nothing may last for ever.
void Departures::find_idle() {
    for (bool grew = true; grew;) {
        grew = false;
        for (auto b = static_cast<BlockId>(blocks_.size()); b-- > 0;) {
            const Block& block = blocks_[b];
            if (idle_.contains(b) || !only_idle_follow(block) ||
                !changes_nothing(block.first, block.last)) {
                continue;
            }
            idle_.insert(b);
            grew = true;
        }
    }
}

void Departures::find_barriers() {
    for (bool grew = true; grew;) {
        grew = false;
        for (auto b = static_cast<BlockId>(blocks_.size()); b-- > 0;) {
            const Block& block = blocks_[b];
            if (to_barrier_.contains(b)) continue;
            const bool is_there =
                block.first != block.last && is_block_barrier(function_.body[block.first]);
            const bool goes_there =
                std::any_of(block.successors.begin(), block.successors.end(),
                            [&](BlockId next) { return to_barrier_.contains(next); });
            if (!is_there && !goes_there) continue;
            to_barrier_.insert(b);
            grew = true;
        }
    }
}

/// Blocks that all lanes come to that leave this one.
Bitset Departures::certain_after(const Block& block) const {
    const bool may_leave = block.exit == Exit::leave || block.exit == Exit::leave_some;
    if (may_leave && !traps(block)) return Bitset(blocks_.size());
    Bitset certain = block.successors.empty() ? all_ : certain_[block.successors.front()];
    for (const BlockId next : block.successors) certain.intersect(certain_[next]);
    return certain;
}

/// Ends the launch: of what comes after, anything is true.
bool Departures::traps(const Block& block) const {
    return block.first != block.last && function_.body[block.last - 1].opcode == Opcode::trap;
}

/// From all blocks down to what holds on every way.
void Departures::find_certain() {
    for (BlockId b = 0; b < blocks_.size(); ++b) all_.insert(b);
    certain_.assign(blocks_.size(), all_);
    for (bool changed = true; changed;) {
        changed = false;
        for (auto b = static_cast<BlockId>(blocks_.size()); b-- > 0;) {
            Bitset certain = certain_after(blocks_[b]);
            certain.insert(b);
            changed |= certain != certain_[b];
            certain_[b] = std::move(certain);
        }
    }
}

bool Departures::part_for_good(BlockId waiting, BlockId here) const {
    if (to_barrier_.contains(waiting)) return false;
    Bitset shared = certain_[here];
    shared.intersect(certain_[waiting]);
    shared.subtract(idle_);
    return shared.empty();
}

bool Departures::nothing_follows(BlockId block, std::uint32_t instruction) const {
    return changes_nothing(instruction + 1, blocks_[block].last) &&
           only_idle_follow(blocks_[block]);
}

}  // namespace wideload::simt
