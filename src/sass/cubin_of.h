// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "image/fatbinary.h"
#include "sass/compile.h"
#include "support/result.h"

namespace wideload::sass {

/// Which machine code of a file is meant.
struct CubinOptions {
    Target target;
    /// Whether the user asked for the target; else another is taken where there is none for it.
    bool target_is_asked = false;
    std::vector<std::string> nvcc_flags;  ///< of a .cu
};

/// Machine code, and what it is for.
struct Cubin {
    std::string name;  ///< of the fat binary it is from: "./app: .nv_fatbin at byte 0x8f620"
    Target target;
    bool compiled = false;  ///< by this call: the file had PTX or source alone
    std::vector<std::byte> bytes;
};

/// Looks at one cubin. @returns whether it has kernels that the caller was after
using LookAtCubin = std::function<Result<bool>(const Cubin&)>;

/// Calls look() with one cubin after the other of a file: an executable, shared object, object,
/// static library, fat binary, cubin, PTX or .cu. Of each fat binary the best cubin for the target;
/// PTX where there is none, by ptxas. Nothing of the file is run. Relocatable code is what linked
/// code was made of: it is looked at only where that had no kernels.
/// @param held what the file has besides, for a message that finds nothing: "PTX for compute_90"
[[nodiscard]] Diagnostics for_each_cubin(const std::filesystem::path& file,
                                         const CubinOptions& options, const LookAtCubin& look,
                                         std::string& held);

}  // namespace wideload::sass
