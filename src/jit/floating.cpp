// SPDX-License-Identifier: Apache-2.0
// Exact arithmetic of f32 and f64: results are those of IEEE 754 in the rounding that the
// instruction names.
#include <fmt/format.h>

#include "jit/emitter.h"
#include "jit/float_values.h"
#include "jit/lower.h"

namespace wideload::jit {
namespace {

using llvm::Value;
using ptx::Instruction;
using ptx::Opcode;
using ptx::Rounding;
using ptx::Type;
using Values = std::vector<Value*>;

/// ".rz" of a rounding that the host's code does not compute by itself; empty where it does.
std::string_view directed(Rounding rounding) {
    switch (rounding) {
        case Rounding::rz:
            return "rz";
        case Rounding::rm:
            return "rm";
        case Rounding::rp:
            return "rp";
        default:
            return {};
    }
}

/// How an instruction rounds, and whether it flushes.
struct Precision {
    Rounding rounding;
    bool flush;
};

/// `operation` in a directed rounding, by host code that sets the processor's rounding, and its
/// flushing of subnormal numbers.
Value* compute_directed(Emitter& emitter, std::string_view operation, Precision precision,
                        llvm::ArrayRef<Value*> values) {
    llvm::Type* element = values[0]->getType()->getScalarType();
    return emitter.call_on_arrays(
        fmt::format("wl_{}_{}_{}{}", operation, element->isDoubleTy() ? "f64" : "f32",
                    directed(precision.rounding), precision.flush ? "_ftz" : ""),
        element, values);
}

/// `result`, or a zero of its sign where the result of unbounded exponent, given 2^32 times as
/// large, is below the normal numbers: that is when hardware flushes, and not when the result has
/// been rounded to the least normal number.
Value* flush_tiny(Emitter& emitter, Value* result, Value* scaled) {
    llvm::IRBuilder<>& ir = emitter.ir();
    Value* tiny = ir.CreateFCmpOLT(absolute(emitter, scaled), float_constant(scaled, 0x1p-94));
    Value* zero =
        ir.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, float_constant(result, 0.0), result);
    return ir.CreateSelect(tiny, zero, result);
}

Value* scale(Emitter& emitter, Value* value) {
    return emitter.ir().CreateFMul(value, float_constant(value, 0x1p32));
}

// Nothing that follows rounds to the least normal number but products and their sums: sums alone
// are exact there, and quotients are never that near to it from below.

Value* add(Emitter& emitter, Precision precision, Value* a, Value* b) {
    if (!directed(precision.rounding).empty()) {
        return compute_directed(emitter, "add", precision, {a, b});
    }
    Value* sum = emitter.ir().CreateFAdd(a, b);
    return precision.flush ? flush_subnormals(emitter, sum) : sum;
}

Value* multiply(Emitter& emitter, Precision precision, Value* a, Value* b) {
    llvm::IRBuilder<>& ir = emitter.ir();
    if (!directed(precision.rounding).empty()) {
        return compute_directed(emitter, "mul", precision, {a, b});
    }
    Value* product = ir.CreateFMul(a, b);
    return precision.flush ? flush_tiny(emitter, product, ir.CreateFMul(scale(emitter, a), b))
                           : product;
}

Value* multiply_add(Emitter& emitter, Precision precision, Value* a, Value* b, Value* c) {
    if (!directed(precision.rounding).empty()) {
        return compute_directed(emitter, "fma", precision, {a, b, c});
    }
    const auto fma = [&](Value* x, Value* y, Value* z) {
        return emitter.ir().CreateIntrinsic(llvm::Intrinsic::fma, {x->getType()}, {x, y, z});
    };
    Value* sum = fma(a, b, c);
    if (!precision.flush) return sum;
    return flush_tiny(emitter, sum, fma(scale(emitter, a), b, scale(emitter, c)));
}

Value* divide(Emitter& emitter, Precision precision, Value* a, Value* b) {
    if (!directed(precision.rounding).empty()) {
        return compute_directed(emitter, "div", precision, {a, b});
    }
    Value* quotient = emitter.ir().CreateFDiv(a, b);
    return precision.flush ? flush_subnormals(emitter, quotient) : quotient;
}

/// Roots of normal numbers are normal.
Value* square_root(Emitter& emitter, Precision precision, Value* a) {
    if (!directed(precision.rounding).empty()) {
        return compute_directed(emitter, "sqrt", precision, {a});
    }
    return emitter.ir().CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, a);
}

/// min and max of two or three values. With .abs that of the magnitudes, with .xorsign.abs under
/// the product of the signs.
Value* extremum(Emitter& emitter, const Instruction& instruction, const Values& values) {
    llvm::IRBuilder<>& ir = emitter.ir();
    const Extremum which =
        instruction.opcode == Opcode::min ? Extremum::minimum : Extremum::maximum;
    const auto magnitude = [&](Value* value) {
        return instruction.absolute ? absolute(emitter, value) : value;
    };
    Value* result = magnitude(values[0]);
    Value* signs = float_bits(emitter, values[0]);
    for (Value* value : llvm::ArrayRef(values).drop_front()) {
        result =
            float_extremum(emitter, which, result, magnitude(value), instruction.nan_propagating);
        signs = ir.CreateXor(signs, float_bits(emitter, value));
    }
    if (!instruction.xorsign_abs) return result;
    Value* is_negative = ir.CreateICmpSLT(signs, integer_constant(signs, 0));
    Value* negate = ir.CreateAnd(is_negative, ir.CreateFCmpORD(result, result));
    return ir.CreateSelect(negate, ir.CreateFNeg(result), result);
}

Value* compute(Emitter& emitter, const Instruction& instruction, const Values& v) {
    llvm::IRBuilder<>& ir = emitter.ir();
    const Precision precision{instruction.rounding, instruction.ftz};
    switch (instruction.opcode) {
        case Opcode::add:
            return add(emitter, precision, v[0], v[1]);
        case Opcode::sub:
            return add(emitter, precision, v[0], ir.CreateFNeg(v[1]));
        case Opcode::mul:
            return multiply(emitter, precision, v[0], v[1]);
        case Opcode::mad:
        case Opcode::fma:
            return multiply_add(emitter, precision, v[0], v[1], v[2]);
        case Opcode::div:
            return divide(emitter, precision, v[0], v[1]);
        case Opcode::rcp:
            return divide(emitter, precision, float_constant(v[0], 1.0), v[0]);
        case Opcode::sqrt:
            return square_root(emitter, precision, v[0]);
        case Opcode::abs:
            return absolute(emitter, v[0]);
        case Opcode::neg:
            return ir.CreateFNeg(v[0]);
        case Opcode::copysign:
            return ir.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, v[1], v[0]);
        case Opcode::min:
        case Opcode::max:
            return extremum(emitter, instruction, v);
        default:
            emitter.refuse(
                fmt::format("'{}' has no floating-point form", ptx::name(instruction.opcode)));
            return v[0];
    }
}

Value* compute_saturated(Emitter& emitter, const Instruction& instruction, const Values& values) {
    Value* result = compute(emitter, instruction, values);
    return instruction.sat ? saturate(emitter, result) : result;
}

/// f32x2: two f32 in 64 bits, each computed by itself.
void lower_pair(Emitter& emitter, const Instruction& instruction) {
    llvm::IRBuilder<>& ir = emitter.ir();
    const auto operands = std::span(instruction.operands).subspan(1);
    const Values pairs = emitter.sources(operands, std::vector<Type>(operands.size(), Type::b64));
    Value* result = nullptr;
    for (unsigned part = 0; part < 2; ++part) {
        Values values;
        for (Value* pair : pairs) {
            Value* bits =
                ir.CreateTrunc(ir.CreateLShr(pair, 32 * part), with_element(pair, ir.getInt32Ty()));
            Value* value = float_from_bits(emitter, bits, ir.getFloatTy());
            values.push_back(instruction.ftz ? flush_subnormals(emitter, value) : value);
        }
        Value* number = canonicalize_nan(emitter, compute_saturated(emitter, instruction, values));
        Value* bits = float_bits(emitter, number);
        Value* placed = ir.CreateShl(ir.CreateZExt(bits, pairs[0]->getType()), 32 * part);
        result = part == 0 ? placed : ir.CreateOr(result, placed);
    }
    emitter.define(instruction.operands[0], result, Type::b64);
}

}  // namespace

void lower_floating(Emitter& emitter, const Instruction& instruction) {
    if (instruction.type() == Type::f32x2) {
        lower_pair(emitter, instruction);
        return;
    }
    // add.f32.f16 and its kind widen all operands but the last.
    const Type narrow = instruction.types[1];
    const auto operands = std::span(instruction.operands).subspan(1);
    std::vector<Type> types(operands.size(), instruction.type());
    if (narrow != Type::none) std::fill(types.begin(), types.end() - 1, Type::b16);

    Values values = emitter.sources(operands, types);
    if (narrow != Type::none) {
        for (std::size_t v = 0; v + 1 < values.size(); ++v) {
            values[v] = widen_half(emitter, values[v], narrow);
        }
    }
    for (std::size_t v = 0; instruction.ftz && v < values.size(); ++v) {
        if (emitter.may_be_subnormal(operands[v])) values[v] = flush_subnormals(emitter, values[v]);
    }
    emitter.define(instruction.operands[0], compute_saturated(emitter, instruction, values),
                   instruction.type());
}

}  // namespace wideload::jit
