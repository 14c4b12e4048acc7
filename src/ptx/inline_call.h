// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ptx/module.h"

namespace wideload::ptx {

/// Whether inline_call() can put the callee's body in the place of a call: it is defined, and all
/// that is passed lies in `.param` variables as large as the callee's.
[[nodiscard]] bool can_inline(const Function& caller, const Instruction& call,
                              const Function& callee);

/// Puts a copy of the callee's body in place of the direct call at caller.body[call]. The call and
/// the returns become branches, so as many instructions run as before. The copy has registers,
/// labels and local variables of its own, reads and writes the caller's `.param` variables in place
/// of its parameters, and keeps its lines of PTX and of the source.
/// @pre can_inline(); the callee has no `.shared` variables, of which each copy would have its own
void inline_call(Function& caller, std::uint32_t call, const Function& callee);

/// Puts in front of the call through a pointer at caller.body[call], which has no guard, one of the
/// callee by its name, for the threads whose pointer is the callee's address.
struct SplitCall {
    std::uint32_t direct;   ///< where the callee is called by its name
    std::uint32_t through;  ///< where the call through the pointer now is
};
SplitCall split_call(Function& caller, std::uint32_t call, const Function& callee);

}  // namespace wideload::ptx
