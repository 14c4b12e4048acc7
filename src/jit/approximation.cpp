// SPDX-License-Identifier: Apache-2.0
// Approximations of f32 and f64 (.approx, .full). Each stays within the largest error that the PTX
// manual allows and gives its special values; polynomials were fitted for this file (weighted least
// squares, refined to nearly equal ripples).
#include <llvm/IR/Constants.h>

#include <limits>

#include "jit/emitter.h"
#include "jit/float_values.h"
#include "jit/lower.h"

namespace wideload::jit {
namespace {

using llvm::Value;
using ptx::Instruction;
using ptx::Opcode;
using ptx::Type;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// 2^x for -126 <= x < 128, within 2^-23 of the result; anything elsewhere.
Value* exp2_of_normal_range(Emitter& emitter, Value* x) {
    llvm::IRBuilder<>& ir = emitter.ir();
    // Adding 1.5 * 2^23 rounds to an integer, which then stands in the last bits.
    Value* shifter = float_constant(x, 0x1.8p23);
    Value* shifted = ir.CreateFAdd(x, shifter);
    Value* fraction = ir.CreateFSub(x, ir.CreateFSub(shifted, shifter));
    // Relative error 2^-29 on [-1/2, 1/2].
    Value* power = polynomial(emitter, fraction,
                              {0x1p0, 0x1.62e43p-1, 0x1.ebfbdap-3, 0x1.c6aed4p-5, 0x1.3b2dbcp-7,
                               0x1.5f456ap-10, 0x1.41d32ep-13});
    Value* exponent = ir.CreateShl(float_bits(emitter, shifted), 23);
    return float_from_bits(emitter, ir.CreateAdd(float_bits(emitter, power), exponent),
                           ir.getFloatTy());
}

/// log2 x: x = 2^e m with m in [sqrt 1/2, sqrt 2).
Value* approximate_log2(Emitter& emitter, Value* x, bool flushed) {
    llvm::IRBuilder<>& ir = emitter.ir();
    Value* zero = float_constant(x, 0.0);
    Value* scaled = x;
    Value* offset = zero;
    if (!flushed) {
        Value* small = ir.CreateFCmpOLT(x, float_constant(x, 0x1p-126));
        scaled = ir.CreateFMul(
            x, ir.CreateSelect(small, float_constant(x, 0x1p24), float_constant(x, 1.0)));
        offset = ir.CreateSelect(small, float_constant(x, -24.0), zero);
    }
    Value* bits = float_bits(emitter, scaled);
    constexpr std::uint64_t kRootOfHalf = 0x3f3504f3;
    Value* exponent = ir.CreateAShr(ir.CreateSub(bits, integer_constant(bits, kRootOfHalf)), 23);
    Value* mantissa =
        float_from_bits(emitter, ir.CreateSub(bits, ir.CreateShl(exponent, 23)), ir.getFloatTy());
    Value* t = ir.CreateFSub(mantissa, float_constant(x, 1.0));
    // log2(1 + t) / t within 2^-24.6.
    Value* quotient =
        polynomial(emitter, t,
                   {0x1.715476p0, -0x1.71546cp-1, 0x1.ec73bep-2, -0x1.715f9ap-2, 0x1.26d98p-2,
                    -0x1.e8cedcp-3, 0x1.b8c156p-3, -0x1.abe518p-3, 0x1.08badap-3});
    Value* whole = ir.CreateFAdd(ir.CreateSIToFP(exponent, x->getType()), offset);
    Value* result = ir.CreateFAdd(whole, ir.CreateFMul(t, quotient));

    Value* infinity = float_constant(x, kInfinity);
    result = ir.CreateSelect(ir.CreateFCmpOEQ(x, infinity), infinity, result);
    Value* special = ir.CreateSelect(ir.CreateFCmpOEQ(x, zero), float_constant(x, -kInfinity),
                                     llvm::ConstantFP::getNaN(x->getType()));
    return ir.CreateSelect(ir.CreateFCmpOGT(x, zero), result, special);
}

/// Divisors beyond 2^126 count as infinite: the quotient is 0, or NaN of an infinite dividend.
Value* approximate_quotient(Emitter& emitter, Value* a, Value* b) {
    llvm::IRBuilder<>& ir = emitter.ir();
    Value* quotient = ir.CreateFDiv(a, b);
    Value* huge = ir.CreateFCmpOGT(absolute(emitter, b), float_constant(b, 0x1p126));
    Value* zero = ir.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, float_constant(b, 0.0), b);
    return ir.CreateSelect(huge, ir.CreateFMul(a, zero), quotient);
}

Value* reciprocal(Emitter& emitter, Value* x) {
    return emitter.ir().CreateFDiv(float_constant(x, 1.0), x);
}

Value* square_root(Emitter& emitter, Value* x) {
    return emitter.ir().CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x);
}

/// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 read and write the upper 32 bits alone.
Value* upper_half_only(Emitter& emitter, Value* x) {
    Value* bits = float_bits(emitter, x);
    bits = emitter.ir().CreateAnd(bits, integer_constant(bits, 0xffff'ffff'0000'0000));
    return flush_subnormals(emitter, float_from_bits(emitter, bits, emitter.ir().getDoubleTy()));
}

Value* approximate(Emitter& emitter, const Instruction& instruction, llvm::ArrayRef<Value*> v) {
    switch (instruction.opcode) {
        case Opcode::div:
            return instruction.full ? emitter.ir().CreateFDiv(v[0], v[1])
                                    : approximate_quotient(emitter, v[0], v[1]);
        case Opcode::rcp:
            return reciprocal(emitter, v[0]);
        case Opcode::sqrt:
            return square_root(emitter, v[0]);
        case Opcode::rsqrt:
            return reciprocal(emitter, square_root(emitter, v[0]));
        case Opcode::sin:
            return emitter.call_on_arrays("wl_sin_f32", emitter.ir().getFloatTy(), {v[0]});
        case Opcode::cos:
            return emitter.call_on_arrays("wl_cos_f32", emitter.ir().getFloatTy(), {v[0]});
        case Opcode::lg2:
            return approximate_log2(emitter, v[0], instruction.ftz);
        case Opcode::ex2:
            return approximate_exp2(emitter, v[0], instruction.ftz);
        case Opcode::tanh:
            return approximate_tanh(emitter, v[0]);
        default:
            emitter.refuse("this instruction has no approximate form");
            return v[0];
    }
}

/// Results that are normal or 0 by themselves, if the operand is.
bool is_never_subnormal(Opcode opcode) {
    return opcode == Opcode::sqrt || opcode == Opcode::rsqrt || opcode == Opcode::lg2;
}

}  // namespace

Value* approximate_exp2(Emitter& emitter, Value* x, bool flush) {
    llvm::IRBuilder<>& ir = emitter.ir();
    Value* too_small = ir.CreateFCmpOLT(x, float_constant(x, -126.0));
    Value* result = nullptr;
    if (flush) {
        result =
            ir.CreateSelect(too_small, float_constant(x, 0.0), exp2_of_normal_range(emitter, x));
    } else {
        // Subnormal results are computed 2^64 times too large; from -190 on downwards all are 0.
        Value* lowest = float_constant(x, -190.0);
        Value* clamped = ir.CreateSelect(ir.CreateFCmpOGT(x, lowest), x, lowest);
        Value* raised = ir.CreateFAdd(clamped, float_constant(x, 64.0));
        result = exp2_of_normal_range(emitter, ir.CreateSelect(too_small, raised, clamped));
        result =
            ir.CreateSelect(too_small, ir.CreateFMul(result, float_constant(x, 0x1p-64)), result);
    }
    // Of what is not below 128, infinity or NaN.
    Value* overflow = ir.CreateFMul(x, float_constant(x, kInfinity));
    return ir.CreateSelect(ir.CreateFCmpOLT(x, float_constant(x, 128.0)), result, overflow);
}

Value* approximate_tanh(Emitter& emitter, Value* x) {
    llvm::IRBuilder<>& ir = emitter.ir();
    // Lambert's continued fraction, within 2^-13 up to 4.97, where it meets 1 as closely.
    Value* square = ir.CreateFMul(x, x);
    Value* numerator = ir.CreateFMul(x, polynomial(emitter, square, {135135, 17325, 378, 1}));
    Value* denominator = polynomial(emitter, square, {135135, 62370, 3150, 28});
    Value* one = ir.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, float_constant(x, 1.0), x);
    Value* inside = ir.CreateFCmpULT(absolute(emitter, x), float_constant(x, 4.97));
    return ir.CreateSelect(inside, ir.CreateFDiv(numerator, denominator), one);
}

void lower_approximation(Emitter& emitter, const Instruction& instruction) {
    const Type type = instruction.type();
    const auto operands = std::span(instruction.operands).subspan(1);
    std::vector<Value*> values =
        emitter.sources(operands, std::vector<Type>(operands.size(), type));
    const bool upper_half = type == Type::f64 && instruction.ftz;
    for (std::size_t v = 0; v < values.size(); ++v) {
        if (upper_half) {
            values[v] = upper_half_only(emitter, values[v]);
        } else if (instruction.ftz && emitter.may_be_subnormal(operands[v])) {
            values[v] = flush_subnormals(emitter, values[v]);
        }
    }
    Value* result = approximate(emitter, instruction, values);
    if (upper_half) {
        result = upper_half_only(emitter, result);
    } else if (instruction.ftz && !is_never_subnormal(instruction.opcode)) {
        result = flush_subnormals(emitter, result);
    }
    emitter.define(instruction.operands[0], result, type);
}

}  // namespace wideload::jit
