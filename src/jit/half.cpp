// SPDX-License-Identifier: Apache-2.0
// f16 and bf16, single and packed. Values are 16-bit integers, packed ones a vector of twice the
// length; arithmetic widens them to f32, whose precision is so much higher that rounding twice is
// as rounding once (Figueroa, "When is double rounding innocuous?"), but for fma, which rounds its
// sum to odd.
#include <fmt/format.h>

#include "jit/emitter.h"
#include "jit/float_values.h"
#include "jit/lower.h"

namespace wideload::jit {
namespace {

using llvm::Value;
using ptx::Instruction;
using ptx::Opcode;
using ptx::Type;
using Values = std::vector<Value*>;

Type element_type(Type type) {
    if (type == Type::f16x2) return Type::f16;
    if (type == Type::bf16x2) return Type::bf16;
    return type;
}

/// Packed values as twice as many 16-bit elements.
Value* unpack(Emitter& emitter, Value* packed) {
    const unsigned lanes = Emitter::is_vector(packed) ? kLanes : 1;
    return emitter.ir().CreateBitCast(
        packed, llvm::FixedVectorType::get(emitter.ir().getInt16Ty(), 2 * lanes));
}

/// min and max; with .xorsign.abs that of the magnitudes, under the product of the signs.
Value* extremum(Emitter& emitter, const Instruction& instruction, const Values& bits, Type format) {
    llvm::IRBuilder<>& ir = emitter.ir();
    const Extremum which =
        instruction.opcode == Opcode::min ? Extremum::minimum : Extremum::maximum;
    const auto magnitude = [&](Value* half) {
        Value* value = widen_half(emitter, half, format);
        return instruction.xorsign_abs ? absolute(emitter, value) : value;
    };
    Value* result = magnitude(bits[0]);
    Value* signs = bits[0];
    for (Value* half : llvm::ArrayRef(bits).drop_front()) {
        result =
            float_extremum(emitter, which, result, magnitude(half), instruction.nan_propagating);
        signs = ir.CreateXor(signs, half);
    }
    Value* narrow = narrow_to_half(emitter, result, format);
    if (!instruction.xorsign_abs) return narrow;
    Value* sign = ir.CreateAnd(signs, integer_constant(signs, 0x8000));
    return ir.CreateSelect(is_nan(emitter, result), narrow, ir.CreateOr(narrow, sign));
}

/// The products are exact in f32, and the sum is rounded once.
Value* multiply_add_half(Emitter& emitter, const Values& v) {
    return add_to_odd(emitter, emitter.ir().CreateFMul(v[0], v[1]), v[2]);
}

/// By host code, in f64: a product of two bf16 may lie outside the range of f32.
Value* multiply_add_bfloat(Emitter& emitter, const Instruction& instruction) {
    const bool packed = instruction.type() == Type::bf16x2;
    const Type bits = packed ? Type::b32 : Type::b16;
    const Values values = emitter.sources(instruction, 1, {bits, bits, bits});
    return emitter.call_on_arrays(packed ? "wl_fma_bf16x2" : "wl_fma_bf16",
                                  emitter.scalar_type(bits), values);
}

/// What f32 arithmetic computes; the result is narrowed by the caller.
Value* compute_wide(Emitter& emitter, const Instruction& instruction, const Values& v) {
    llvm::IRBuilder<>& ir = emitter.ir();
    switch (instruction.opcode) {
        case Opcode::add:
            return ir.CreateFAdd(v[0], v[1]);
        case Opcode::sub:
            return ir.CreateFSub(v[0], v[1]);
        case Opcode::mul:
            return ir.CreateFMul(v[0], v[1]);
        case Opcode::fma:
        case Opcode::mad:
            return multiply_add_half(emitter, v);
        case Opcode::ex2:
            return approximate_exp2(emitter, v[0], false);
        case Opcode::tanh:
            return approximate_tanh(emitter, v[0]);
        default:
            emitter.refuse(
                fmt::format("'{}' has no form for 16-bit floats", ptx::name(instruction.opcode)));
            return v[0];
    }
}

/// NaN becomes 0x7fff.
Value* canonicalize_half(Emitter& emitter, Value* bits, Type format) {
    llvm::IRBuilder<>& ir = emitter.ir();
    Value* magnitude = ir.CreateAnd(bits, integer_constant(bits, 0x7fff));
    Value* infinity = integer_constant(bits, format == Type::f16 ? 0x7c00 : 0x7f80);
    return ir.CreateSelect(ir.CreateICmpUGT(magnitude, infinity), integer_constant(bits, 0x7fff),
                           bits);
}

/// An f16 result in f32, exact or rounded to odd, as a zero of its sign where it stays below the
/// normal numbers when rounded to 11 bits.
Value* flush_tiny_half(Emitter& emitter, Value* value) {
    llvm::IRBuilder<>& ir = emitter.ir();
    constexpr double kLeastThatRoundsToNormal = 0x1p-14 * (1 - 0x1p-12);
    Value* tiny =
        ir.CreateFCmpOLT(absolute(emitter, value), float_constant(value, kLeastThatRoundsToNormal));
    Value* zero =
        ir.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, float_constant(value, 0.0), value);
    return ir.CreateSelect(tiny, zero, value);
}

Value* flush(Emitter& emitter, Value* bits, Type format) {
    if (format == Type::f16) return flush_half_subnormals(emitter, bits);
    Value* flushed = flush_subnormals(emitter, widen_half(emitter, bits, format));
    return emitter.ir().CreateTrunc(emitter.ir().CreateLShr(float_bits(emitter, flushed), 16),
                                    bits->getType());
}

Value* compute_bits(Emitter& emitter, const Instruction& instruction, Values bits, Type format) {
    llvm::IRBuilder<>& ir = emitter.ir();
    if (instruction.ftz) {
        for (Value*& value : bits) value = flush(emitter, value, format);
    }
    switch (instruction.opcode) {
        case Opcode::abs:
            return canonicalize_half(
                emitter, ir.CreateAnd(bits[0], integer_constant(bits[0], 0x7fff)), format);
        case Opcode::neg:
            return canonicalize_half(
                emitter, ir.CreateXor(bits[0], integer_constant(bits[0], 0x8000)), format);
        case Opcode::min:
        case Opcode::max:
            return extremum(emitter, instruction, bits, format);
        default:
            break;
    }
    Values wide;
    for (Value* value : bits) wide.push_back(widen_half(emitter, value, format));
    Value* result = compute_wide(emitter, instruction, wide);
    const bool flush_half = instruction.ftz && format == Type::f16;
    if (flush_half) result = flush_tiny_half(emitter, result);
    if (instruction.sat) result = saturate(emitter, result);
    if (instruction.relu) result = rectify(emitter, result);
    Value* narrow = narrow_to_half(emitter, result, format);
    return instruction.ftz && !flush_half ? flush(emitter, narrow, format) : narrow;
}

/// .oob: the NaN that bulk copies of tensors put where they reach out of bounds, of either sign,
/// makes the result 0 as a factor, and as an addend does not (PTX ISA, "fma"; which NaN it is, and
/// that the addend does not count, is what an H200 computes of all 2^16 operands).
Value* zero_out_of_bounds(Emitter& emitter, Value* result, const Values& bits) {
    llvm::IRBuilder<>& ir = emitter.ir();
    const auto is_out_of_bounds = [&](Value* factor) {
        Value* magnitude = ir.CreateAnd(factor, integer_constant(factor, 0x7fff));
        return ir.CreateICmpEQ(magnitude, integer_constant(factor, 0x7ff7));
    };
    Value* outside = ir.CreateOr(is_out_of_bounds(bits[0]), is_out_of_bounds(bits[1]));
    return ir.CreateSelect(outside, integer_constant(result, 0), result);
}

}  // namespace

void lower_half(Emitter& emitter, const Instruction& instruction) {
    const Type type = instruction.type();
    const Type format = element_type(type);
    const bool packed = format != type;
    const Type bits_type = packed ? Type::b32 : Type::b16;
    const bool is_fma = instruction.opcode == Opcode::fma || instruction.opcode == Opcode::mad;

    const auto operands = std::span(instruction.operands).subspan(1);
    Values values = emitter.sources(operands, std::vector<Type>(operands.size(), type));
    for (Value*& value : values) {
        value = packed ? unpack(emitter, value) : float_bits(emitter, value);
    }
    Value* result = nullptr;
    if (is_fma && format == Type::bf16) {
        result = multiply_add_bfloat(emitter, instruction);
        if (packed) result = unpack(emitter, result);
        if (instruction.relu) {
            Value* wide = widen_half(emitter, result, format);
            result = narrow_to_half(emitter, rectify(emitter, wide), format);
        }
    } else {
        result = compute_bits(emitter, instruction, values, format);
    }
    if (instruction.in_form("oob")) result = zero_out_of_bounds(emitter, result, values);
    if (packed) {
        const unsigned elements =
            llvm::cast<llvm::FixedVectorType>(result->getType())->getNumElements();
        llvm::Type* word = emitter.ir().getInt32Ty();
        result = emitter.ir().CreateBitCast(
            result, elements == 2 ? word : llvm::FixedVectorType::get(word, kLanes));
    }
    emitter.define(instruction.operands[0], result, bits_type);
}

}  // namespace wideload::jit
