// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "support/diagnostic.h"

namespace wideload::cli {

/// What will be in the way of writing a file, so that a mistake is said before a long run and not
/// after it. Nothing is written; "-" is stdout.
/// @returns nothing where all looks well
[[nodiscard]] Diagnostics check_output(const std::filesystem::path& file);

}  // namespace wideload::cli
