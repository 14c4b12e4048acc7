// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "ptx/module.h"
#include "support/result.h"

namespace wideload::ptx {

/// One module of several translation units, as nvlink makes it: external functions and variables
/// find their definition, weak definitions yield to strong ones and are otherwise kept once, common
/// variables merge into the largest, internal names that clash are renamed apart (`name@2`). Two
/// strong definitions of a name, and used names that no unit defines, are errors. Functions that
/// the virtual GPU provides itself (`vprintf`, `malloc`, ...) stay declarations; declarations that
/// nothing uses are dropped.
[[nodiscard]] Result<Module> link(std::vector<Module> modules);

/// Whether the virtual GPU, not a PTX module, provides the function: `vprintf`, `malloc`, `free`,
/// `__assertfail`, ...
[[nodiscard]] bool is_runtime_function(std::string_view name);

}  // namespace wideload::ptx
