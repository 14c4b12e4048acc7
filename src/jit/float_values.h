// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "jit/emitter.h"

/// Building blocks of floating-point lowering. Each takes a scalar or a vector of any length, and
/// is defined for every input: lanes that do not execute hold anything.
namespace wideload::jit {

/// The type of `like` with another element type.
inline llvm::Type* with_element(llvm::Value* like, llvm::Type* element) {
    return like->getType()->getWithNewType(element);
}

/// A floating-point value's bits as an integer of its width, and back.
llvm::Value* float_bits(Emitter& emitter, llvm::Value* value);
llvm::Value* float_from_bits(Emitter& emitter, llvm::Value* bits, llvm::Type* element);

inline llvm::Value* float_constant(llvm::Value* like, double value) {
    return llvm::ConstantFP::get(like->getType(), value);
}
inline llvm::Value* integer_constant(llvm::Value* like, std::uint64_t value) {
    return llvm::ConstantInt::get(like->getType(), value);
}

llvm::Value* absolute(Emitter& emitter, llvm::Value* value);
llvm::Value* is_nan(Emitter& emitter, llvm::Value* value);

/// .ftz: subnormal numbers become zeros of their sign. Of f32 and f64.
llvm::Value* flush_subnormals(Emitter& emitter, llvm::Value* value);
/// The same for f16 given as 16-bit integers.
llvm::Value* flush_half_subnormals(Emitter& emitter, llvm::Value* bits);

/// .sat: clamped to [0, 1]; NaN becomes +0.
llvm::Value* saturate(Emitter& emitter, llvm::Value* value);
/// .relu: what is below +0 becomes +0; NaN stays.
llvm::Value* rectify(Emitter& emitter, llvm::Value* value);

/// NaN becomes the one with all bits but the sign set: 0x7fffffff.
llvm::Value* canonicalize_nan(Emitter& emitter, llvm::Value* value);

enum class Extremum { minimum, maximum };
/// PTX's min and max: -0 is below +0; a NaN loses against a number, or with `propagate_nan` wins;
/// NaN results are canonical.
llvm::Value* float_extremum(Emitter& emitter, Extremum which, llvm::Value* a, llvm::Value* b,
                            bool propagate_nan);

/// An arithmetic sum, rounded to odd: rounding it once more, to a format two bits narrower or less,
/// is as rounding the exact sum. The exact sum neither overflows nor underflows.
llvm::Value* add_to_odd(Emitter& emitter, llvm::Value* a, llvm::Value* b);
/// f64 as f32, rounded to odd.
llvm::Value* narrow_to_odd(Emitter& emitter, llvm::Value* value);
/// f64 as f32, rounded as PTX names it.
llvm::Value* narrow_to_float(Emitter& emitter, llvm::Value* value, ptx::Rounding rounding);

/// f16 or bf16, given as 16-bit integers, as f32; exact.
llvm::Value* widen_half(Emitter& emitter, llvm::Value* bits, ptx::Type format);
/// f32 as f16 or bf16 in 16-bit integers; NaN becomes 0x7fff.
llvm::Value* narrow_to_half(Emitter& emitter, llvm::Value* value, ptx::Type format,
                            ptx::Rounding rounding = ptx::Rounding::rn);

/// Rounded to an integer of the same type by .rni .rzi .rmi .rpi.
llvm::Value* round_to_integer(Emitter& emitter, llvm::Value* value, ptx::Rounding rounding);

/// c[0] + x (c[1] + x (c[2] + ...)), fused where the host can.
llvm::Value* polynomial(Emitter& emitter, llvm::Value* x,
                        std::initializer_list<double> coefficients);

/// 2^x and tanh x of f32, within the PTX manual's bounds for .approx.
llvm::Value* approximate_exp2(Emitter& emitter, llvm::Value* x, bool flush);
llvm::Value* approximate_tanh(Emitter& emitter, llvm::Value* x);

}  // namespace wideload::jit
