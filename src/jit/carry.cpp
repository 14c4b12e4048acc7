// SPDX-License-Identifier: Apache-2.0
// Additions that leave a carry for the next: the condition code register is a mask of lanes.
#include "jit/integer.h"
#include "jit/integer_values.h"

namespace wideload::jit {

using ptx::Instruction;
using ptx::MulMode;
using ptx::Opcode;

namespace {

struct Sum {
    llvm::Value* value;
    llvm::Value* carry;  ///< i1, or a mask
};

Sum add_with_carry(Emitter& emitter, llvm::Value* a, llvm::Value* b, llvm::Value* carry_in) {
    llvm::IRBuilder<>& ir = emitter.ir();
    llvm::Value* partial = ir.CreateAdd(a, b);
    llvm::Value* carry = ir.CreateICmpULT(partial, a);
    if (carry_in == nullptr) return {partial, carry};
    llvm::Value* sum = ir.CreateAdd(partial, ir.CreateZExt(carry_in, partial->getType()));
    return {sum, ir.CreateOr(carry, ir.CreateICmpULT(sum, partial))};
}

/// a − b is a + ~b + 1, and the flag is that sum's carry: set where no borrow was needed. The PTX
/// manual calls it a borrow, which nothing but a mix with addc can tell apart; the 128-bit division
/// that nvcc puts in is such a mix, and needs this.
Sum subtract_with_carry(Emitter& emitter, llvm::Value* a, llvm::Value* b, llvm::Value* carry_in) {
    llvm::IRBuilder<>& ir = emitter.ir();
    if (carry_in == nullptr) return {ir.CreateSub(a, b), ir.CreateICmpUGE(a, b)};
    return add_with_carry(emitter, a, ir.CreateNot(b), carry_in);
}

void write_carry(Emitter& emitter, llvm::Value* carry) {
    llvm::IRBuilder<>& ir = emitter.ir();
    llvm::AllocaInst* flag = emitter.carry_flag();
    llvm::Value* old = ir.CreateLoad(flag->getAllocatedType(), flag);
    ir.CreateStore(ir.CreateSelect(emitter.mask(), emitter.splat(carry), old), flag);
}

}  // namespace

void lower_with_carry(Emitter& emitter, const Instruction& instruction) {
    llvm::IRBuilder<>& ir = emitter.ir();
    const ptx::Type type = instruction.type();
    const bool takes_carry = instruction.opcode == Opcode::addc ||
                             instruction.opcode == Opcode::subc ||
                             instruction.opcode == Opcode::madc;
    const bool multiplies = instruction.opcode == Opcode::mad || instruction.opcode == Opcode::madc;
    std::vector<llvm::Value*> v = multiplies ? emitter.sources(instruction, 1, {type, type, type})
                                             : emitter.sources(instruction, 1, {type, type});
    llvm::Value* carry_in = nullptr;
    if (takes_carry) {
        llvm::AllocaInst* flag = emitter.carry_flag();
        carry_in = ir.CreateLoad(flag->getAllocatedType(), flag);
        for (llvm::Value*& value : v) value = emitter.splat(value);
    }
    if (multiplies) {
        llvm::Value* product = instruction.mul_mode == MulMode::hi
                                   ? high_product(emitter, v[0], v[1], ptx::is_signed(type))
                                   : ir.CreateMul(v[0], v[1]);
        v = {product, v[2]};
    }
    const bool subtracts = instruction.opcode == Opcode::sub || instruction.opcode == Opcode::subc;
    const Sum sum =
        (subtracts ? subtract_with_carry : add_with_carry)(emitter, v[0], v[1], carry_in);
    emitter.define(instruction.operands[0], sum.value, type);
    if (instruction.carry_out) write_carry(emitter, sum.carry);
}

}  // namespace wideload::jit
