// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/install_layout.h"
#include "cli/options.h"
#include "cli/workspace.h"

namespace wideload::cli {

/// This process's environment with what the preload library is told (preload/protocol.h), as
/// "NAME=value". LD_PRELOAD keeps what it had, ours last. An error where the libraries lie at a
/// path that the dynamic loader cannot be told.
[[nodiscard]] Result<std::vector<std::string>> environment_of_program(const RunCommand& command,
                                                                      const InstallLayout& layout,
                                                                      const Workspace& workspace);

}  // namespace wideload::cli
