// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sass/cubin_of.h"
#include "sass/kernel_code.h"
#include "support/result.h"

namespace wideload::sass {

struct InspectOptions : CubinOptions {
    std::function<bool(std::string_view)> wanted;  ///< by mangled name; empty: all kernels
    std::filesystem::path nvdisasm;                ///< empty: found
};

/// The machine code of one cubin of a file.
struct InspectedCode {
    std::string name;  ///< of the fat binary it is from: "./app: .nv_fatbin at byte 0x8f620"
    Target target;
    bool compiled = false;  ///< by this call: the file had PTX or source alone
    std::vector<KernelCode> kernels;
};

/// The kernels of a file: an executable, shared object, object, static library, fat binary, cubin,
/// PTX or .cu. Of each fat binary in it the best cubin for the target; PTX where there is none, by
/// ptxas. Nothing of the file is run.
[[nodiscard]] Result<std::vector<InspectedCode>> inspect(const std::filesystem::path& file,
                                                         const InspectOptions& options);

}  // namespace wideload::sass
