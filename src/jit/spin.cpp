// SPDX-License-Identifier: Apache-2.0
// Loops in which a lane may wait for another thread: for one of another warp by letting that run,
// for one of its own warp by being set aside.
#include <algorithm>

#include "jit/emitter.h"

namespace wideload::jit {

using simt::BlockId;

namespace {
constexpr std::uint32_t kTurns = 32;
/// After so many turns a loop counts as standing still even though its registers change, as they
/// do where a waiting lane counts its tries.
constexpr std::uint32_t kManyTurns = 1u << 16;
}  // namespace

void Emitter::create_spin_slots() {
    parked_.assign(analysis_.blocks.size(), nullptr);
    watches_.assign(analysis_.blocks.size(), {});
    if (analysis_.spinning.loops.empty()) return;
    turns_ = ir_.CreateAlloca(ir_.getInt32Ty(), nullptr, "turns");
    resumed_ = ir_.CreateAlloca(ir_.getInt32Ty(), nullptr, "resumed");
    for (const simt::SpinningLoop& loop : analysis_.spinning.loops) {
        parked_[loop.header] = create_lanes("parked");
        Watch& watch = watches_[loop.header];
        watch.lanes = create_lanes("watched");
        loop.progress.for_each([&](std::size_t r) {
            const Variable& now = slots_[r].value;
            watch.registers.push_back({now.slot, ir_.CreateAlloca(now.type, nullptr, "before")});
        });
    }
}

/// Lanes that begin a turn of a loop in which they yield let those go ahead that wait behind it,
/// and are joined by lanes that come to it later.
void Emitter::yield_to_leavers(BlockId id) {
    const auto& loops = analysis_.spinning.loops;
    const auto loop = std::find_if(loops.begin(), loops.end(),
                                   [&](const auto& candidate) { return candidate.header == id; });
    if (!analysis_.sets_aside || loop == loops.end() || !loop->yields) return;
    llvm::Value* nobody = ir_.getInt32(0);
    llvm::Value* parked = ir_.CreateLoad(ir_.getInt32Ty(), parked_[id]);
    llvm::Value* lanes = ir_.CreateOr(bits_of(block_mask_), parked);
    block_mask_ = mask_of(lanes);
    ir_.CreateStore(nobody, parked_[id]);
    llvm::Value* left = nobody;
    analysis_.pending[id].for_each([&](std::size_t block) {
        if (block > loop->last) {
            left = ir_.CreateOr(left, pending_lanes(static_cast<BlockId>(block)));
        }
    });
    llvm::BasicBlock* yield = new_block("yield");
    llvm::BasicBlock* on = new_block("turn");
    ir_.CreateCondBr(any(left), yield, on);
    ir_.SetInsertPoint(yield);
    ir_.CreateStore(lanes, parked_[id]);
    go_to_first_pending(id, {}, false);
    ir_.SetInsertPoint(on);
}

/// Now and then other warps run, and lanes in a loop that stands still are set aside until the
/// others of their own warp have had their turn.
void Emitter::spin(BlockId from) {
    llvm::Value* turns = ir_.CreateAdd(ir_.CreateLoad(ir_.getInt32Ty(), turns_), ir_.getInt32(1));
    ir_.CreateStore(turns, turns_);
    const auto each = [&](std::uint32_t period) {
        return ir_.CreateICmpEQ(ir_.CreateAnd(turns, ir_.getInt32(period - 1)), ir_.getInt32(0));
    };
    llvm::BasicBlock* rest = new_block("rest");
    llvm::BasicBlock* on = new_block("spin");
    ir_.CreateCondBr(each(kTurns), rest, on, unlikely());
    ir_.SetInsertPoint(rest);
    call("wl_yield", {context_argument_, warp_});
    if (analysis_.sets_aside) {
        for (const BlockId header : simt::distinct_successors(analysis_.blocks[from])) {
            // Another loop that this block turns may not be one of those that spin.
            if (header > from || parked_[header] == nullptr) continue;
            set_aside(header, ir_.CreateOr(stands_still(header), each(kManyTurns)));
        }
    }
    ir_.CreateBr(on);
    ir_.SetInsertPoint(on);
}

/// Whether all lanes that begin a turn of the loop have the registers with which they were seen
/// last; they are seen now.
llvm::Value* Emitter::stands_still(BlockId header) {
    const Watch& watch = watches_[header];
    llvm::Value* lanes = pending_lanes(header);
    llvm::Value* seen = ir_.CreateLoad(ir_.getInt32Ty(), watch.lanes);
    llvm::Value* changed = mask_of(ir_.CreateNot(seen));
    for (const auto& [slot, before] : watch.registers) {
        llvm::Type* type = slot->getAllocatedType();
        llvm::Type* bits = type->getWithNewBitWidth(type->getScalarSizeInBits());
        const auto as_bits = [&](llvm::Value* value) { return ir_.CreateBitCast(value, bits); };
        llvm::Value* now = ir_.CreateLoad(type, slot);
        // Volatile: in registers these copies would cost every turn what few turns need.
        llvm::Value* then = ir_.CreateLoad(type, before, /*isVolatile=*/true);
        changed = ir_.CreateOr(changed, splat(ir_.CreateICmpNE(as_bits(now), as_bits(then))));
        ir_.CreateStore(now, before, /*isVolatile=*/true);
    }
    ir_.CreateStore(lanes, watch.lanes);
    return ir_.CreateNot(any(ir_.CreateAnd(lanes, bits_of(changed))));
}

void Emitter::set_aside(BlockId header, llvm::Value* condition) {
    llvm::Value* lanes = pending_lanes(header);
    llvm::Value* nobody = ir_.getInt32(0);
    llvm::Value* parked = ir_.CreateLoad(ir_.getInt32Ty(), parked_[header]);
    ir_.CreateStore(ir_.CreateOr(parked, ir_.CreateSelect(condition, lanes, nobody)),
                    parked_[header]);
    ir_.CreateStore(ir_.CreateSelect(condition, nobody, lanes), pending_[header]);
}

}  // namespace wideload::jit
