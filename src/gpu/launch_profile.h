// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/grid.h"
#include "gpu/kernel.h"
#include "gpu/worker_pool.h"
#include "profile/profile.h"

namespace wideload::gpu {

/// Sums what the workers counted into the launch's sites and counters.
void collect_counters(const Kernel& kernel, const jit::CompiledKernel& compiled,
                      const WorkerPool& pool, unsigned workers, profile::Launch& launch);

/// The launch's distinct sectors of global memory, of all workers together.
void add_touched_sectors(const WorkerPool& pool, unsigned workers, profile::Launch& launch);

}  // namespace wideload::gpu
