// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "support/result.h"

namespace wideload::cli {

/// A path by which LD_PRELOAD and LD_LIBRARY_PATH can name a folder: they separate their entries by
/// spaces, ':' and ';', and nothing can be quoted there. It is the folder's own where that has none
/// of them, else `link`, which is then made as a symbolic link to the folder.
/// @param folder  an absolute path
/// @param link  a path where nothing is, in a folder that nobody else can write to
[[nodiscard]] Result<std::filesystem::path> path_for_loader(const std::filesystem::path& folder,
                                                            const std::filesystem::path& link);

}  // namespace wideload::cli
