// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ptx/module.h"
#include "support/result.h"

namespace wideload::ptx {

/// What is wrong with a function's instructions against isa.def: the number and kind of operands,
/// registers of the wrong width or class. Located by PTX line and column; `where.file` is
/// `module.name`, `source_line` is left empty.
[[nodiscard]] Diagnostics verify(const Module& module, const Function& function);

}  // namespace wideload::ptx
