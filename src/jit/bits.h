// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ptx/instruction.h"

namespace wideload::jit {

class Emitter;

/// Parts of the bits family, a file each.
// lop3.cpp
void lower_lop3(Emitter&, const ptx::Instruction&);
// permute_bytes.cpp
void lower_prmt(Emitter&, const ptx::Instruction&);
// bit_field.cpp: bfe bfi bmsk szext
void lower_bit_field(Emitter&, const ptx::Instruction&);
// shift.cpp: shl shr shf
void lower_shift(Emitter&, const ptx::Instruction&);

}  // namespace wideload::jit
