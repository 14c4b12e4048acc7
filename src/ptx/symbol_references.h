// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "ptx/module.h"

namespace wideload::ptx {

/// Calls `visit` with every place where the function's body names a variable or function of its
/// module; names of its own variables, parameters, prototypes and target lists are left out.
/// `visit` may change the name.
void visit_symbols(Function& function, const std::function<void(std::string&)>& visit);

}  // namespace wideload::ptx
