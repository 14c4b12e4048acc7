// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/Support/MemoryBufferRef.h>

#include <cstdint>

namespace wideload::jit {

/// What the functions of an object file take of the stack together, in bytes: no chain of calls
/// takes more unless one calls itself. The object has to have a section .stack_sizes.
[[nodiscard]] std::uint64_t sum_of_frames(llvm::MemoryBufferRef object);

}  // namespace wideload::jit
