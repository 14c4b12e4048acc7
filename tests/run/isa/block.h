// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace wideload::isa {

/// A kernel of one block, for forms that a lane cannot execute by itself: barriers, and copies that
/// are waited for in a loop.
struct BlockForm {
    /// PTX that gives each thread its %result (.b32, 0 before) from its %thread, the number in the
    /// block. It declares what else it needs.
    std::string text;
    std::function<std::uint32_t(std::uint32_t thread)> expected;
    std::uint32_t threads = 128;
    std::string declarations{};  ///< variables of the module
    std::string directives{};    ///< of the entry: ".maxnreg 128"
    std::string target = "sm_90";
};

/// Runs the kernel and compares every thread's result with the expectation, and with what an H200
/// computed, or records that; forms are numbered within their test as those of check() are.
void check_block(const BlockForm& form);

/// `text` with `replacement` wherever it has `part`.
[[nodiscard]] std::string with(std::string text, const std::string& part,
                               const std::string& replacement);

}  // namespace wideload::isa
