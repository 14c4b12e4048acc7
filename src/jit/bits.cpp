// SPDX-License-Identifier: Apache-2.0
// Logic on whole values, and bits counted and found.
#include "jit/bits.h"

#include "jit/integer_values.h"
#include "jit/lower.h"

namespace wideload::jit {

using ptx::Instruction;
using ptx::Opcode;
using ptx::Type;

namespace {

llvm::Value* logic(Emitter& emitter, const Instruction& instruction) {
    llvm::IRBuilder<>& ir = emitter.ir();
    const Type type = instruction.type();
    if (instruction.opcode == Opcode::not_) {
        return ir.CreateNot(emitter.source(instruction.operands[1], type));
    }
    if (instruction.opcode == Opcode::cnot) {
        llvm::Value* a = emitter.source(instruction.operands[1], type);
        return ir.CreateZExt(ir.CreateICmpEQ(a, integer(emitter, a, 0)), a->getType());
    }
    const auto v = emitter.sources(instruction, 1, {type, type});
    if (instruction.opcode == Opcode::and_) return ir.CreateAnd(v[0], v[1]);
    if (instruction.opcode == Opcode::or_) return ir.CreateOr(v[0], v[1]);
    return ir.CreateXor(v[0], v[1]);
}

llvm::Value* leading_zeros(Emitter& emitter, llvm::Value* value) {
    return emitter.ir().CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, value,
                                              emitter.ir().getFalse());
}

/// The position of the first bit from the top that is not a copy of the sign, or its distance from
/// the top.
llvm::Value* find_leading_bit(Emitter& emitter, llvm::Value* value, bool is_signed,
                              bool distance_from_top) {
    llvm::IRBuilder<>& ir = emitter.ir();
    const unsigned bits = bits_of_type(value);
    if (is_signed) value = ir.CreateXor(value, ir.CreateAShr(value, bits - 1));
    llvm::Value* zeros = leading_zeros(emitter, value);
    // Nothing found: bits − 1 − bits is all ones by itself.
    if (!distance_from_top) return ir.CreateSub(integer(emitter, value, bits - 1), zeros);
    return ir.CreateSelect(ir.CreateICmpEQ(value, integer(emitter, value, 0)),
                           llvm::Constant::getAllOnesValue(value->getType()), zeros);
}

/// Instructions that count: a result of 32 bits whatever the operand's width.
llvm::Value* count(Emitter& emitter, const Instruction& instruction) {
    llvm::Value* a = emitter.source(instruction.operands[1], instruction.type());
    if (instruction.opcode == Opcode::clz) return leading_zeros(emitter, a);
    if (instruction.opcode == Opcode::popc) {
        return emitter.ir().CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, a);
    }
    return find_leading_bit(emitter, a, ptx::is_signed(instruction.type()), instruction.shiftamt);
}

}  // namespace

void lower_bits(Emitter& emitter, const Instruction& instruction) {
    const auto& destination = instruction.operands[0];
    switch (instruction.opcode) {
        case Opcode::lop3:
            return lower_lop3(emitter, instruction);
        case Opcode::prmt:
            return lower_prmt(emitter, instruction);
        case Opcode::bfe:
        case Opcode::bfi:
        case Opcode::bmsk:
        case Opcode::szext:
            return lower_bit_field(emitter, instruction);
        case Opcode::shl:
        case Opcode::shr:
        case Opcode::shf:
            return lower_shift(emitter, instruction);
        case Opcode::clz:
        case Opcode::popc:
        case Opcode::bfind:
            return emitter.define(
                destination, resize(emitter, count(emitter, instruction), 32, false), Type::b32);
        case Opcode::brev: {
            llvm::Value* a = emitter.source(instruction.operands[1], instruction.type());
            return emitter.define(destination,
                                  emitter.ir().CreateUnaryIntrinsic(llvm::Intrinsic::bitreverse, a),
                                  instruction.type());
        }
        case Opcode::fns:
            return emitter.define(
                destination,
                emitter.call_on_arrays(
                    "wl_find_nth_set", emitter.ir().getInt32Ty(),
                    emitter.sources(instruction, 1, {Type::b32, Type::b32, Type::b32})),
                Type::b32);
        default:
            return emitter.define(destination, logic(emitter, instruction), instruction.type());
    }
}

}  // namespace wideload::jit
