// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "support/result.h"

namespace wideload::sass {

/// Finds a program of the CUDA toolkit: the file that an environment variable names
/// (WIDELOAD_NVDISASM for nvdisasm), then beside $CUDACXX, in $CUDA_HOME/bin, on $PATH, in
/// /usr/local/cuda/bin, and in the wheels that tools/setup installs beside the build folder of this
/// executable.
/// @param name "nvdisasm", "ptxas", "nvcc"
/// @returns an error that says where it was looked for
[[nodiscard]] Result<std::filesystem::path> find_tool(std::string_view name);

}  // namespace wideload::sass
