// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "jit/emitter.h"

namespace wideload::jit {

/// Lanes that take part in a collective: those that execute it and that its member mask names. i32
/// where all lanes name the same members, else 32 masks.
llvm::Value* participants(Emitter& emitter, const ptx::Instruction& instruction);

/// Parts of the warp family, a file each.
// shuffle.cpp
void lower_shfl(Emitter&, const ptx::Instruction&);
// reduction.cpp
void lower_redux(Emitter&, const ptx::Instruction&);

}  // namespace wideload::jit
