// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include "cli/options.h"

namespace wideload::cli {

/// The options of `wideload lab`.
void define_lab(CLI::App& app, LabCommand& command);
inline constexpr const char* kLabUsage = "wideload lab [OPTIONS] [NAME...]";

}  // namespace wideload::cli
