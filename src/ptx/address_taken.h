// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

#include "ptx/module.h"

namespace wideload::ptx {

/// The functions and variables whose address a program can hold: named by an instruction as a
/// value, or by an initialiser.
[[nodiscard]] std::set<std::string> address_taken(const Module& module);

}  // namespace wideload::ptx
