// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "ptx/module.h"
#include "support/result.h"

namespace wideload::ptx {

/// What is wrong with the instructions of a module against isa.def: the number and kind of
/// operands, registers of the wrong width or class, calls that pass other arguments than their
/// callee takes. At most `limit` errors, located by PTX line and column; `where.file` is
/// `module.name`, `source_line` is left empty.
[[nodiscard]] Diagnostics verify(const Module& module, std::size_t limit);

}  // namespace wideload::ptx
