// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "profile/profile.h"
#include "support/diagnostic.h"

namespace wideload::gpu {

class Kernel;
class Gpu;

using Dim3 = std::array<std::uint32_t, 3>;

/// Blocks of a grid, threads of a block.
[[nodiscard]] inline std::uint64_t volume(const Dim3& size) {
    return std::uint64_t{size[0]} * size[1] * size[2];
}

/// Why a launch was refused or ended early. preload/ maps each to the CUDA error that a GPU gives.
enum class Fault : std::uint8_t {
    none,
    invalid_configuration,  ///< too many threads or blocks, a dimension of 0
    out_of_resources,  ///< too many registers, or a cooperative grid that is not resident at once
    illegal_address,
    misaligned_address,
    unsupported,  ///< an instruction that the engine cannot run, found when the module was
                  ///< loaded
    bad_operand,  ///< a value that an instruction does not take
    bad_function_pointer,
    assertion,  ///< __assertfail
    trap,
    stack_overflow,
    timeout,      ///< --kernel-timeout
    interrupted,  ///< Ctrl-C
    internal,     ///< the code generator failed
};

struct LaunchConfiguration {
    Dim3 grid{1, 1, 1};
    Dim3 block{1, 1, 1};
    std::uint64_t dynamic_shared_bytes = 0;
    bool cooperative = false;
};

struct LaunchOutcome {
    Fault fault = Fault::none;
    Diagnostic diagnostic;    ///< where fault != none
    Diagnostics warnings;     ///< one for each of profile.mismatches
    profile::Launch profile;  ///< what was counted, also of a launch that ended early
};

}  // namespace wideload::gpu
