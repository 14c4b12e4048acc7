// SPDX-License-Identifier: Apache-2.0
// Which block of the kernel a warp runs next: the lowest-numbered one with waiting lanes.
#include <algorithm>

#include "jit/emitter.h"

namespace wideload::jit {

using simt::BlockId;

/// Runs the lowest block that has waiting lanes, of those that may: `candidates` were just sent
/// some (one of them surely, if `last_is_certain`), others may wait since before.
void Emitter::go_to_first_pending(BlockId from, std::vector<BlockId> candidates,
                                  bool last_is_certain) {
    const bool back =
        std::any_of(candidates.begin(), candidates.end(), [&](BlockId to) { return to <= from; });
    if (back) poll_loop();
    const bool parks = back && analysis_.spinning.latches[from];
    if (parks) {
        spin(from);
        last_is_certain = false;
    }

    const BlockId certain = last_is_certain && !candidates.empty()
                                ? *std::max_element(candidates.begin(), candidates.end())
                                : static_cast<BlockId>(analysis_.blocks.size());
    analysis_.pending[from].for_each(
        [&](std::size_t waiting) { candidates.push_back(static_cast<BlockId>(waiting)); });
    std::sort(candidates.begin(), candidates.end());
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    while (!candidates.empty() && candidates.back() > certain) candidates.pop_back();

    constexpr std::size_t kLongChain = 8;
    if (candidates.size() > kLongChain) {
        ir_.CreateBr(shared_dispatch(candidates.front()));
        return;
    }
    for (const BlockId candidate : candidates) {
        if (candidate == certain) break;
        llvm::BasicBlock* next = new_block("next");
        ir_.CreateCondBr(any(pending_lanes(candidate)), bodies_[candidate], next);
        ir_.SetInsertPoint(next);
    }
    const bool ends = certain == analysis_.blocks.size();
    ir_.CreateBr(ends ? end_ : bodies_[certain]);
}

/// One chain over all blocks, entered at `from`, for exits with too many candidates to test in
/// place.
llvm::BasicBlock* Emitter::shared_dispatch(BlockId from) {
    if (from == analysis_.blocks.size()) return end_;
    if (dispatch_[from] != nullptr) return dispatch_[from];
    const llvm::IRBuilderBase::InsertPoint here = ir_.saveIP();
    for (BlockId b = from; b < analysis_.blocks.size() && dispatch_[b] == nullptr; ++b) {
        dispatch_[b] = new_block("dispatch");
    }
    for (BlockId b = from; b < analysis_.blocks.size(); ++b) {
        if (dispatch_[b]->getTerminator() != nullptr) break;
        ir_.SetInsertPoint(dispatch_[b]);
        llvm::BasicBlock* next = b + 1 < analysis_.blocks.size() ? dispatch_[b + 1] : end_;
        ir_.CreateCondBr(any(pending_lanes(b)), bodies_[b], next);
    }
    ir_.restoreIP(here);
    return dispatch_[from];
}

/// Every turn of a loop looks whether the launch is to end.
void Emitter::poll_loop() {
    llvm::Value* flag = context_field(offsetof(BlockContext, poll), ir_.getPtrTy());
    llvm::LoadInst* raised = ir_.CreateLoad(ir_.getInt32Ty(), flag, /*isVolatile=*/true);
    llvm::BasicBlock* poll = new_block("poll");
    llvm::BasicBlock* on = new_block("turn");
    ir_.CreateCondBr(ir_.CreateICmpNE(raised, ir_.getInt32(0)), poll, on, unlikely());
    ir_.SetInsertPoint(poll);
    call("wl_poll", {context_argument_, warp_});
    ir_.CreateBr(on);
    ir_.SetInsertPoint(on);
}

/// Lets the lanes that were set aside at `block` go on, where there are any and `allowed` holds.
void Emitter::resume(BlockId block, llvm::AllocaInst* set_aside, llvm::Value* allowed) {
    llvm::Value* lanes = ir_.CreateLoad(ir_.getInt32Ty(), set_aside);
    llvm::BasicBlock* go_on = new_block("resume");
    llvm::BasicBlock* next = new_block("finished");
    ir_.CreateCondBr(ir_.CreateAnd(any(lanes), allowed), go_on, next);
    ir_.SetInsertPoint(go_on);
    ir_.CreateStore(ir_.getInt32(0), set_aside);
    ir_.CreateStore(lanes, pending_[block]);
    ir_.CreateStore(ir_.getInt32(block), resumed_);
    ir_.CreateBr(bodies_[block]);
    ir_.SetInsertPoint(next);
}

/// No lane waits: those set aside in spinning loops go on, loop after loop in turn; then those at
/// meetings that no other will come to; else the next warp begins or the function returns.
void Emitter::finish_warp() {
    const auto& spinning = analysis_.spinning.loops;
    if (spinning.size() > 1) {
        llvm::Value* last = ir_.CreateLoad(ir_.getInt32Ty(), resumed_);
        for (const auto& loop : spinning) {
            resume(loop.header, parked_[loop.header],
                   ir_.CreateICmpUGT(ir_.getInt32(loop.header), last));
        }
    }
    for (const auto& loop : spinning) resume(loop.header, parked_[loop.header], ir_.getTrue());
    for (const BlockId meeting : analysis_.meetings)
        resume(meeting, arrived_[meeting], ir_.getTrue());
    if (is_called_) {
        ir_.CreateRet(ir_.CreateLoad(ir_.getInt32Ty(), returned_));
        return;
    }
    llvm::Value* next_warp = ir_.CreateAdd(warp_, ir_.getInt32(1));
    llvm::BasicBlock* done = new_block("done");
    llvm::cast<llvm::PHINode>(warp_)->addIncoming(next_warp, ir_.GetInsertBlock());
    ir_.CreateCondBr(ir_.CreateICmpULT(next_warp, last_warp_), warp_loop_, done);
    ir_.SetInsertPoint(done);
    ir_.CreateRetVoid();
}

}  // namespace wideload::jit
