// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ptx/module.h"

namespace wideload::jit {

/// The pointer parameter that a memory instruction's address derives from, as PTX names it; empty
/// where there is none, or more than one. Follows the address's register back through moves, sums
/// and conversions.
[[nodiscard]] std::string parameter_origin(const ptx::Function& function,
                                           const ptx::Instruction& access);
/// The same for one address of an instruction that has several.
[[nodiscard]] std::string parameter_origin(const ptx::Function& function,
                                           const ptx::Operand& address);

}  // namespace wideload::jit
