// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include "jit/effort.h"

namespace wideload::jit {

/// The few passes that pay for kernels (docs/engine.md has the trial): stack slots to values,
/// common subexpressions, branches; with more effort peepholes and loop invariants, too.
void optimize(llvm::Module& module, llvm::TargetMachine& machine, Effort effort);

}  // namespace wideload::jit
