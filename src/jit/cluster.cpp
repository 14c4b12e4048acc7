// SPDX-License-Identifier: Apache-2.0
// mapa and getctarank where every block is a cluster of its own: an address of the block's own
// shared memory is its address in the cluster.
#include "jit/emitter.h"
#include "jit/lower.h"

namespace wideload::jit {

using ptx::Instruction;
using ptx::Type;

/// A block that is not there gets addresses that no shared memory reaches, so that an access fails.
void lower_cluster_address(Emitter& e, const Instruction& instruction) {
    auto& ir = e.ir();
    const Type type = instruction.type();
    if (instruction.opcode == ptx::Opcode::getctarank) {
        llvm::Value* like = e.source(instruction.operands[1], type);
        e.define(instruction.operands[0], e.constant(e.type_like(ir.getInt32Ty(), like), 0),
                 Type::u32);
        return;
    }
    const auto values = e.sources(instruction, 1, {type, Type::u32});
    llvm::Value* rank = ir.CreateZExtOrTrunc(values[1], values[0]->getType());
    llvm::Value* beyond = ir.CreateMul(rank, e.constant(rank->getType(), kWindowBytes));
    e.define(instruction.operands[0], ir.CreateAdd(values[0], beyond), type);
}

}  // namespace wideload::jit
