// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "jit/emitter.h"
#include "jit/lower.h"

namespace wideload::jit {
namespace {

using ptx::AtomOp;
using ptx::Instruction;
using ptx::Opcode;
using ptx::Type;

/// The barrier's number and how many threads it waits for (0: all of the block): scalars of the
/// first active lane.
llvm::Value* scalar_operand(Emitter& e, const Instruction& instruction, std::size_t index) {
    auto& ir = e.ir();
    if (index >= instruction.operands.size()) return ir.getInt32(0);
    llvm::Value* value = e.source(instruction.operands[index], Type::u32);
    if (!Emitter::is_vector(value)) return value;
    llvm::Value* lane =
        ir.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, e.mask_bits(), ir.getFalse());
    return ir.CreateExtractElement(value, ir.CreateAnd(lane, kLanes - 1));
}

void lower_barrier_reduction(Emitter& e, const Instruction& instruction) {
    auto& ir = e.ir();
    // d, barrier{, threads}, predicate
    const std::size_t last = instruction.operands.size() - 1;
    llvm::Value* predicate = e.splat(e.source(instruction.operands[last], Type::pred));
    llvm::Value* lanes = e.bits_of(ir.CreateAnd(predicate, e.mask()));
    llvm::Value* threads =
        last > 2 ? scalar_operand(e, instruction, 2) : static_cast<llvm::Value*>(ir.getInt32(0));
    llvm::Value* result =
        e.call("wl_barrier_reduce",
               {e.context_pointer(), e.warp(), scalar_operand(e, instruction, 1), threads,
                e.mask_bits(), lanes, ir.getInt32(static_cast<std::uint32_t>(instruction.atom_op))},
               ir.getInt32Ty());
    if (instruction.atom_op == AtomOp::popc) {
        e.define(instruction.operands[0], result, Type::u32);
    } else {
        e.define(instruction.operands[0], ir.CreateICmpNE(result, ir.getInt32(0)), Type::pred);
    }
}

void lower_barrier(Emitter& e, const Instruction& instruction) {
    auto& ir = e.ir();
    const auto has = [&](const char* word) {
        return instruction.form.find(word) != std::string::npos;
    };
    if (has("warp")) {
        // Lanes that reach this place together are together; memory is in order.
        ir.CreateFence(llvm::AtomicOrdering::AcquireRelease, llvm::SyncScope::SingleThread);
        return;
    }
    if (has("cluster")) {
        e.refuse("clusters of blocks are not supported by the virtual GPU");
        return;
    }
    if (has("red") || instruction.atom_op != AtomOp::none) {
        lower_barrier_reduction(e, instruction);
        return;
    }
    e.call(has("arrive") ? "wl_barrier_arrive" : "wl_barrier",
           {e.context_pointer(), e.warp(), scalar_operand(e, instruction, 0),
            scalar_operand(e, instruction, 1), e.mask_bits()});
}

}  // namespace

void lower_synchronization(Emitter& e, const Instruction& instruction) {
    switch (instruction.opcode) {
        case Opcode::bar:
        case Opcode::barrier:
            lower_barrier(e, instruction);
            break;
        case Opcode::nanosleep:
            e.call("wl_yield", {e.context_pointer(), e.warp()});
            break;
        default:
            e.ir().CreateFence(llvm::AtomicOrdering::SequentiallyConsistent);
            break;
    }
}

void lower_nothing(Emitter&, const Instruction&) {}

void lower_trap(Emitter& e, llvm::Value* lanes) {
    auto& ir = e.ir();
    e.call("wl_trap", {e.context_pointer(), e.warp(), e.bits_of(lanes),
                       ir.getInt32(e.instruction().ptx_line)});
}

}  // namespace wideload::jit
