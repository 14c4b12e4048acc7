// SPDX-License-Identifier: Apache-2.0
#include "jit/bits.h"
#include "jit/integer_values.h"

namespace wideload::jit {

using ptx::Instruction;
using ptx::Opcode;
using ptx::ShiftMode;
using ptx::Type;

namespace {

/// Amounts are 32 bits whatever is shifted. One that counts as too far stays so when it is cut to
/// 16 bits.
llvm::Value* amount_for(Emitter& emitter, llvm::Value* amount, llvm::Value* shifted) {
    const unsigned bits = bits_of_type(shifted);
    if (bits < 32) amount = minimum(emitter, amount, integer(emitter, amount, bits), false);
    return resize(emitter, amount, bits, false);
}

/// 32 bits of {b, a}, shifted left or right.
void lower_funnel(Emitter& emitter, const Instruction& instruction) {
    llvm::IRBuilder<>& ir = emitter.ir();
    const auto v = emitter.sources(instruction, 1, {Type::b32, Type::b32, Type::b32});
    llvm::Value *low = v[0], *high = v[1], *amount = v[2];
    const ShiftMode mode = instruction.shift_mode;
    const bool left =
        mode == ShiftMode::left || mode == ShiftMode::wrap_left || mode == ShiftMode::clamp_left;
    llvm::Value* result = ir.CreateIntrinsic(left ? llvm::Intrinsic::fshl : llvm::Intrinsic::fshr,
                                             {low->getType()}, {high, low, amount});
    if (mode == ShiftMode::clamp_left || mode == ShiftMode::clamp_right) {
        llvm::Value* whole = ir.CreateICmpUGE(amount, integer(emitter, amount, 32));
        result = ir.CreateSelect(whole, left ? low : high, result);
    }
    emitter.define(instruction.operands[0], result, Type::b32);
}

}  // namespace

void lower_shift(Emitter& emitter, const Instruction& instruction) {
    if (instruction.opcode == Opcode::shf) return lower_funnel(emitter, instruction);
    const Type type = instruction.type();
    const auto v = emitter.sources(instruction, 1, {type, Type::u32});
    llvm::Value* amount = amount_for(emitter, v[1], v[0]);
    llvm::Value* result = instruction.opcode == Opcode::shl
                              ? shift_left(emitter, v[0], amount)
                              : shift_right(emitter, v[0], amount, ptx::is_signed(type));
    emitter.define(instruction.operands[0], result, type);
}

}  // namespace wideload::jit
