// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "jit/emitter.h"

/// Comparisons as PTX names them, on scalars or 32 lanes.
namespace wideload::jit {

/// The integer type of the same width: what moves a value without looking at it.
[[nodiscard]] ptx::Type bits_type(ptx::Type type);

llvm::Value* compare_integers(Emitter& emitter, ptx::Comparison comparison, llvm::Value* a,
                              llvm::Value* b, bool is_signed);

/// f32 and f64; `flush` takes subnormals for zeros.
llvm::Value* compare_floats(Emitter& emitter, ptx::Comparison comparison, llvm::Value* a,
                            llvm::Value* b, bool flush);

/// f16 or bf16 as 16-bit patterns, which any host can compare.
llvm::Value* compare_halves(Emitter& emitter, ptx::Comparison comparison, llvm::Value* a,
                            llvm::Value* b, ptx::Type type, bool flush);

}  // namespace wideload::jit
