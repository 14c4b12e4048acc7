// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic but for division, carries and dot products, which have files of their own.
#include "jit/integer.h"

#include "jit/integer_values.h"
#include "jit/lower.h"

namespace wideload::jit {

using ptx::Instruction;
using ptx::MulMode;
using ptx::Opcode;
using ptx::Type;

namespace {

using Values = std::vector<llvm::Value*>;

/// a × b as `mul` and `mad` want it: twice as wide as the operands in .wide.
llvm::Value* product(Emitter& emitter, llvm::Value* a, llvm::Value* b, MulMode mode,
                     bool is_signed) {
    if (mode == MulMode::hi) return high_product(emitter, a, b, is_signed);
    if (mode == MulMode::wide) {
        const unsigned bits = bits_of_type(a) * 2;
        a = resize(emitter, a, bits, is_signed);
        b = resize(emitter, b, bits, is_signed);
    }
    return emitter.ir().CreateMul(a, b);
}

/// The 48-bit product of the low 24 bits: its low or its high 32 bits.
llvm::Value* product24(Emitter& emitter, llvm::Value* a, llvm::Value* b, MulMode mode,
                       bool is_signed) {
    llvm::IRBuilder<>& ir = emitter.ir();
    const auto low24 = [&](llvm::Value* value) {
        value = ir.CreateShl(value, 8);
        return is_signed ? ir.CreateAShr(value, 8) : ir.CreateLShr(value, 8);
    };
    a = low24(a);
    b = low24(b);
    if (mode != MulMode::hi) return ir.CreateMul(a, b);
    llvm::Value* wide =
        ir.CreateMul(resize(emitter, a, 64, is_signed), resize(emitter, b, 64, is_signed));
    return resize(emitter, ir.CreateLShr(wide, 16), 32, false);
}

llvm::Value* saturating(Emitter& emitter, llvm::Intrinsic::ID operation, llvm::Value* a,
                        llvm::Value* b) {
    return emitter.ir().CreateBinaryIntrinsic(operation, a, b);
}

Type doubled(Type type) {
    switch (type) {
        case Type::u16:
            return Type::u32;
        case Type::s16:
            return Type::s32;
        case Type::u32:
            return Type::u64;
        default:
            return Type::s64;
    }
}

void lower_sum(Emitter& emitter, const Instruction& instruction) {
    const Type type = instruction.type();
    const Values v = emitter.sources(instruction, 1, {type, type});
    const bool adds = instruction.opcode == Opcode::add;
    llvm::Value* result = nullptr;
    if (instruction.sat) {
        const bool is_signed = ptx::is_signed(type);
        result =
            saturating(emitter,
                       adds ? (is_signed ? llvm::Intrinsic::sadd_sat : llvm::Intrinsic::uadd_sat)
                            : (is_signed ? llvm::Intrinsic::ssub_sat : llvm::Intrinsic::usub_sat),
                       v[0], v[1]);
    } else {
        result = adds ? emitter.ir().CreateAdd(v[0], v[1]) : emitter.ir().CreateSub(v[0], v[1]);
    }
    emitter.define(instruction.operands[0], result, type);
}

void lower_product(Emitter& emitter, const Instruction& instruction) {
    const Type type = instruction.type();
    const bool wide = instruction.mul_mode == MulMode::wide;
    const Type result_type = wide ? doubled(type) : type;
    const bool is_24 = instruction.opcode == Opcode::mul24 || instruction.opcode == Opcode::mad24;
    const bool adds = instruction.opcode == Opcode::mad || instruction.opcode == Opcode::mad24;
    const Values v = adds ? emitter.sources(instruction, 1, {type, type, result_type})
                          : emitter.sources(instruction, 1, {type, type});
    llvm::Value* result = (is_24 ? product24 : product)(emitter, v[0], v[1], instruction.mul_mode,
                                                        ptx::is_signed(type));
    if (adds && instruction.sat) {
        result = saturating(emitter, llvm::Intrinsic::sadd_sat, result, v[2]);
    } else if (adds) {
        result = emitter.ir().CreateAdd(result, v[2]);
    }
    emitter.define(instruction.operands[0], result, result_type);
}

void lower_sum_of_differences(Emitter& emitter, const Instruction& instruction) {
    llvm::IRBuilder<>& ir = emitter.ir();
    const Type type = instruction.type();
    const bool is_signed = ptx::is_signed(type);
    const Values v = emitter.sources(instruction, 1, {type, type, type});
    llvm::Value* difference = ir.CreateSub(maximum(emitter, v[0], v[1], is_signed),
                                           minimum(emitter, v[0], v[1], is_signed));
    emitter.define(instruction.operands[0], ir.CreateAdd(v[2], difference), type);
}

void lower_sign(Emitter& emitter, const Instruction& instruction) {
    llvm::IRBuilder<>& ir = emitter.ir();
    const Type type = instruction.type();
    llvm::Value* a = emitter.source(instruction.operands[1], type);
    llvm::Value* result = instruction.opcode == Opcode::neg
                              ? ir.CreateNeg(a)
                              : ir.CreateBinaryIntrinsic(llvm::Intrinsic::abs, a, ir.getFalse());
    emitter.define(instruction.operands[0], result, type);
}

/// Halves of packed values are lanes of their own: `scalar` 32 bits become 2 × 16, 32 lanes
/// become 64.
llvm::Value* as_halves(Emitter& emitter, llvm::Value* packed) {
    const unsigned halves = Emitter::is_vector(packed) ? 2 * simt::kLanes : 2;
    return emitter.ir().CreateBitCast(
        packed, llvm::FixedVectorType::get(emitter.ir().getInt16Ty(), halves));
}

void lower_packed(Emitter& emitter, const Instruction& instruction) {
    llvm::IRBuilder<>& ir = emitter.ir();
    const Type type = instruction.type();
    const bool is_signed = ptx::is_signed(type);
    const Values v = emitter.sources(instruction, 1, {type, type});
    llvm::Value *a = as_halves(emitter, v[0]), *b = as_halves(emitter, v[1]), *result = nullptr;
    switch (instruction.opcode) {
        case Opcode::add:
            result = ir.CreateAdd(a, b);
            break;
        case Opcode::sub:
            result = ir.CreateSub(a, b);
            break;
        case Opcode::min:
            result = minimum(emitter, a, b, is_signed);
            break;
        case Opcode::max:
            result = maximum(emitter, a, b, is_signed);
            break;
        default:
            emitter.refuse("this instruction has no form for two packed integers");
            return;
    }
    if (instruction.relu) result = maximum(emitter, result, integer(emitter, result, 0), true);
    emitter.define(instruction.operands[0], ir.CreateBitCast(result, v[0]->getType()), type);
}

void lower_extremum(Emitter& emitter, const Instruction& instruction) {
    const Type type = instruction.type();
    const Values v = emitter.sources(instruction, 1, {type, type});
    const bool is_signed = ptx::is_signed(type);
    llvm::Value* result = instruction.opcode == Opcode::min
                              ? minimum(emitter, v[0], v[1], is_signed)
                              : maximum(emitter, v[0], v[1], is_signed);
    if (instruction.relu) result = maximum(emitter, result, integer(emitter, result, 0), true);
    emitter.define(instruction.operands[0], result, type);
}

bool touches_carry(const Instruction& instruction) {
    return instruction.carry_out || instruction.opcode == Opcode::addc ||
           instruction.opcode == Opcode::subc || instruction.opcode == Opcode::madc;
}

}  // namespace

void lower_integer(Emitter& emitter, const Instruction& instruction) {
    if (touches_carry(instruction)) return lower_with_carry(emitter, instruction);
    if (ptx::is_packed(instruction.type())) return lower_packed(emitter, instruction);
    switch (instruction.opcode) {
        case Opcode::add:
        case Opcode::sub:
            return lower_sum(emitter, instruction);
        case Opcode::mul:
        case Opcode::mad:
        case Opcode::mul24:
        case Opcode::mad24:
            return lower_product(emitter, instruction);
        case Opcode::sad:
            return lower_sum_of_differences(emitter, instruction);
        case Opcode::abs:
        case Opcode::neg:
            return lower_sign(emitter, instruction);
        case Opcode::min:
        case Opcode::max:
            return lower_extremum(emitter, instruction);
        case Opcode::div:
        case Opcode::rem:
            return lower_division(emitter, instruction);
        case Opcode::dp4a:
        case Opcode::dp2a:
            return lower_dot_product(emitter, instruction);
        default:
            emitter.refuse("this instruction has no form for integers");
    }
}

}  // namespace wideload::jit
