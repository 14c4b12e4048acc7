// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "image/fatbinary.h"
#include "support/result.h"

namespace wideload::image {

/// The device code of a file: an executable, shared object, relocatable file or static library with
/// embedded fat binaries, or a .fatbin, .cubin or .ptx by itself. The fat binaries keep the file's
/// bytes alive. Errors: unreadable, no such format, no CUDA code, corrupt (with the offset).
[[nodiscard]] Result<std::vector<FatBinary>> read_file(const std::filesystem::path& path);

/// As read_file() for bytes that the caller keeps alive as long as the result.
/// @param name what messages call them
[[nodiscard]] Result<std::vector<FatBinary>> read_bytes(std::span<const std::byte> bytes,
                                                        std::string name);

}  // namespace wideload::image
