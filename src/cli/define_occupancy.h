// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include "cli/options.h"

namespace wideload::cli {

/// The options of `wideload occupancy`.
void define_occupancy(CLI::App& app, OccupancyCommand& command);
inline constexpr const char* kOccupancyUsage =
    "wideload occupancy [OPTIONS] FILE | --registers R --block N [OPTIONS]";

}  // namespace wideload::cli
