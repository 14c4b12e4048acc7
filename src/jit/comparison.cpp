// SPDX-License-Identifier: Apache-2.0
#include "jit/comparison.h"

#include "jit/integer_values.h"

namespace wideload::jit {

using ptx::Comparison;
using ptx::Type;
using Predicate = llvm::CmpInst::Predicate;

namespace {

Predicate integer_predicate(Comparison comparison, bool is_signed) {
    switch (comparison) {
        case Comparison::eq:
            return Predicate::ICMP_EQ;
        case Comparison::ne:
            return Predicate::ICMP_NE;
        case Comparison::lt:
            return is_signed ? Predicate::ICMP_SLT : Predicate::ICMP_ULT;
        case Comparison::le:
            return is_signed ? Predicate::ICMP_SLE : Predicate::ICMP_ULE;
        case Comparison::gt:
            return is_signed ? Predicate::ICMP_SGT : Predicate::ICMP_UGT;
        case Comparison::ge:
            return is_signed ? Predicate::ICMP_SGE : Predicate::ICMP_UGE;
        case Comparison::lo:
            return Predicate::ICMP_ULT;
        case Comparison::ls:
            return Predicate::ICMP_ULE;
        case Comparison::hi:
            return Predicate::ICMP_UGT;
        case Comparison::hs:
            return Predicate::ICMP_UGE;
        default:
            return Predicate::BAD_ICMP_PREDICATE;
    }
}

Predicate float_predicate(Comparison comparison) {
    switch (comparison) {
        case Comparison::eq:
            return Predicate::FCMP_OEQ;
        case Comparison::ne:
            return Predicate::FCMP_ONE;
        case Comparison::lt:
            return Predicate::FCMP_OLT;
        case Comparison::le:
            return Predicate::FCMP_OLE;
        case Comparison::gt:
            return Predicate::FCMP_OGT;
        case Comparison::ge:
            return Predicate::FCMP_OGE;
        case Comparison::equ:
            return Predicate::FCMP_UEQ;
        case Comparison::neu:
            return Predicate::FCMP_UNE;
        case Comparison::ltu:
            return Predicate::FCMP_ULT;
        case Comparison::leu:
            return Predicate::FCMP_ULE;
        case Comparison::gtu:
            return Predicate::FCMP_UGT;
        case Comparison::geu:
            return Predicate::FCMP_UGE;
        case Comparison::num:
            return Predicate::FCMP_ORD;
        case Comparison::nan:
            return Predicate::FCMP_UNO;
        default:
            return Predicate::BAD_FCMP_PREDICATE;
    }
}

/// The comparison of ordered values that a comparison of floats asks for, and what it says of NaNs.
struct HalfComparison {
    Comparison ordered;
    bool with_nan;
};
HalfComparison half_comparison(Comparison comparison) {
    switch (comparison) {
        case Comparison::equ:
            return {Comparison::eq, true};
        case Comparison::neu:
            return {Comparison::ne, true};
        case Comparison::ltu:
            return {Comparison::lt, true};
        case Comparison::leu:
            return {Comparison::le, true};
        case Comparison::gtu:
            return {Comparison::gt, true};
        case Comparison::geu:
            return {Comparison::ge, true};
        default:
            return {comparison, false};
    }
}

llvm::Value* flushed(Emitter& emitter, llvm::Value* value) {
    llvm::IRBuilder<>& ir = emitter.ir();
    llvm::Value* magnitude = ir.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value);
    llvm::Value* smallest = emitter.constant_f(value->getType(), 0x1p-126);
    return ir.CreateSelect(ir.CreateFCmpOLT(magnitude, smallest),
                           emitter.constant_f(value->getType(), 0), value);
}

constexpr unsigned kMagnitude16 = 0x7fff;

/// Patterns as integers in the order of the values; both zeros are 0.
llvm::Value* ordered_half(Emitter& emitter, llvm::Value* bits, unsigned smallest_normal,
                          bool flush) {
    llvm::IRBuilder<>& ir = emitter.ir();
    llvm::Value* magnitude = ir.CreateAnd(bits, kMagnitude16);
    llvm::Value* negative = ir.CreateICmpSLT(bits, integer(emitter, bits, 0));
    llvm::Value* order = ir.CreateSelect(negative, ir.CreateNeg(magnitude), magnitude);
    if (!flush) return order;
    llvm::Value* subnormal = ir.CreateICmpULT(magnitude, integer(emitter, bits, smallest_normal));
    return ir.CreateSelect(subnormal, integer(emitter, bits, 0), order);
}

}  // namespace

Type bits_type(Type type) {
    switch (ptx::bit_width(type)) {
        case 1:
            return Type::pred;
        case 8:
            return Type::b8;
        case 16:
            return Type::b16;
        case 32:
            return Type::b32;
        case 64:
            return Type::b64;
        default:
            return Type::b128;
    }
}

llvm::Value* compare_integers(Emitter& emitter, Comparison comparison, llvm::Value* a,
                              llvm::Value* b, bool is_signed) {
    const Predicate predicate = integer_predicate(comparison, is_signed);
    if (predicate == Predicate::BAD_ICMP_PREDICATE) {
        emitter.refuse("this comparison is none of integers");
        return llvm::Constant::getNullValue(emitter.type_like(emitter.ir().getInt1Ty(), a));
    }
    return emitter.ir().CreateICmp(predicate, a, b);
}

llvm::Value* compare_floats(Emitter& emitter, Comparison comparison, llvm::Value* a, llvm::Value* b,
                            bool flush) {
    const Predicate predicate = float_predicate(comparison);
    if (predicate == Predicate::BAD_FCMP_PREDICATE) {
        emitter.refuse("this comparison is none of floating-point values");
        return llvm::Constant::getNullValue(emitter.type_like(emitter.ir().getInt1Ty(), a));
    }
    if (flush) {
        a = flushed(emitter, a);
        b = flushed(emitter, b);
    }
    return emitter.ir().CreateFCmp(predicate, a, b);
}

llvm::Value* compare_halves(Emitter& emitter, Comparison comparison, llvm::Value* a, llvm::Value* b,
                            Type type, bool flush) {
    llvm::IRBuilder<>& ir = emitter.ir();
    const bool is_bfloat = type == Type::bf16 || type == Type::bf16x2;
    const unsigned smallest_normal = is_bfloat ? 0x0080 : 0x0400;
    const unsigned infinity = is_bfloat ? 0x7f80 : 0x7c00;
    llvm::Value* limit = integer(emitter, a, infinity);
    llvm::Value* nan = ir.CreateOr(ir.CreateICmpUGT(ir.CreateAnd(a, kMagnitude16), limit),
                                   ir.CreateICmpUGT(ir.CreateAnd(b, kMagnitude16), limit));
    if (comparison == Comparison::nan) return nan;
    if (comparison == Comparison::num) return ir.CreateNot(nan);
    const HalfComparison wanted = half_comparison(comparison);
    llvm::Value* result =
        compare_integers(emitter, wanted.ordered, ordered_half(emitter, a, smallest_normal, flush),
                         ordered_half(emitter, b, smallest_normal, flush), true);
    return wanted.with_nan ? ir.CreateOr(result, nan) : ir.CreateAnd(result, ir.CreateNot(nan));
}

}  // namespace wideload::jit
