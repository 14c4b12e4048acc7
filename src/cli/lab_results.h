// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "cli/workspace.h"
#include "lab/programs.h"
#include "lab/record.h"
#include "support/result.h"

namespace wideload::cli {

/// Where a program of the lab is told to write its results.
[[nodiscard]] std::filesystem::path results_file(const Workspace& workspace);

/// What it wrote there.
/// @param ended  how the program ended, for the error where it wrote nothing: "exit code 1"
[[nodiscard]] Result<lab::Outcome> read_outcome(const lab::Program& program,
                                                const Workspace& workspace,
                                                const std::string& ended);

}  // namespace wideload::cli
