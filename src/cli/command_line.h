// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/options.h"

namespace wideload::cli {

/// Understands the command line; prints help, the version, or what is wrong with it.
[[nodiscard]] Command parse_command_line(int argc, const char* const* argv);

}  // namespace wideload::cli
