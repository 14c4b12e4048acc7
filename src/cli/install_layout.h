// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "support/result.h"

namespace wideload::cli {

/// The libraries that ride with the program, found from where this executable lies: bin/wideload
/// beside lib/wideload/, in a prefix as in a build folder, so that both can be moved.
struct InstallLayout {
    std::filesystem::path preload;
    std::filesystem::path engine;
};

[[nodiscard]] Result<InstallLayout> find_install_layout();

/// Where the programs of the lab lie: libexec/wideload/lab/ beside bin/.
[[nodiscard]] Result<std::filesystem::path> lab_folder();

/// Where the JavaScript that draws charts lies: share/wideload/vega/ beside bin/.
[[nodiscard]] Result<std::filesystem::path> vega_folder();

}  // namespace wideload::cli
