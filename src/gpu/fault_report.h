// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/grid.h"
#include "gpu/kernel.h"

namespace wideload::gpu {

/// Why the launch ended early, for the caller: the fault and a diagnostic that names kernel, line,
/// lanes, address, needed alignment and the nearest allocation.
void describe_end(const Kernel& kernel, const Grid& grid, double timeout_s, LaunchOutcome& outcome);

/// Says where a diagnostic's instruction stands: the source line where there is one, else the PTX
/// line.
void locate(const Kernel& kernel, const profile::Frames& frames, std::uint32_t ptx_line,
            Diagnostic& diagnostic);

/// gpu::Fault as profiles spell it: "illegal_address".
[[nodiscard]] std::string_view name(Fault fault);

}  // namespace wideload::gpu
