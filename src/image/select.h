// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "image/fatbinary.h"
#include "support/result.h"

namespace wideload::image {

/// Whether a GPU may run PTX of a target: any not newer than itself; with suffix 'a' only its own;
/// with 'f' only of its family, the same major number (PTX ISA, `.target`).
/// @param gpu compute capability as in sm_90: 90
[[nodiscard]] bool can_run_ptx(std::uint32_t arch, char suffix, std::uint32_t gpu);

/// The highest PTX of a fat binary that a GPU of compute capability `gpu` may run, decompressed. Of
/// two for one architecture the more specific one. Errors: corrupt, or no PTX for this GPU; the
/// latter names what there is. Every program that nvcc links has one such fat binary: that of its
/// device runtime, which kernels need only if they launch kernels.
[[nodiscard]] Result<std::string> select_ptx(const FatBinary& binary, std::uint32_t gpu);

/// The machine code whose facts (registers, shared memory) hold for the GPU: of its major number,
/// the highest minor number up to its own; with suffix 'a' of its own alone. @returns null where
/// there is none
[[nodiscard]] const Entry* select_cubin(const FatBinary& binary, std::uint32_t gpu);

struct PtxText {
    std::string name;  ///< of the fat binary it is from
    std::string text;
};

/// What is to be linked to one module.
struct PtxSelection {
    std::vector<PtxText> modules;
    std::vector<std::string>
        without_ptx;  ///< relocatable objects that cannot take part: link errors should name them
};

/// The PTX of one registration (read_registered(), read_loaded()): of the relocatable fat binaries
/// where there are any, else of the only one. An error where there is no PTX at all.
[[nodiscard]] Result<PtxSelection> select_modules(std::span<const FatBinary> binaries,
                                                  std::uint32_t gpu);

}  // namespace wideload::image
