// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ptx/instruction.h"

namespace wideload::jit {

class Emitter;

/// Parts of the integer family, a file each.
// carry.cpp: add sub mad with .cc; addc subc madc
void lower_with_carry(Emitter&, const ptx::Instruction&);
// division.cpp: div rem
void lower_division(Emitter&, const ptx::Instruction&);
// dot_product.cpp: dp4a dp2a
void lower_dot_product(Emitter&, const ptx::Instruction&);

}  // namespace wideload::jit
