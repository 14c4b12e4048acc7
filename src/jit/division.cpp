// SPDX-License-Identifier: Apache-2.0
// div and rem. Nothing may trap: a divisor of zero gives all ones, as the sequences that GPUs run
// do, and the smallest integer divided by -1 is itself.
#include "jit/integer.h"
#include "jit/integer_values.h"

namespace wideload::jit {

using ptx::Opcode;

namespace {

/// Divisors that no division traps on; where they had to be replaced, the quotient by 1 is right or
/// not used.
llvm::Value* harmless_divisor(Emitter& emitter, llvm::Value* a, llvm::Value* b, bool is_signed) {
    llvm::IRBuilder<>& ir = emitter.ir();
    llvm::Value* replaced = ir.CreateICmpEQ(b, integer(emitter, b, 0));
    if (is_signed) {
        llvm::Value* smallest =
            llvm::ConstantInt::get(a->getType(), llvm::APInt::getSignedMinValue(bits_of_type(a)));
        replaced = ir.CreateOr(
            replaced,
            ir.CreateAnd(ir.CreateICmpEQ(a, smallest),
                         ir.CreateICmpEQ(b, llvm::Constant::getAllOnesValue(b->getType()))));
    }
    return ir.CreateSelect(replaced, integer(emitter, b, 1), b);
}

/// A quotient of integers of up to 32 bits by way of double, which is exact: where a / b is no
/// integer, it lies further from the next one than the rounding of 53 bits can move it. The same
/// holds for 16 bits and float.
llvm::Value* divide_as_floating(Emitter& emitter, llvm::Value* a, llvm::Value* b, bool is_signed) {
    llvm::IRBuilder<>& ir = emitter.ir();
    llvm::Type* floating =
        emitter.type_like(bits_of_type(a) == 32 ? ir.getDoubleTy() : ir.getFloatTy(), a);
    if (is_signed) {
        return ir.CreateFPToSI(
            ir.CreateFDiv(ir.CreateSIToFP(a, floating), ir.CreateSIToFP(b, floating)),
            a->getType());
    }
    return ir.CreateFPToUI(
        ir.CreateFDiv(ir.CreateUIToFP(a, floating), ir.CreateUIToFP(b, floating)), a->getType());
}

/// By a constant other than 0: the code generator multiplies.
llvm::Value* divide_by_constant(Emitter& emitter, llvm::Value* a, llvm::Constant* b,
                                bool is_signed) {
    if (!is_signed) return emitter.ir().CreateUDiv(a, b);
    return b->isAllOnesValue() ? emitter.ir().CreateNeg(a) : emitter.ir().CreateSDiv(a, b);
}

llvm::Value* quotient(Emitter& emitter, llvm::Value* a, llvm::Value* b, bool is_signed) {
    llvm::IRBuilder<>& ir = emitter.ir();
    if (auto* constant = llvm::dyn_cast<llvm::Constant>(b);
        constant != nullptr && !constant->isNullValue()) {
        return divide_by_constant(emitter, a, constant, is_signed);
    }
    b = harmless_divisor(emitter, a, b, is_signed);
    if (!Emitter::is_vector(a)) return is_signed ? ir.CreateSDiv(a, b) : ir.CreateUDiv(a, b);
    if (bits_of_type(a) < 64) return divide_as_floating(emitter, a, b, is_signed);
    return emitter.call_on_arrays(is_signed ? "wl_divide_s64" : "wl_divide_u64", ir.getInt64Ty(),
                                  {a, b});
}

}  // namespace

void lower_division(Emitter& emitter, const ptx::Instruction& instruction) {
    llvm::IRBuilder<>& ir = emitter.ir();
    const ptx::Type type = instruction.type();
    const bool is_signed = ptx::is_signed(type);
    const auto v = emitter.sources(instruction, 1, {type, type});
    llvm::Value* result = quotient(emitter, v[0], v[1], is_signed);
    if (instruction.opcode == Opcode::rem) {
        result = ir.CreateSub(v[0], ir.CreateMul(result, v[1]));
    }
    result = ir.CreateSelect(ir.CreateICmpEQ(v[1], integer(emitter, v[1], 0)),
                             llvm::Constant::getAllOnesValue(result->getType()), result);
    emitter.define(instruction.operands[0], result, type);
}

}  // namespace wideload::jit
