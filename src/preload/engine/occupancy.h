// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "arch/device.h"

namespace wideload::preload {

/// What a block of a kernel takes of a multiprocessor.
struct KernelResources {
    int block_size;
    int registers;              ///< per thread
    int max_threads_per_block;  ///< by the kernel's launch bounds
    std::size_t static_shared_bytes, dynamic_shared_bytes;
};

/// Blocks of the kernel that one multiprocessor holds at a time, as NVIDIA's occupancy calculator
/// counts them; 0 where a block does not fit.
[[nodiscard]] int resident_blocks(const arch::Device& device, const KernelResources& resources);

/// The most dynamic shared memory with which `blocks` blocks still fit.
[[nodiscard]] std::size_t dynamic_shared_bytes_for(const arch::Device& device,
                                                   KernelResources resources, int blocks);

}  // namespace wideload::preload
