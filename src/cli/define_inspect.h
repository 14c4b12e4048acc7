// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include "cli/options.h"

namespace wideload::cli {

/// The options of `wideload inspect`.
void define_inspect(CLI::App& app, InspectCommand& command);
inline constexpr const char* kInspectUsage = "wideload inspect [OPTIONS] FILE";

}  // namespace wideload::cli
