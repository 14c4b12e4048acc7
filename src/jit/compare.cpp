// SPDX-License-Identifier: Apache-2.0
// set, setp, selp, slct, testp.
#include "jit/comparison.h"
#include "jit/integer_values.h"
#include "jit/lower.h"

namespace wideload::jit {

using ptx::BoolOp;
using ptx::Instruction;
using ptx::Opcode;
using ptx::Type;

namespace {

bool holds_halves(Type type) {
    return type == Type::f16 || type == Type::bf16 || type == Type::f16x2 || type == Type::bf16x2;
}

/// a against b, and of packed types the high halves too.
struct Comparisons {
    llvm::Value* low;
    llvm::Value* high = nullptr;
};

Comparisons compare(Emitter& emitter, const Instruction& instruction, Type type) {
    llvm::IRBuilder<>& ir = emitter.ir();
    const Type as = holds_halves(type) ? bits_type(type) : type;
    const auto v = emitter.sources(instruction, 1, {as, as});
    if (!holds_halves(type)) {
        return {ptx::is_float(type) ? compare_floats(emitter, instruction.comparison, v[0], v[1],
                                                     instruction.ftz && type == Type::f32)
                                    : compare_integers(emitter, instruction.comparison, v[0], v[1],
                                                       ptx::is_signed(type))};
    }
    const auto of_halves = [&](unsigned shift) {
        return compare_halves(
            emitter, instruction.comparison, resize(emitter, ir.CreateLShr(v[0], shift), 16, false),
            resize(emitter, ir.CreateLShr(v[1], shift), 16, false), type, instruction.ftz);
    };
    if (!ptx::is_packed(type)) return {of_halves(0)};
    return {of_halves(0), of_halves(16)};
}

/// With the predicate operand of .and, .or, .xor, where there is one.
llvm::Value* combine(Emitter& emitter, const Instruction& instruction, llvm::Value* result) {
    if (instruction.bool_op == BoolOp::none || instruction.operands.size() < 4) return result;
    llvm::IRBuilder<>& ir = emitter.ir();
    llvm::Value* c = emitter.source(instruction.operands[3], Type::pred);
    if (Emitter::is_vector(c) || Emitter::is_vector(result)) {
        c = emitter.splat(c);
        result = emitter.splat(result);
    }
    if (instruction.bool_op == BoolOp::and_) return ir.CreateAnd(result, c);
    if (instruction.bool_op == BoolOp::or_) return ir.CreateOr(result, c);
    return ir.CreateXor(result, c);
}

void lower_setp(Emitter& emitter, const Instruction& instruction) {
    const Comparisons compared = compare(emitter, instruction, instruction.type());
    const ptx::Operand& destination = instruction.operands[0];
    llvm::Value* p = combine(emitter, instruction, compared.low);
    llvm::Value* q = nullptr;
    if (destination.kind == ptx::Operand::Kind::vector) {
        // Of one comparison q is the opposite, of two it is the other.
        llvm::Value* second =
            compared.high == nullptr ? emitter.ir().CreateNot(compared.low) : compared.high;
        q = combine(emitter, instruction, second);
    }
    emitter.define_element(destination, 0, p, Type::pred);
    if (q != nullptr) emitter.define_element(destination, 1, q, Type::pred);
}

/// What `set` writes for true: 1.0 of a floating-point type, all ones of an integer.
std::uint64_t true_bits(Type type) {
    switch (type) {
        case Type::f32:
            return 0x3f800000;
        case Type::f16:
        case Type::f16x2:
            return 0x3c00;
        case Type::bf16:
        case Type::bf16x2:
            return 0x3f80;
        default:
            return ~std::uint64_t{0};
    }
}

void lower_set(Emitter& emitter, const Instruction& instruction) {
    llvm::IRBuilder<>& ir = emitter.ir();
    const Type type = instruction.types[0];
    const Comparisons compared = compare(emitter, instruction, instruction.types[1]);
    const auto value_of = [&](llvm::Value* holds, unsigned bits) {
        holds = combine(emitter, instruction, holds);
        llvm::Type* result = emitter.type_like(ir.getIntNTy(bits), holds);
        return ir.CreateSelect(holds, emitter.constant(result, true_bits(type)),
                               llvm::Constant::getNullValue(result));
    };
    llvm::Value* result = nullptr;
    if (compared.high != nullptr) {
        llvm::Value* high = resize(emitter, value_of(compared.high, 16), 32, false);
        result = ir.CreateOr(resize(emitter, value_of(compared.low, 16), 32, false),
                             ir.CreateShl(high, 16));
    } else {
        result = value_of(compared.low, ptx::bit_width(type));
    }
    emitter.define(instruction.operands[0], result, bits_type(type));
}

void lower_selp(Emitter& emitter, const Instruction& instruction) {
    const Type type = bits_type(instruction.type());
    const auto v = emitter.sources(instruction, 1, {type, type, Type::pred});
    emitter.define(instruction.operands[0], emitter.ir().CreateSelect(v[2], v[0], v[1]), type);
}

/// a where c is 0 or more, else b; a NaN is not.
void lower_slct(Emitter& emitter, const Instruction& instruction) {
    llvm::IRBuilder<>& ir = emitter.ir();
    const Type type = bits_type(instruction.types[0]);
    const bool by_float = instruction.types[1] == Type::f32;
    const auto v = emitter.sources(instruction, 1, {type, type, by_float ? Type::f32 : Type::s32});
    llvm::Value* chooses_a =
        by_float ? compare_floats(emitter, ptx::Comparison::ge, v[2],
                                  emitter.constant_f(v[2]->getType(), 0), instruction.ftz)
                 : ir.CreateICmpSGE(v[2], integer(emitter, v[2], 0));
    emitter.define(instruction.operands[0], ir.CreateSelect(chooses_a, v[0], v[1]), type);
}

/// A property of a floating-point value, by its pattern.
void lower_testp(Emitter& emitter, const Instruction& instruction) {
    llvm::IRBuilder<>& ir = emitter.ir();
    const Type type = bits_type(instruction.type());
    const bool is_double = type == Type::b64;
    llvm::Value* bits = emitter.source(instruction.operands[1], type);
    llvm::Value* magnitude = ir.CreateAnd(bits, is_double ? ~std::uint64_t{0} >> 1 : 0x7fffffff);
    llvm::Value* infinity = integer(emitter, bits, is_double ? 0x7ff0'0000'0000'0000 : 0x7f80'0000);
    llvm::Value* smallest_normal =
        integer(emitter, bits, is_double ? 0x0010'0000'0000'0000 : 0x0080'0000);
    const std::string& property = instruction.form;
    llvm::Value* result = nullptr;
    if (property == "finite") {
        result = ir.CreateICmpULT(magnitude, infinity);
    } else if (property == "infinite") {
        result = ir.CreateICmpEQ(magnitude, infinity);
    } else if (property == "number") {
        result = ir.CreateICmpULE(magnitude, infinity);
    } else if (property == "notanumber") {
        result = ir.CreateICmpUGT(magnitude, infinity);
    } else {
        // Zeros count as normal.
        llvm::Value* subnormal =
            ir.CreateAnd(ir.CreateICmpULT(magnitude, smallest_normal),
                         ir.CreateICmpNE(magnitude, integer(emitter, bits, 0)));
        result = property == "subnormal"
                     ? subnormal
                     : ir.CreateAnd(ir.CreateNot(subnormal), ir.CreateICmpULT(magnitude, infinity));
    }
    emitter.define(instruction.operands[0], result, Type::pred);
}

}  // namespace

void lower_compare(Emitter& emitter, const Instruction& instruction) {
    switch (instruction.opcode) {
        case Opcode::set:
            return lower_set(emitter, instruction);
        case Opcode::setp:
            return lower_setp(emitter, instruction);
        case Opcode::selp:
            return lower_selp(emitter, instruction);
        case Opcode::slct:
            return lower_slct(emitter, instruction);
        default:
            return lower_testp(emitter, instruction);
    }
}

}  // namespace wideload::jit
