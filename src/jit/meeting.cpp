// SPDX-License-Identifier: Apache-2.0
// Where lanes of a warp meet: whether those that execute a collective are those that it names. On a
// GPU it is undefined else; here it goes on with the lanes that came, and the host is told.
#include <algorithm>

#include "jit/emitter.h"
#include "simt/liveness.h"
#include "simt/transfer.h"
#include "simt/waiting.h"

namespace wideload::jit {

using simt::BlockId;

namespace {

constexpr std::uint32_t kAllLanes = ~0u;

bool is_same_mask(const ptx::Operand& left, const ptx::Operand& right) {
    if (left.kind == ptx::Operand::Kind::reg && right.kind == left.kind) {
        return left.reg == right.reg;
    }
    const auto known = simt::constant_of(left);
    return known && known == simt::constant_of(right);
}

}  // namespace

/// Whether lanes that a meeting in the function is for may be at other places when it is executed.
/// Most kernels have no such meeting, and then nothing looks where lanes are.
void Emitter::find_places_elsewhere() {
    const auto meets = [&](const ptx::Instruction& instruction) {
        return simt::is_warp_meeting(instruction) ||
               (instruction.opcode == ptx::Opcode::call && calls_may_meet_);
    };
    if (std::ranges::none_of(function_.body, meets)) return;
    checked_ = simt::Bitset(function_.body.size());
    departures_.emplace(function_, analysis_.blocks);
    bool elsewhere = is_called_ || analysis_.sets_aside;
    for (BlockId b = 0; b < analysis_.blocks.size() && !elsewhere; ++b) {
        const simt::Block& block = analysis_.blocks[b];
        for (std::uint32_t i = block.first; i < block.last; ++i) {
            const ptx::Instruction& instruction = function_.body[i];
            if (!meets(instruction)) continue;
            elsewhere |= instruction.guard && !departures_->nothing_follows(b, i);
            analysis_.pending[b].for_each([&](std::size_t waiting) {
                elsewhere |= !departures_->part_for_good(static_cast<BlockId>(waiting), b);
            });
        }
    }
    if (elsewhere) present_ = create_lanes("present");
}

void Emitter::leave_function(llvm::Value* lanes) {
    if (present_ == nullptr) return;
    llvm::Value* old = ir_.CreateLoad(ir_.getInt32Ty(), present_);
    ir_.CreateStore(ir_.CreateAnd(old, ir_.CreateNot(lanes)), present_);
}

/// Lanes of the warp besides `executing` that have not exited, and that are not on their way to do
/// so: those that come where lanes of the current block will come, too.
llvm::Value* Emitter::lanes_elsewhere(llvm::Value* executing) {
    if (present_ == nullptr) return ir_.getInt32(0);
    llvm::Type* i32 = ir_.getInt32Ty();
    llvm::Value* leaving = ir_.getInt32(0);
    const auto leave = [&](BlockId place, llvm::AllocaInst* lanes) {
        if (!departures_->part_for_good(place, current_block_)) return;
        leaving = ir_.CreateOr(leaving, ir_.CreateLoad(i32, lanes));
    };
    analysis_.pending[current_block_].for_each(
        [&](std::size_t place) { leave(static_cast<BlockId>(place), pending_[place]); });
    if (analysis_.sets_aside) {
        for (const simt::SpinningLoop& loop : analysis_.spinning.loops) {
            leave(loop.header, parked_[loop.header]);
        }
        for (const BlockId meeting : analysis_.meetings) leave(meeting, arrived_[meeting]);
    }
    const auto index = static_cast<std::uint32_t>(current_ - function_.body.data());
    if (departures_->nothing_follows(current_block_, index)) {
        leaving = ir_.CreateOr(leaving, bits_of(block_mask_));
    }
    llvm::Value* present = ir_.CreateLoad(i32, present_);
    llvm::Value* here = ir_.CreateAnd(present, ir_.CreateNot(leaving));
    if (is_called_) {
        llvm::Value* back = ir_.CreateLoad(i32, returned_);
        llvm::Value* go_on = ir_.CreateAnd(ir_.CreateOr(back, ir_.CreateAnd(present, leaving)),
                                           callers_lanes_.go_on);
        here = ir_.CreateOr({here, go_on, callers_lanes_.elsewhere});
    }
    return ir_.CreateAnd(here, ir_.CreateNot(executing));
}

Emitter::CallersLanes Emitter::lanes_around_call() {
    llvm::Value* nobody = ir_.getInt32(0);
    if (!calls_may_meet_) return {nobody, nobody};
    const auto index = static_cast<std::uint32_t>(current_ - function_.body.data());
    llvm::Value* go_on = ir_.getInt32(kAllLanes);
    if (departures_->nothing_follows(current_block_, index)) {
        go_on = is_called_ ? callers_lanes_.go_on : nobody;
    }
    return {lanes_elsewhere(mask_bits()), go_on};
}

/// Lanes that execute and whose mask does not name them: their bits.
llvm::Value* Emitter::unnamed_lanes(llvm::Value* members, llvm::Value* executing) {
    if (!is_vector(members)) return ir_.CreateAnd(executing, ir_.CreateNot(members));
    return lanes_whose_mask_differs(members, own_lanes(), executing);
}

/// Of `executing`, those whose mask is not the lane alone within `looked_at`.
llvm::Value* Emitter::lanes_whose_mask_differs(llvm::Value* members, llvm::Value* looked_at,
                                               llvm::Value* executing) {
    llvm::Value* differs = ir_.CreateICmpNE(ir_.CreateAnd(members, looked_at), own_lanes());
    return ir_.CreateAnd(executing, bits_of(differs));
}

/// Each lane's own bit: <32 x i32>.
llvm::Value* Emitter::own_lanes() {
    llvm::SmallVector<std::uint32_t, kLanes> bits;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) bits.push_back(1u << lane);
    return llvm::ConstantDataVector::get(output_.getContext(), bits);
}

/// Whether the mask of some executing lane names others than those that execute, or not that lane:
/// quickly, so true of lanes that have exited, too. i1
llvm::Value* Emitter::misfit(llvm::Value* members, llvm::Value* executing) {
    if (present_ == nullptr) return any(unnamed_lanes(members, executing));
    if (!is_vector(members)) return ir_.CreateICmpNE(members, executing);
    llvm::Value* looked_at = ir_.CreateOr(own_lanes(), splat(ir_.CreateNot(executing)));
    return any(lanes_whose_mask_differs(members, looked_at, executing));
}

/// The current block's meetings from this one on whose masks are known to be the same: what holds
/// of one holds of all, since the lanes of a block run all of it. They get numbers one after the
/// other.
/// @return how many they are
std::uint32_t Emitter::number_meetings(const ptx::Instruction& first) {
    const ptx::Operand& mask = first.operands.back();
    const auto begin = static_cast<std::uint32_t>(&first - function_.body.data());
    std::uint32_t count = 0;
    bool rewritten = false;
    for (std::uint32_t i = begin; i < analysis_.blocks[current_block_].last && !rewritten; ++i) {
        const ptx::Instruction& instruction = function_.body[i];
        const bool like_first =
            i == begin || (simt::is_warp_meeting(instruction) && !first.guard &&
                           !instruction.guard && is_same_mask(mask, instruction.operands.back()));
        if (like_first && !checked_.contains(i)) {
            checked_.insert(i);
            const auto same = std::ranges::find_if(tables_.meetings, [&](const Meeting& other) {
                return other.instruction->mnemonic == instruction.mnemonic;
            });
            const auto kind = static_cast<std::uint32_t>(same - tables_.meetings.begin());
            tables_.meetings.push_back({&instruction, first_row_ + current_block_, kind});
            ++count;
        }
        simt::for_each_definition(instruction, [&](ptx::RegisterId r) {
            rewritten |= mask.kind == ptx::Operand::Kind::reg && mask.reg == r;
        });
    }
    return count;
}

void Emitter::check_meeting(const ptx::Instruction& instruction) {
    const ptx::Operand& mask_operand = instruction.operands.back();
    const auto known = simt::constant_of(mask_operand);
    if (present_ == nullptr && known && static_cast<std::uint32_t>(*known) == kAllLanes) return;
    if (checked_.contains(static_cast<std::size_t>(&instruction - function_.body.data()))) return;
    llvm::Value* named = source(mask_operand, ptx::Type::b32);
    llvm::Value* executing = mask_bits();
    llvm::BasicBlock* check = new_block("check_meeting");
    llvm::BasicBlock* on = new_block("meet");
    ir_.CreateCondBr(misfit(named, executing), check, on, unlikely());

    ir_.SetInsertPoint(check);
    llvm::BasicBlock* tell = new_block("tell_meeting");
    llvm::Value* elsewhere = lanes_elsewhere(executing);
    llvm::Value* absent = is_vector(named) ? elsewhere : ir_.CreateAnd(named, elsewhere);
    llvm::Value* open = ir_.CreateLoad(
        ir_.getInt32Ty(), context_field_address(offsetof(BlockContext, short_meetings)));
    ir_.CreateCondBr(any(ir_.CreateOr({absent, unnamed_lanes(named, executing), open})), tell, on,
                     unlikely());

    ir_.SetInsertPoint(tell);
    const auto number = static_cast<std::uint32_t>(tables_.meetings.size());
    const std::uint32_t count = number_meetings(instruction);
    call("wl_meet", {context_argument_, warp_, ir_.getInt32(number), ir_.getInt32(count), executing,
                     spill(named, "members"), elsewhere});
    ir_.CreateBr(on);
    ir_.SetInsertPoint(on);
}

}  // namespace wideload::jit
