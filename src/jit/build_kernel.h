// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/Module.h>

#include <string>

#include "jit/emitter.h"
#include "jit/kernel.h"

namespace wideload::jit {

/// Emits a kernel under the name `entry`, and every function that it may call, into an LLVM module.
/// @return what could not be emitted; `compiled` gets everything but its entry's address
[[nodiscard]] Diagnostics build_kernel(llvm::Module& output, const std::string& entry,
                                       const ptx::Function& kernel, const CompileContext& context,
                                       CompiledKernel& compiled);

/// Functions that a function may call, directly or because it or a variable takes their address,
/// itself included.
[[nodiscard]] std::vector<const ptx::Function*> reachable_functions(const ptx::Function& kernel,
                                                                    const CompileContext& context);

/// Local memory that one call of a function takes of each lane, in bytes.
[[nodiscard]] std::uint64_t frame_bytes(const ptx::Function& function);

/// The LLVM symbol of a PTX function that is called.
[[nodiscard]] std::string function_symbol(const ptx::Function& function);

}  // namespace wideload::jit
