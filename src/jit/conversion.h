// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "jit/emitter.h"
#include "jit/lower.h"

/// The parts of cvt's lowering, a file each.
namespace wideload::jit {

// narrow_conversion.cpp

/// What emits a cvt to or from tf32, packed f16 and bf16, and pairs of 8-, 6- and 4-bit floats;
/// null where nothing does.
[[nodiscard]] Lowering narrow_conversion(const ptx::Instruction& instruction);
/// cvt.pack.sat: two integers clamped and put side by side, in front of what a third operand holds.
void convert_and_pack(Emitter& emitter, const ptx::Instruction& instruction);
/// .satfinite: infinities become the largest number; f16 or bf16 as 16-bit integers.
llvm::Value* clamp_half_to_finite(Emitter& emitter, llvm::Value* bits, ptx::Type format);

}  // namespace wideload::jit
