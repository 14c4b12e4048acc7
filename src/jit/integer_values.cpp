// SPDX-License-Identifier: Apache-2.0
#include "jit/integer_values.h"

namespace wideload::jit {

llvm::Value* minimum(Emitter& emitter, llvm::Value* a, llvm::Value* b, bool is_signed) {
    return emitter.ir().CreateBinaryIntrinsic(
        is_signed ? llvm::Intrinsic::smin : llvm::Intrinsic::umin, a, b);
}

llvm::Value* maximum(Emitter& emitter, llvm::Value* a, llvm::Value* b, bool is_signed) {
    return emitter.ir().CreateBinaryIntrinsic(
        is_signed ? llvm::Intrinsic::smax : llvm::Intrinsic::umax, a, b);
}

llvm::Value* clamp(Emitter& emitter, llvm::Value* value, std::int64_t low, std::int64_t high) {
    const auto bound = [&](std::int64_t limit) {
        return llvm::ConstantInt::getSigned(value->getType(), limit);
    };
    return minimum(emitter, maximum(emitter, value, bound(low), true), bound(high), true);
}

// A shift by the width or more is poison, which the select does not let through; X86 has it as one
// instruction.
llvm::Value* shift_left(Emitter& emitter, llvm::Value* value, llvm::Value* amount) {
    llvm::IRBuilder<>& ir = emitter.ir();
    llvm::Value* in_range = ir.CreateICmpULT(amount, integer(emitter, amount, bits_of_type(value)));
    return ir.CreateSelect(in_range, ir.CreateShl(value, amount), integer(emitter, value, 0));
}

llvm::Value* shift_right(Emitter& emitter, llvm::Value* value, llvm::Value* amount,
                         bool is_signed) {
    llvm::IRBuilder<>& ir = emitter.ir();
    const unsigned bits = bits_of_type(value);
    if (is_signed) {
        return ir.CreateAShr(value,
                             minimum(emitter, amount, integer(emitter, amount, bits - 1), false));
    }
    llvm::Value* in_range = ir.CreateICmpULT(amount, integer(emitter, amount, bits));
    return ir.CreateSelect(in_range, ir.CreateLShr(value, amount), integer(emitter, value, 0));
}

llvm::Value* high_product(Emitter& emitter, llvm::Value* a, llvm::Value* b, bool is_signed) {
    const unsigned bits = bits_of_type(a);
    llvm::Value* product = emitter.ir().CreateMul(resize(emitter, a, bits * 2, is_signed),
                                                  resize(emitter, b, bits * 2, is_signed));
    return resize(emitter, emitter.ir().CreateLShr(product, bits), bits, false);
}

llvm::Value* packed_part(Emitter& emitter, llvm::Value* packed, unsigned index, unsigned part_bits,
                         bool is_signed) {
    llvm::IRBuilder<>& ir = emitter.ir();
    if (is_signed) {
        return ir.CreateAShr(ir.CreateShl(packed, 32 - part_bits * (index + 1)), 32 - part_bits);
    }
    return ir.CreateAnd(ir.CreateLShr(packed, part_bits * index), (1u << part_bits) - 1);
}

}  // namespace wideload::jit
