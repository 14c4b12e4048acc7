// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "arch/device.h"
#include "image/cubin.h"
#include "support/result.h"

namespace wideload::cli {

/// The kernels whose machine code in the file runs on the GPU, each once, in the file's order.
/// Errors: no such code (they name what there is instead), and those of image::read_file().
[[nodiscard]] Result<std::vector<image::CubinKernel>> kernels_of_file(
    const std::filesystem::path& file, const arch::Device& device);

}  // namespace wideload::cli
