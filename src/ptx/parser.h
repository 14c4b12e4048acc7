// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "ptx/module.h"
#include "support/result.h"

namespace wideload::ptx {

/// PTX text (ISA up to 9.0) as a typed module whose instructions passed verify(). `name` stands in
/// diagnostics for the file. At most 20 errors are collected, in the order of the text, each with
/// its source line.
[[nodiscard]] Result<Module> parse(std::string_view text, std::string name);

}  // namespace wideload::ptx
