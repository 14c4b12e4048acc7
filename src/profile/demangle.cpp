// SPDX-License-Identifier: Apache-2.0
#include "profile/demangle.h"

#include <llvm/Demangle/Demangle.h>

namespace wideload::profile {

std::string demangle(std::string_view mangled) { return llvm::demangle(mangled); }

}  // namespace wideload::profile
