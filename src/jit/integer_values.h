// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "jit/emitter.h"

/// Small operations on integers that are scalars or 32 lanes, for the lowering functions. None is
/// undefined for any input: lanes that do not execute hold anything.
namespace wideload::jit {

/// Zero- or sign-extended, or cut, to `bits`.
inline llvm::Value* resize(Emitter& emitter, llvm::Value* value, unsigned bits, bool is_signed) {
    llvm::Type* type = emitter.type_like(emitter.ir().getIntNTy(bits), value);
    return is_signed ? emitter.ir().CreateSExtOrTrunc(value, type)
                     : emitter.ir().CreateZExtOrTrunc(value, type);
}

inline llvm::Value* integer(Emitter& emitter, llvm::Value* like, std::uint64_t value) {
    return emitter.constant(like->getType(), value);
}

inline unsigned bits_of_type(llvm::Value* value) {
    return static_cast<unsigned>(value->getType()->getScalarSizeInBits());
}

llvm::Value* minimum(Emitter& emitter, llvm::Value* a, llvm::Value* b, bool is_signed);
llvm::Value* maximum(Emitter& emitter, llvm::Value* a, llvm::Value* b, bool is_signed);
llvm::Value* clamp(Emitter& emitter, llvm::Value* value, std::int64_t low, std::int64_t high);

/// Shifts whose amounts, unsigned and of the value's type, may be anything: bits that leave are
/// gone.
llvm::Value* shift_left(Emitter& emitter, llvm::Value* value, llvm::Value* amount);
llvm::Value* shift_right(Emitter& emitter, llvm::Value* value, llvm::Value* amount, bool is_signed);

/// The upper half of the product.
llvm::Value* high_product(Emitter& emitter, llvm::Value* a, llvm::Value* b, bool is_signed);

/// Part `index` of a packed value, 8 or 16 bits, as 32 bits.
llvm::Value* packed_part(Emitter& emitter, llvm::Value* packed, unsigned index, unsigned part_bits,
                         bool is_signed);

}  // namespace wideload::jit
