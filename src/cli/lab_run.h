// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "arch/device.h"
#include "cli/options.h"
#include "lab/programs.h"
#include "lab/record.h"
#include "support/result.h"

namespace wideload::cli {

/// The GPU that --gpu names, or the default.
[[nodiscard]] const arch::Device& virtual_gpu(const LabCommand& command);

/// Runs an experiment on the virtual GPU, as `wideload run` runs any program, and joins what was
/// counted to its points.
[[nodiscard]] Result<lab::Outcome> run_on_virtual_gpu(const lab::Program& program,
                                                      const LabCommand& command);

}  // namespace wideload::cli
