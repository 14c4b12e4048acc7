// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "arch/device.h"
#include "image/cubin.h"
#include "support/result.h"

namespace wideload::cli {

/// The kernels of a file that run on the GPU, each once, in the file's order: of its machine code
/// for it, else of what ptxas makes of its PTX, or nvcc of a .cu.
/// @param nvcc_flags more of nvcc's
/// Errors: no such kernel (they name what there is instead), and those of sass::for_each_cubin().
[[nodiscard]] Result<std::vector<image::CubinKernel>> kernels_of_file(
    const std::filesystem::path& file, const arch::Device& device,
    const std::vector<std::string>& nvcc_flags = {});

}  // namespace wideload::cli
