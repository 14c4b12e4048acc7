// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/kernel.h"
#include "gpu/worker_pool.h"

namespace wideload::gpu {

/// Meetings of the launch whose lanes were not those that they name, as its profile has them, and a
/// warning for each.
/// @param counted  how often blocks of the kernel ran is known
void collect_mismatches(const Kernel& kernel, const jit::CompiledKernel& compiled,
                        const WorkerPool& pool, unsigned workers, bool counted,
                        LaunchOutcome& outcome);

}  // namespace wideload::gpu
