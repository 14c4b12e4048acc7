// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"

namespace wideload::sass {

/// What machine code is for: 90 and 'a' of sm_90a.
struct Target {
    std::uint32_t arch = 0;
    char suffix = '\0';

    /// "sm_90a"
    [[nodiscard]] std::string name() const;
    bool operator==(const Target&) const = default;
};

/// "sm_90a", "90" or "9.0". Errors: neither of them.
[[nodiscard]] Result<Target> parse_target(std::string_view text);

/// PTX to a cubin, by ptxas, with line information where the PTX has it. Errors: no ptxas, or what
/// it has against the text.
/// @param relocatable it may use what other modules define
/// @param input       what messages call the PTX
[[nodiscard]] Result<std::vector<std::byte>> compile_ptx(std::string_view ptx, Target target,
                                                         bool relocatable,
                                                         const std::string& input);

/// A .cu file to a cubin, by nvcc with -lineinfo.
/// @param flags more of nvcc's, such as include folders
[[nodiscard]] Result<std::vector<std::byte>> compile_cuda(const std::filesystem::path& source,
                                                          Target target,
                                                          const std::vector<std::string>& flags);

}  // namespace wideload::sass
