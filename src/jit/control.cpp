// SPDX-License-Identifier: Apache-2.0
// Control flow of a warp. Lanes wait at blocks in masks; the lowest-numbered block with waiting
// lanes runs next. Where the analysis shows that nothing else can be waiting, a branch is a branch.
#include <algorithm>
#include <numeric>

#include "jit/emitter.h"
#include "jit/lower.h"
#include "simt/waiting.h"

namespace wideload::jit {

using simt::BlockId;
using simt::Exit;

namespace {

/// In functions of more blocks than this, what lives across blocks stays on the stack: as values it
/// would need a phi in nearly every block, and compiling would take time by the square of their
/// number.
constexpr std::size_t kManyBlocks = 96;

/// Accesses that may not be removed keep a stack slot a stack slot.
void pin(llvm::AllocaInst* slot) {
    if (slot == nullptr) return;
    for (llvm::User* user : slot->users()) {
        if (auto* load = llvm::dyn_cast<llvm::LoadInst>(user)) load->setVolatile(true);
        if (auto* store = llvm::dyn_cast<llvm::StoreInst>(user)) store->setVolatile(true);
    }
}

}  // namespace

void Emitter::keep_in_memory() {
    crossing_.for_each([&](std::size_t r) { pin(slots_[r].value.slot); });
    for (const auto* masks : {&pending_, &parked_, &arrived_}) {
        for (llvm::AllocaInst* mask : *masks) pin(mask);
    }
    for (const Watch& watch : watches_) pin(watch.lanes);
    for (llvm::AllocaInst* slot : {turns_, resumed_, returned_, present_}) pin(slot);
}

llvm::BasicBlock* Emitter::new_block(const llvm::Twine& name) {
    return llvm::BasicBlock::Create(output_.getContext(), name, target_);
}

llvm::AllocaInst* Emitter::create_lanes(const llvm::Twine& name) {
    return ir_.CreateAlloca(ir_.getInt32Ty(), nullptr, name);
}

llvm::Value* Emitter::pending_lanes(BlockId block) {
    return ir_.CreateLoad(ir_.getInt32Ty(), pending_[block]);
}

/// Lets lanes wait at a successor of `from`, besides those that may do so already: from before, or
/// because `from` names it more than once.
void Emitter::send(BlockId from, llvm::Value* lanes, std::size_t successor) {
    const std::vector<BlockId>& successors = analysis_.blocks[from].successors;
    const BlockId to = successors[successor];
    const auto others = successors.begin() + static_cast<std::ptrdiff_t>(successor);
    const bool alone = !analysis_.pending[from].contains(to) &&
                       std::find(successors.begin(), others, to) == others;
    ir_.CreateStore(alone ? lanes : ir_.CreateOr(pending_lanes(to), lanes), pending_[to]);
}

Diagnostics Emitter::emit(llvm::Function* target) {
    target_ = target;
    entry_ = new_block("entry");
    ir_.SetInsertPoint(entry_);
    create_slots();
    place_variables();
    for (std::size_t b = 0; b < analysis_.blocks.size(); ++b) {
        pending_.push_back(create_lanes("pending"));
        bodies_.push_back(new_block("block"));
    }
    create_spin_slots();
    arrived_.assign(analysis_.blocks.size(), nullptr);
    for (const BlockId meeting : analysis_.meetings) {
        arrived_[meeting] = create_lanes("arrived");
    }
    find_places_elsewhere();
    dispatch_.assign(analysis_.blocks.size() + 1, nullptr);
    end_ = new_block("end");

    first_row_ = static_cast<std::uint32_t>(tables_.blocks.size());
    for (const simt::Block& block : analysis_.blocks) {
        const bool branches = (block.exit == Exit::branch || block.exit == Exit::indirect) &&
                              !function_.body[block.last - 1].added;
        tables_.blocks.push_back({&function_, block.first, block.last, branches});
    }

    if (is_called_) {
        open_called_function();
    } else {
        open_warp_loop();
    }
    for (BlockId b = 0; b < analysis_.blocks.size(); ++b) emit_block(b);
    ir_.SetInsertPoint(end_);
    finish_warp();
    if (analysis_.blocks.size() > kManyBlocks) keep_in_memory();
    return std::move(diagnostics_);
}

/// Lanes wait nowhere.
void Emitter::clear_masks() {
    const auto clear = [&](llvm::AllocaInst* lanes) {
        if (lanes != nullptr) ir_.CreateStore(ir_.getInt32(0), lanes);
    };
    for (const auto* masks : {&pending_, &parked_, &arrived_}) {
        for (llvm::AllocaInst* mask : *masks) clear(mask);
    }
    for (const Watch& watch : watches_) clear(watch.lanes);
    if (turns_ != nullptr) {
        ir_.CreateStore(ir_.getInt32(0), turns_);
        ir_.CreateStore(ir_.getInt32(0), resumed_);
    }
}

/// A kernel: for each of its warps, all lanes that exist wait at block 0.
void Emitter::open_warp_loop() {
    context_argument_ = target_->getArg(0);
    llvm::Value* first = target_->getArg(1);
    last_warp_ = target_->getArg(2);
    frame_base_ = ir_.getInt64(0);
    llvm::BasicBlock* before = ir_.GetInsertBlock();
    warp_loop_ = new_block("warp");
    ir_.CreateBr(warp_loop_);
    ir_.SetInsertPoint(warp_loop_);
    llvm::PHINode* warp = ir_.CreatePHI(ir_.getInt32Ty(), 2, "warp");
    warp->addIncoming(first, before);
    warp_ = warp;
    clear_slots();
    clear_masks();
    llvm::Value* threads = context_field(offsetof(BlockContext, thread_count), ir_.getInt32Ty());
    llvm::Value* rest = ir_.CreateSub(threads, ir_.CreateMul(warp_, ir_.getInt32(kLanes)));
    llvm::SmallVector<std::uint32_t, kLanes> lane_numbers(kLanes);
    std::iota(lane_numbers.begin(), lane_numbers.end(), 0u);
    llvm::Value* lanes = llvm::ConstantDataVector::get(output_.getContext(), lane_numbers);
    llvm::Value* existing = bits_of(ir_.CreateICmpULT(lanes, splat(rest)));
    ir_.CreateStore(existing, pending_[0]);
    if (present_ != nullptr) ir_.CreateStore(existing, present_);
    ir_.CreateBr(bodies_[0]);
}

/// A called function: the lanes that the caller sends wait at block 0.
void Emitter::open_called_function() {
    context_argument_ = target_->getArg(0);
    warp_ = target_->getArg(1);
    argument_buffer_ = target_->getArg(3);
    result_buffer_ = target_->getArg(4);
    frame_base_ = target_->getArg(5);
    callers_lanes_ = {target_->getArg(6), target_->getArg(7)};
    returned_ = create_lanes("returned");
    clear_slots();
    clear_masks();
    ir_.CreateStore(ir_.getInt32(0), returned_);
    ir_.CreateStore(target_->getArg(2), pending_[0]);
    if (present_ != nullptr) ir_.CreateStore(target_->getArg(2), present_);
    ir_.CreateBr(bodies_[0]);
}

void Emitter::count_block(BlockId block) {
    if (!context_.counters) return;
    llvm::Value* rows = context_field(offsetof(BlockContext, blocks), ir_.getPtrTy());
    const std::size_t row = (first_row_ + block) * sizeof(BlockRow);
    const auto add = [&](std::size_t offset, llvm::Value* amount) {
        llvm::Value* field = ir_.CreateConstInBoundsGEP1_64(ir_.getInt8Ty(), rows, row + offset);
        llvm::Value* old = tag(ir_.CreateLoad(ir_.getInt64Ty(), field), Memory::counters);
        tag(ir_.CreateStore(ir_.CreateAdd(old, amount), field), Memory::counters);
    };
    add(offsetof(BlockRow, executions), ir_.getInt64(1));
    llvm::Value* lanes = ir_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, bits_of(block_mask_));
    add(offsetof(BlockRow, lanes), ir_.CreateZExt(lanes, ir_.getInt64Ty()));
}

void Emitter::emit_block(BlockId id) {
    const simt::Block& block = analysis_.blocks[id];
    ir_.SetInsertPoint(bodies_[id]);
    block_mask_ = mask_of(pending_lanes(id));
    ir_.CreateStore(ir_.getInt32(0), pending_[id]);
    current_block_ = id;
    yield_to_leavers(id);
    wait_for_parked(id);
    count_block(id);
    const bool has_exit = !simt::goes_on(block.exit) && block.first != block.last;
    for (std::uint32_t i = block.first; i < block.last - (has_exit ? 1 : 0); ++i) {
        emit_instruction(function_.body[i], id);
    }
    leave_block(id);
}

/// Lanes that come to a meeting while others, that it is for, are set aside in a loop are set aside
/// here until those have come, too.
void Emitter::wait_for_parked(BlockId id) {
    if (!is_meeting(id)) return;
    llvm::Type* i32 = ir_.getInt32Ty();
    llvm::Value* lanes = ir_.CreateOr(bits_of(block_mask_), ir_.CreateLoad(i32, arrived_[id]));
    block_mask_ = mask_of(lanes);
    ir_.CreateStore(ir_.getInt32(0), arrived_[id]);
    llvm::Value* missing = ir_.getInt32(0);
    for (const auto& loop : analysis_.spinning.loops) {
        missing = ir_.CreateOr(missing, ir_.CreateLoad(i32, parked_[loop.header]));
    }
    const ptx::Instruction& first = function_.body[analysis_.blocks[id].first];
    if (simt::is_warp_meeting(first)) {
        current_ = &first;
        missing = ir_.CreateAnd(missing, members(first));
    }
    llvm::BasicBlock* stay = new_block("stay");
    llvm::BasicBlock* on = new_block("meet");
    ir_.CreateCondBr(any(missing), stay, on, unlikely());
    ir_.SetInsertPoint(stay);
    ir_.CreateStore(lanes, arrived_[id]);
    go_to_first_pending(id, {}, false);
    ir_.SetInsertPoint(on);
}

bool Emitter::is_meeting(BlockId id) const {
    return std::binary_search(analysis_.meetings.begin(), analysis_.meetings.end(), id);
}

/// The lanes that a warp's meeting is for: those that the first lane here names.
llvm::Value* Emitter::members(const ptx::Instruction& instruction) {
    llvm::Value* named = source(instruction.operands.back(), ptx::Type::b32);
    if (!is_vector(named)) return named;
    llvm::Value* lane =
        ir_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, bits_of(block_mask_), ir_.getFalse());
    return ir_.CreateExtractElement(named, ir_.CreateAnd(lane, kLanes - 1));
}

void Emitter::leave_block(BlockId id) {
    const simt::Block& block = analysis_.blocks[id];
    const ptx::Instruction* last =
        block.first == block.last ? nullptr : &function_.body[block.last - 1];
    llvm::Value* guard = nullptr;
    if (last != nullptr && !simt::goes_on(block.exit)) {
        current_ = last;
        instruction_mask_ = block_mask_;
        if (last->guard) {
            guard = read_register(last->guard->predicate);
            if (last->guard->negated) guard = ir_.CreateNot(guard);
        }
    }
    llvm::Value* lanes = bits_of(block_mask_);
    switch (block.exit) {
        case Exit::fallthrough:
        case Exit::jump:
            send(id, lanes);
            go_to_first_pending(id, {block.successors[0]}, true);
            break;
        case Exit::call:
            send(id, lanes);
            go_to_first_pending(id, {block.successors[0]}, false);
            break;
        case Exit::branch:
            if (is_vector(guard)) {
                llvm::Value* taken = bits_of(guard);
                leave_divergent(
                    id, {ir_.CreateAnd(lanes, taken), ir_.CreateAnd(lanes, ir_.CreateNot(taken))});
            } else {
                leave_uniform_branch(id, guard);
            }
            break;
        case Exit::indirect: {
            llvm::Value* index = splat(source(last->operands[0], ptx::Type::u32));
            std::vector<llvm::Value*> parts;
            for (std::size_t s = 0; s < block.successors.size(); ++s) {
                llvm::Value* there =
                    ir_.CreateICmpEQ(index, llvm::ConstantInt::get(index->getType(), s));
                parts.push_back(ir_.CreateAnd(lanes, bits_of(there)));
            }
            leave_divergent(id, parts);
            break;
        }
        case Exit::leave:
        case Exit::leave_some: {
            llvm::Value* leaving =
                guard == nullptr ? block_mask_ : ir_.CreateAnd(block_mask_, splat(guard));
            if (last != nullptr && last->opcode == ptx::Opcode::trap) lower_trap(*this, leaving);
            retire(bits_of(leaving), last == nullptr || last->opcode == ptx::Opcode::ret);
            if (guard != nullptr) {
                send(id, ir_.CreateAnd(lanes, ir_.CreateNot(bits_of(leaving))));
            }
            go_to_first_pending(id, block.successors, false);
            break;
        }
    }
}

void Emitter::retire(llvm::Value* lanes, bool returns) {
    leave_function(lanes);
    if (returned_ == nullptr || !returns) return;
    llvm::Value* old = ir_.CreateLoad(ir_.getInt32Ty(), returned_);
    ir_.CreateStore(ir_.CreateOr(old, lanes), returned_);
}

void Emitter::leave_divergent(BlockId id, llvm::ArrayRef<llvm::Value*> lanes) {
    const simt::Block& block = analysis_.blocks[id];
    if (context_.counters && block.exit == Exit::branch) {
        llvm::Value* parted = ir_.CreateAnd(any(lanes[0]), any(lanes[1]));
        llvm::Value* rows = context_field(offsetof(BlockContext, blocks), ir_.getPtrTy());
        llvm::Value* field = ir_.CreateConstInBoundsGEP1_64(
            ir_.getInt8Ty(), rows,
            (first_row_ + id) * sizeof(BlockRow) + offsetof(BlockRow, parted));
        llvm::Value* old = tag(ir_.CreateLoad(ir_.getInt64Ty(), field), Memory::counters);
        tag(ir_.CreateStore(ir_.CreateAdd(old, ir_.CreateZExt(parted, ir_.getInt64Ty())), field),
            Memory::counters);
    }
    for (std::size_t s = 0; s < lanes.size(); ++s) send(id, lanes[s], s);
    go_to_first_pending(id, simt::distinct_successors(block), true);
}

void Emitter::leave_uniform_branch(BlockId id, llvm::Value* condition) {
    const simt::Block& block = analysis_.blocks[id];
    llvm::BasicBlock* taken = new_block("taken");
    llvm::BasicBlock* not_taken = new_block("not_taken");
    ir_.CreateCondBr(condition, taken, not_taken);
    for (const std::size_t s : {0, 1}) {
        ir_.SetInsertPoint(s == 0 ? taken : not_taken);
        send(id, bits_of(block_mask_), s);
        go_to_first_pending(id, {block.successors[s]}, true);
    }
}

}  // namespace wideload::jit
