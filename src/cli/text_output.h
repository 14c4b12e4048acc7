// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "support/diagnostic.h"

namespace wideload::cli {

/// Writes what a command has to say to a file, or to stdout where `file` is "-".
/// @returns what went wrong, if anything
[[nodiscard]] Diagnostics write_text(std::string_view text, const std::string& file);

}  // namespace wideload::cli
