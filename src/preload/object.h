// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace wideload::preload {

/// Looks at one loaded object, before its constructors run, and redirects what it holds of the CUDA
/// runtime (its own copy where it was linked with the static one; libcudart.so itself) to this
/// library's entry points, and the functions of NVIDIA's libraries to a sentence that names them.
/// @param base  what is added to the addresses in its file
/// @param path  of its file; empty for the program itself
void prepare_object(std::uintptr_t base, const char* path);

}  // namespace wideload::preload
