// SPDX-License-Identifier: Apache-2.0
#include "jit/float_values.h"

#include <llvm/IR/Constants.h>

namespace wideload::jit {

using llvm::Value;
using ptx::Rounding;

Value* float_bits(Emitter& emitter, Value* value) {
    llvm::Type* integer = emitter.ir().getIntNTy(value->getType()->getScalarSizeInBits());
    return emitter.ir().CreateBitCast(value, with_element(value, integer));
}

Value* float_from_bits(Emitter& emitter, Value* bits, llvm::Type* element) {
    return emitter.ir().CreateBitCast(bits, with_element(bits, element));
}

Value* absolute(Emitter& emitter, Value* value) {
    return emitter.ir().CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value);
}

Value* is_nan(Emitter& emitter, Value* value) { return emitter.ir().CreateFCmpUNO(value, value); }

namespace {

/// Values whose exponent field, under `exponent_mask`, is zero keep their sign alone.
Value* keep_sign_of_small(Emitter& emitter, Value* bits, std::uint64_t exponent_mask) {
    llvm::IRBuilder<>& ir = emitter.ir();
    const std::uint64_t sign_mask = std::uint64_t{1}
                                    << (bits->getType()->getScalarSizeInBits() - 1);
    Value* exponent = ir.CreateAnd(bits, integer_constant(bits, exponent_mask));
    Value* small = ir.CreateICmpEQ(exponent, integer_constant(bits, 0));
    return ir.CreateSelect(small, ir.CreateAnd(bits, integer_constant(bits, sign_mask)), bits);
}

}  // namespace

Value* flush_subnormals(Emitter& emitter, Value* value) {
    llvm::Type* element = value->getType()->getScalarType();
    const std::uint64_t exponent = element->isDoubleTy() ? 0x7ff0'0000'0000'0000 : 0x7f80'0000;
    return float_from_bits(
        emitter, keep_sign_of_small(emitter, float_bits(emitter, value), exponent), element);
}

Value* flush_half_subnormals(Emitter& emitter, Value* bits) {
    return keep_sign_of_small(emitter, bits, 0x7c00);
}

Value* saturate(Emitter& emitter, Value* value) {
    llvm::IRBuilder<>& ir = emitter.ir();
    Value* zero = float_constant(value, 0.0);
    Value* one = float_constant(value, 1.0);
    value = ir.CreateSelect(ir.CreateFCmpOGT(value, zero), value, zero);
    return ir.CreateSelect(ir.CreateFCmpOLT(value, one), value, one);
}

Value* rectify(Emitter& emitter, Value* value) {
    Value* zero = float_constant(value, 0.0);
    return emitter.ir().CreateSelect(emitter.ir().CreateFCmpUGT(value, zero), value, zero);
}

namespace {

Value* canonical_nan(Value* like) {
    const llvm::fltSemantics& semantics = like->getType()->getScalarType()->getFltSemantics();
    const unsigned width = llvm::APFloat::semanticsSizeInBits(semantics);
    return llvm::ConstantFP::get(like->getType(),
                                 llvm::APFloat(semantics, llvm::APInt::getSignedMaxValue(width)));
}

/// A constant that is neither NaN nor, unless it is `allowed_zero`, a zero.
bool is_plain_constant(Value* value, bool negative_zero_allowed) {
    const auto* constant = llvm::dyn_cast<llvm::Constant>(value);
    if (constant == nullptr) return false;
    if (value->getType()->isVectorTy()) constant = constant->getSplatValue();
    const auto* number = llvm::dyn_cast_or_null<llvm::ConstantFP>(constant);
    if (number == nullptr || number->isNaN()) return false;
    return !number->isZero() || number->isNegative() == negative_zero_allowed;
}

}  // namespace

Value* canonicalize_nan(Emitter& emitter, Value* value) {
    return emitter.ir().CreateSelect(is_nan(emitter, value), canonical_nan(value), value);
}

Value* float_extremum(Emitter& emitter, Extremum which, Value* a, Value* b, bool propagate_nan) {
    llvm::IRBuilder<>& ir = emitter.ir();
    const bool minimum = which == Extremum::minimum;
    const auto first_wins = [&](Value* x, Value* y) {
        return minimum ? ir.CreateFCmpOLT(x, y) : ir.CreateFCmpOGT(x, y);
    };
    if (is_plain_constant(a, minimum)) std::swap(a, b);
    // The second operand where they are equal or unordered: all that is asked, if it is such a
    // constant.
    Value* result = ir.CreateSelect(first_wins(a, b), a, b);
    if (is_plain_constant(b, minimum)) {
        return propagate_nan ? ir.CreateSelect(is_nan(emitter, a), canonical_nan(a), result)
                             : result;
    }
    llvm::Type* element = a->getType()->getScalarType();
    Value* a_bits = float_bits(emitter, a);
    Value* b_bits = float_bits(emitter, b);
    Value* of_equals = minimum ? ir.CreateOr(a_bits, b_bits) : ir.CreateAnd(a_bits, b_bits);
    result = ir.CreateSelect(ir.CreateFCmpOEQ(a, b), float_from_bits(emitter, of_equals, element),
                             result);
    if (propagate_nan) {
        return ir.CreateSelect(ir.CreateFCmpUNO(a, b), canonical_nan(a), result);
    }
    result = ir.CreateSelect(is_nan(emitter, b), a, result);
    return canonicalize_nan(emitter, result);
}

namespace {

/// Where `inexact` and the last bit is 0, the neighbour: nearer to zero where `toward_zero`, else
/// farther.
Value* make_odd(Emitter& emitter, Value* nearest, Value* inexact, Value* toward_zero) {
    llvm::IRBuilder<>& ir = emitter.ir();
    llvm::Type* element = nearest->getType()->getScalarType();
    Value* bits = float_bits(emitter, nearest);
    Value* even =
        ir.CreateICmpEQ(ir.CreateAnd(bits, integer_constant(bits, 1)), integer_constant(bits, 0));
    Value* step = ir.CreateSelect(toward_zero, integer_constant(bits, ~std::uint64_t{0}),
                                  integer_constant(bits, 1));
    Value* odd = ir.CreateAdd(bits, step);
    bits = ir.CreateSelect(ir.CreateAnd(inexact, even), odd, bits);
    return float_from_bits(emitter, bits, element);
}

/// Sign and magnitude `bits` of a value rounded to nearest, moved to the neighbour where the
/// rounding asks for the other side of the exact value. `back` is the rounded value and `exact` the
/// exact one in a wider format.
Value* direct(Emitter& emitter, Value* bits, Value* back, Value* exact, Rounding rounding) {
    llvm::IRBuilder<>& ir = emitter.ir();
    Value* one = integer_constant(bits, 1);
    Value* down = ir.CreateSub(bits, one);
    if (rounding == Rounding::rz) {
        Value* away = ir.CreateFCmpOGT(absolute(emitter, back), absolute(emitter, exact));
        return ir.CreateSelect(away, down, bits);
    }
    Value* up = ir.CreateAdd(bits, one);
    Value* negative = ir.CreateICmpSLT(bits, integer_constant(bits, 0));
    if (rounding == Rounding::rm) {
        return ir.CreateSelect(ir.CreateFCmpOGT(back, exact), ir.CreateSelect(negative, up, down),
                               bits);
    }
    return ir.CreateSelect(ir.CreateFCmpOLT(back, exact), ir.CreateSelect(negative, down, up),
                           bits);
}

bool is_directed(Rounding rounding) {
    return rounding == Rounding::rz || rounding == Rounding::rm || rounding == Rounding::rp;
}

}  // namespace

Value* add_to_odd(Emitter& emitter, Value* a, Value* b) {
    llvm::IRBuilder<>& ir = emitter.ir();
    // Knuth's TwoSum: `error` is what the rounded sum lacks, exactly.
    Value* sum = ir.CreateFAdd(a, b);
    Value* b_part = ir.CreateFSub(sum, a);
    Value* a_part = ir.CreateFSub(sum, b_part);
    Value* error = ir.CreateFAdd(ir.CreateFSub(a, a_part), ir.CreateFSub(b, b_part));
    Value* inexact = ir.CreateFCmpONE(error, float_constant(error, 0.0));
    Value* signs = ir.CreateXor(float_bits(emitter, sum), float_bits(emitter, error));
    Value* toward_zero = ir.CreateICmpSLT(signs, integer_constant(signs, 0));
    return make_odd(emitter, sum, inexact, toward_zero);
}

Value* narrow_to_odd(Emitter& emitter, Value* value) {
    llvm::IRBuilder<>& ir = emitter.ir();
    Value* nearest = ir.CreateFPTrunc(value, with_element(value, ir.getFloatTy()));
    Value* back = ir.CreateFPExt(nearest, value->getType());
    Value* toward_zero = ir.CreateFCmpOGT(absolute(emitter, back), absolute(emitter, value));
    return make_odd(emitter, nearest, ir.CreateFCmpONE(back, value), toward_zero);
}

Value* narrow_to_float(Emitter& emitter, Value* value, Rounding rounding) {
    llvm::IRBuilder<>& ir = emitter.ir();
    Value* nearest = ir.CreateFPTrunc(value, with_element(value, ir.getFloatTy()));
    if (!is_directed(rounding)) return nearest;
    Value* back = ir.CreateFPExt(nearest, value->getType());
    return float_from_bits(emitter,
                           direct(emitter, float_bits(emitter, nearest), back, value, rounding),
                           ir.getFloatTy());
}

Value* widen_half(Emitter& emitter, Value* bits, ptx::Type format) {
    llvm::IRBuilder<>& ir = emitter.ir();
    if (format == ptx::Type::f16) {
        Value* half = ir.CreateBitCast(bits, with_element(bits, ir.getHalfTy()));
        return ir.CreateFPExt(half, with_element(bits, ir.getFloatTy()));
    }
    Value* wide = ir.CreateZExt(bits, with_element(bits, ir.getInt32Ty()));
    return float_from_bits(emitter, ir.CreateShl(wide, 16), ir.getFloatTy());
}

namespace {

/// In integers: where a processor has an instruction for it, that one flushes subnormal numbers.
Value* nearest_bfloat(Emitter& emitter, Value* value) {
    llvm::IRBuilder<>& ir = emitter.ir();
    Value* bits = float_bits(emitter, value);
    Value* last = ir.CreateAnd(ir.CreateLShr(bits, 16), integer_constant(bits, 1));
    Value* rounded = ir.CreateAdd(bits, ir.CreateAdd(last, integer_constant(bits, 0x7fff)));
    return ir.CreateTrunc(ir.CreateLShr(rounded, 16), with_element(bits, ir.getInt16Ty()));
}

}  // namespace

Value* narrow_to_half(Emitter& emitter, Value* value, ptx::Type format, Rounding rounding) {
    llvm::IRBuilder<>& ir = emitter.ir();
    Value* bits = nullptr;
    if (format == ptx::Type::f16) {
        Value* half = ir.CreateFPTrunc(value, with_element(value, ir.getHalfTy()));
        bits = ir.CreateBitCast(half, with_element(half, ir.getInt16Ty()));
    } else {
        bits = nearest_bfloat(emitter, value);
    }
    if (is_directed(rounding)) {
        bits = direct(emitter, bits, widen_half(emitter, bits, format), value, rounding);
    }
    return ir.CreateSelect(is_nan(emitter, value), integer_constant(bits, 0x7fff), bits);
}

Value* round_to_integer(Emitter& emitter, Value* value, Rounding rounding) {
    llvm::Intrinsic::ID intrinsic = llvm::Intrinsic::roundeven;
    if (rounding == Rounding::rzi) intrinsic = llvm::Intrinsic::trunc;
    if (rounding == Rounding::rmi) intrinsic = llvm::Intrinsic::floor;
    if (rounding == Rounding::rpi) intrinsic = llvm::Intrinsic::ceil;
    return emitter.ir().CreateUnaryIntrinsic(intrinsic, value);
}

Value* polynomial(Emitter& emitter, Value* x, std::initializer_list<double> coefficients) {
    auto coefficient = std::rbegin(coefficients);
    Value* result = float_constant(x, *coefficient);
    while (++coefficient != std::rend(coefficients)) {
        result = emitter.ir().CreateIntrinsic(llvm::Intrinsic::fmuladd, {x->getType()},
                                              {result, x, float_constant(x, *coefficient)});
    }
    return result;
}

}  // namespace wideload::jit
