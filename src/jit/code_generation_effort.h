// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/Function.h>

namespace wideload::jit {

/// Sets how hard LLVM's code generator works on the function that it is given next: passes whose
/// time grows faster than the function are left out of very long ones. LLVM keeps these settings
/// per process, so the caller holds the lock under which the function is also compiled.
void choose_code_generation_effort(const llvm::Function& function);

}  // namespace wideload::jit
