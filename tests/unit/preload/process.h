// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace wideload::preload {

/// How a program ended under the preload library, and what it left.
struct Ended {
    int exit_code = -1;  ///< -1: by a signal
    int signal = 0;
    std::string output, errors;
    std::vector<std::filesystem::path> profiles;
    std::shared_ptr<void> folder;  ///< where they lie; removed with the last copy of this
};

/// Runs a program of the build's folder of CUDA programs, or by its absolute path, under the
/// preload library and the engine that the test was built for.
/// @param environment  more "NAME=value"
/// @param signal       sent to the program after a second; 0: none
[[nodiscard]] Ended run_program(const std::string& name, std::vector<std::string> arguments = {},
                                const std::vector<std::string>& environment = {}, int signal = 0);

}  // namespace wideload::preload
