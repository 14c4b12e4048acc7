// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/options.h"

/// What the options of several commands share.
namespace wideload::cli {

/// One of few words; like CLI::IsMember, without its repeating the words in the help.
[[nodiscard]] CLI::Validator one_of(std::vector<std::string> words);

/// A key of arch/'s table of GPUs.
/// @param or_all whether "all" is one too
[[nodiscard]] CLI::Validator known_gpu(bool or_all = false);

/// --nvcc, of commands that compile a .cu
void define_nvcc(CLI::App& command, std::vector<std::string>& flags);

/// --color
void define_colour(CLI::App& command, ReportOptions& look);

}  // namespace wideload::cli
