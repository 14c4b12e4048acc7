// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <variant>

namespace wideload::cli {

/// Why a program cannot be run.
struct Refusal {
    int exit_code = 0;
    std::string sentence;
};

/// Finds the file as a shell would: a name with a slash is a path, any other is looked for on PATH.
[[nodiscard]] std::variant<std::filesystem::path, Refusal> find_program(const std::string& name);

/// What would fail later without a word: files that are no program, programs that the preload
/// library cannot enter (32-bit, linked without a dynamic loader), and those that hide the CUDA
/// runtime in themselves (static and stripped).
/// @returns a refusal with an empty sentence where nothing is in the way
[[nodiscard]] Refusal check_program(const std::filesystem::path& path);

}  // namespace wideload::cli
