// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "arch/device.h"
#include "gpu/kernel.h"
#include "gpu/launch.h"

namespace wideload::gpu {

/// What a GPU would refuse about a launch. @return false, with fault and diagnostic set, where it
/// would
[[nodiscard]] bool check_configuration(const Kernel& kernel,
                                       const LaunchConfiguration& configuration,
                                       const arch::Device& device, LaunchOutcome& outcome);

/// Blocks of this shape that the GPU holds at once, by threads, blocks, shared memory and, where
/// known, registers.
[[nodiscard]] std::uint64_t resident_blocks(const Kernel& kernel,
                                            const LaunchConfiguration& configuration,
                                            const arch::Device& device);

}  // namespace wideload::gpu
