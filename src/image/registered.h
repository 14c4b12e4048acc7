// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "image/fatbinary.h"
#include "support/result.h"

namespace wideload::image {

/// What `__cudaRegisterFatBinary` gets: a pointer to a `__fatBinC_Wrapper_t` (fatbinary_section.h
/// of the toolkit). Version 1 holds one fat binary. Version 2 holds what nvlink made of relocatable
/// objects, which is machine code alone, then the objects' own fat binaries, marked `relocatable`,
/// which are to be linked again. The result refers to the program's memory: it is valid as long as
/// the library that registered it stays loaded.
/// @param name what messages call it: the program or library
[[nodiscard]] Result<std::vector<FatBinary>> read_registered(const void* wrapper,
                                                             const std::string& name);

/// What cuModuleLoadData and cuLibraryLoadData get: a pointer to a wrapper, a fat binary, a cubin
/// or NUL-terminated PTX, with no size. Bounds are taken from the headers.
[[nodiscard]] Result<std::vector<FatBinary>> read_loaded(const void* image, std::string name);

}  // namespace wideload::image
