// SPDX-License-Identifier: Apache-2.0
// Lanes that vote, match and elect among themselves.
#include "jit/warp.h"

#include "jit/integer_values.h"
#include "jit/lower.h"

namespace wideload::jit {

using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;
using ptx::Type;
using ptx::VoteMode;

llvm::Value* participants(Emitter& emitter, const Instruction& instruction) {
    llvm::Value* executing = emitter.mask_bits();
    if (!instruction.sync) return executing;
    llvm::Value* members = emitter.source(instruction.operands.back(), Type::b32);
    if (Emitter::is_vector(members)) executing = emitter.splat(executing);
    return emitter.ir().CreateAnd(members, executing);
}

namespace {

void lower_vote(Emitter& emitter, const Instruction& instruction) {
    llvm::IRBuilder<>& ir = emitter.ir();
    llvm::Value* group = participants(emitter, instruction);
    llvm::Value* votes =
        emitter.bits_of(emitter.splat(emitter.source(instruction.operands[1], Type::pred)));
    if (Emitter::is_vector(group)) votes = emitter.splat(votes);
    llvm::Value* holding = ir.CreateAnd(votes, group);
    llvm::Value* zero = integer(emitter, group, 0);
    const Operand& destination = instruction.operands[0];
    switch (instruction.vote_mode) {
        case VoteMode::ballot:
            return emitter.define(destination, holding, Type::b32);
        case VoteMode::all:
            return emitter.define(destination, ir.CreateICmpEQ(holding, group), Type::pred);
        case VoteMode::any:
            return emitter.define(destination, ir.CreateICmpNE(holding, zero), Type::pred);
        default:
            return emitter.define(
                destination,
                ir.CreateOr(ir.CreateICmpEQ(holding, group), ir.CreateICmpEQ(holding, zero)),
                Type::pred);
    }
}

/// The lanes of each lane's group that hold its value; match.all only wants to know whether these
/// are all.
void lower_match(Emitter& emitter, const Instruction& instruction) {
    llvm::IRBuilder<>& ir = emitter.ir();
    const bool is_wide = ptx::bit_width(instruction.type()) == 64;
    llvm::Value* value =
        emitter.splat(emitter.source(instruction.operands[1], is_wide ? Type::b64 : Type::b32));
    llvm::Value* group = emitter.splat(participants(emitter, instruction));
    llvm::Value* matching = emitter.call_on_arrays(is_wide ? "wl_match_64" : "wl_match_32",
                                                   ir.getInt32Ty(), {value, group});
    if (instruction.form.find("all") == std::string::npos) {
        emitter.define(instruction.operands[0], matching, Type::b32);
        return;
    }
    llvm::Value* all = ir.CreateICmpEQ(matching, group);
    llvm::Value* result = ir.CreateSelect(all, group, integer(emitter, group, 0));
    emitter.define_element(instruction.operands[0], 0, result, Type::b32);
    emitter.define_element(instruction.operands[0], 1, all, Type::pred);
}

/// The lowest lane of the group.
void lower_elect(Emitter& emitter, const Instruction& instruction) {
    llvm::IRBuilder<>& ir = emitter.ir();
    llvm::Value* group = emitter.splat(participants(emitter, instruction));
    llvm::Value* leader = ir.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, group, ir.getFalse());
    llvm::Value* elected = ir.CreateICmpEQ(leader, emitter.special(ptx::SpecialRegister::laneid));
    emitter.define_element(instruction.operands[0], 0, leader, Type::b32);
    emitter.define_element(instruction.operands[0], 1, elected, Type::pred);
}

}  // namespace

void lower_warp(Emitter& emitter, const Instruction& instruction) {
    switch (instruction.opcode) {
        case Opcode::shfl:
            return lower_shfl(emitter, instruction);
        case Opcode::vote:
            return lower_vote(emitter, instruction);
        case Opcode::match:
            return lower_match(emitter, instruction);
        case Opcode::redux:
            return lower_redux(emitter, instruction);
        case Opcode::elect:
            return lower_elect(emitter, instruction);
        default:
            return emitter.define(instruction.operands[0], emitter.mask_bits(), Type::b32);
    }
}

}  // namespace wideload::jit
