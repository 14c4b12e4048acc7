// SPDX-License-Identifier: Apache-2.0
// mbarrier: objects in shared memory that threads and bulk copies arrive at and threads wait for.
// Every operation runs in host code, each active lane in turn.
#include "jit/runtime/mbarrier.h"
#include "jit/lower.h"
#include "jit/memory_access.h"
#include "jit/runtime/mbarrier_state.h"

namespace wideload::jit {
namespace {

using ptx::Instruction;
using ptx::Operand;
using ptx::Type;

MbarrierStep step_of(const Instruction& instruction) {
    const bool expects = instruction.in_form("expect_tx");
    if (instruction.in_form("init")) return MbarrierStep::init;
    if (instruction.in_form("inval")) return MbarrierStep::inval;
    if (instruction.in_form("complete_tx")) return MbarrierStep::complete;
    if (instruction.in_form("arrive_drop")) {
        return expects ? MbarrierStep::arrive_drop_expect : MbarrierStep::arrive_drop;
    }
    if (instruction.in_form("arrive")) {
        return expects ? MbarrierStep::arrive_expect : MbarrierStep::arrive;
    }
    return MbarrierStep::expect;
}

/// All but the waits. @return the objects' states before, <32 x i64>
llvm::Value* take_step(Emitter& e, MbarrierStep step, const Operand& address,
                       const Operand* value) {
    auto& ir = e.ir();
    llvm::Value* values =
        value == nullptr ? static_cast<llvm::Value*>(ir.getInt32(1)) : e.source(*value, Type::u32);
    llvm::Type* states = llvm::FixedVectorType::get(ir.getInt64Ty(), kLanes);
    llvm::AllocaInst* before = e.scratch(states, "states");
    e.call("wl_mbarrier",
           {e.context_pointer(), e.warp(), ir.getInt32(e.instruction().ptx_line),
            ir.getInt32(static_cast<std::uint32_t>(step)), address_lanes(e, address, "addresses"),
            e.mask_bits(), e.spill(values, "values"), before});
    return ir.CreateLoad(states, before);
}

void lower_wait(Emitter& e, const Instruction& instruction) {
    auto& ir = e.ir();
    const bool by_parity = instruction.in_form("parity");
    const Operand &address = instruction.operands[1], &phase = instruction.operands[2];
    const bool uniform =
        e.operand_shape(address).is_uniform() && e.operand_shape(phase).is_uniform();
    llvm::Value* phases = e.source(phase, by_parity ? Type::u32 : Type::b64);
    phases = ir.CreateZExt(phases, e.type_like(ir.getInt64Ty(), phases));
    llvm::Value* ended =
        e.call(instruction.in_form("try_wait") ? "wl_mbarrier_try_wait" : "wl_mbarrier_test_wait",
               {e.context_pointer(), e.warp(), ir.getInt32(instruction.ptx_line),
                ir.getInt32(by_parity ? 1 : 0), address_lanes(e, address, "addresses"),
                e.mask_bits(), e.spill(phases, "phases")},
               ir.getInt32Ty());
    // Lanes that ask the same at the same time learn the same.
    llvm::Value* result = uniform ? ir.CreateICmpNE(ended, ir.getInt32(0)) : e.mask_of(ended);
    e.define(instruction.operands[0], result, Type::pred);
}

/// The arrivals that were pending when an arrival gave this state.
void lower_pending_count(Emitter& e, const Instruction& instruction) {
    auto& ir = e.ir();
    llvm::Value* state = e.source(instruction.operands[1], Type::b64);
    llvm::Value* shifted = ir.CreateLShr(state, e.constant(state->getType(), kPendingShift));
    llvm::Value* count = ir.CreateAnd(shifted, e.constant(state->getType(), kMostArrivals));
    e.define(instruction.operands[0], ir.CreateTrunc(count, e.type_like(ir.getInt32Ty(), count)),
             Type::u32);
}

}  // namespace

void lower_mbarrier(Emitter& e, const Instruction& instruction) {
    if (instruction.in_form("test_wait") || instruction.in_form("try_wait")) {
        return lower_wait(e, instruction);
    }
    if (instruction.in_form("pending_count")) return lower_pending_count(e, instruction);
    const MbarrierStep step = step_of(instruction);
    const bool gives_state = instruction.operands[0].kind != Operand::Kind::address;
    const std::size_t first = gives_state ? 1 : 0;
    const Operand* value =
        instruction.operands.size() > first + 1 ? &instruction.operands[first + 1] : nullptr;
    llvm::Value* before = take_step(e, step, instruction.operands[first], value);
    if (gives_state) e.define(instruction.operands[0], before, Type::b64);
}

/// cp.async.mbarrier.arrive: a thread's copies so far are complete, so the arrival comes at once.
/// Without .noinc it was not expected: one more arrival is pending from here until it comes, which
/// leaves the object as it was.
void lower_copy_arrival(Emitter& e, const Instruction& instruction) {
    if (instruction.in_form("noinc")) {
        take_step(e, MbarrierStep::arrive, instruction.operands[0], nullptr);
    }
}

}  // namespace wideload::jit
