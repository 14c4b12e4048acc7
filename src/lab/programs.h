// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "arch/device.h"
#include "lab/description.h"
#include "support/result.h"

namespace wideload::lab {

/// A program of the lab and what it says of itself.
struct Program {
    std::filesystem::path file;
    Description description;
};

/// Every program of a folder, in the order of the course. Files that are not executable are passed
/// over; one that is and describes nothing is an error.
[[nodiscard]] Result<std::vector<Program>> find_programs(const std::filesystem::path& folder);

/// Why a GPU cannot run an experiment: "gemm needs compute capability 8.0, Tesla T4 has 7.5".
/// Empty: it can.
[[nodiscard]] std::string refusal(const Description& description, const arch::Device& device);

/// What a program prints with --describe. Needs no GPU.
[[nodiscard]] Result<Description> describe(const std::filesystem::path& program);

}  // namespace wideload::lab
