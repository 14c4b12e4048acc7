// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace wideload::cli {

/// LD_LIBRARY_PATH for the program: what it is now, and behind that a stand-in for each version of
/// libcudart.so, and for the driver's libcuda.so.1, that the loader does not find. Without one, a
/// program linked with it would not even start on a machine that has no CUDA toolkit or no driver.
/// (A program that finds the runtime by its own RUNPATH gets the stand-in all the same, whose
/// functions are the preload library's, as the runtime's would be.)
/// @param libraries  lib/wideload, by a path that the variable can hold
[[nodiscard]] std::string library_path_with_stand_ins(std::string current,
                                                      const std::filesystem::path& libraries);

}  // namespace wideload::cli
