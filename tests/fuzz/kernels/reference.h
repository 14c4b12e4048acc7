// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "program.h"
#include "request_counts.h"

namespace wideload::fuzz {

/// What a kernel reads and writes.
struct Memory {
    std::vector<std::uint8_t> input;  ///< kInputMargin on both sides
    std::vector<std::uint8_t> output;
    std::vector<std::uint8_t> totals;
};

/// What a kernel must do.
struct Expectation {
    Memory memory;
    std::vector<SiteCounts> sites;
    std::uint64_t instructions = 0, thread_instructions = 0;
    std::uint64_t branches = 0, divergent_branches = 0;
    /// Nonempty where the kernel touches memory it must not; such a kernel tests nothing.
    std::string invalid;
};

/// Runs the abstract program statement by statement. Lanes part at branches and meet behind them,
/// as the program's structure says; in irregular graphs each lane runs by itself.
[[nodiscard]] Expectation evaluate(const Kernel& kernel, Memory before);

}  // namespace wideload::fuzz
