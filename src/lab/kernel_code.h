// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wideload::lab {

/// What of an experiment's source runs on the GPU.
struct CodeFile {
    std::string name;  ///< below lab/: "stride.cu", "gemm/tiled.cuh"
    std::string code;
};

/// Of the experiment's own file and of those that it includes, the harness left out, in the order
/// in which the compiler meets them; as they were when this tool was built. Nothing of an
/// experiment that is none of the lab's.
[[nodiscard]] std::vector<CodeFile> kernel_code(std::string_view experiment);

/// The kernels of a source as it is written, with what they call and the variables that they share:
/// every item of the file that begins with __global__, __device__ or __constant__, and structs with
/// members for the device; before them the constants that they name. Items are parted by blank
/// lines.
[[nodiscard]] std::string device_items(std::string_view source);

}  // namespace wideload::lab
