// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include "cli/options.h"

namespace wideload::cli {

/// The options of `wideload roofline`.
void define_roofline(CLI::App& app, RooflineCommand& command);
inline constexpr const char* kRooflineUsage = "wideload roofline [OPTIONS] FILE...";

}  // namespace wideload::cli
