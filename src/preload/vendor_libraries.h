// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace wideload::preload {

/// A library of NVIDIA's that no virtual GPU runs: one that brings machine code for GPUs and calls
/// the driver behind the runtime's back, or the driver's own.
struct VendorLibrary {
    const char* file_prefix;      ///< of the file's name: "libcublas.so"
    const char* function_prefix;  ///< of its public functions
    const char* title;            ///< as users know it: "cuBLAS"
    const char* reason;           ///< why it does not run: "the library holds ..."
    int failure_status;           ///< what its functions return
};

/// The library that the file at `path` is, or null.
[[nodiscard]] const VendorLibrary* find_vendor_library(const char* path);

/// Makes a public function of the library say that it cannot run here and return a failure status.
/// Functions that only describe (versions, names of errors) are left alone.
void redirect_vendor_function(const VendorLibrary& library, const char* name,
                              std::uintptr_t address);

}  // namespace wideload::preload
