// SPDX-License-Identifier: Apache-2.0
#include "preload/engine/occupancy.h"

#include <algorithm>

namespace wideload::preload {
namespace {

std::size_t round_up(std::size_t value, std::size_t unit) {
    return (value + unit - 1) / unit * unit;
}

int warps_of(const KernelResources& resources) {
    return static_cast<int>(
        round_up(static_cast<std::size_t>(resources.block_size), arch::kWarpSize) /
        arch::kWarpSize);
}

/// A warp's registers are taken from one of the multiprocessor's partitions, in units.
int blocks_by_registers(const arch::MultiprocessorLimits& limits,
                        const KernelResources& resources) {
    if (resources.registers == 0) return static_cast<int>(limits.max_blocks);
    const std::size_t per_warp =
        round_up(static_cast<std::size_t>(resources.registers) * arch::kWarpSize,
                 limits.register_allocation_unit);
    const std::size_t warps =
        limits.registers / limits.sub_partitions / per_warp * limits.sub_partitions;
    return static_cast<int>(warps) / warps_of(resources);
}

int blocks_by_shared_memory(const arch::MultiprocessorLimits& limits,
                            const KernelResources& resources) {
    const std::size_t used = resources.static_shared_bytes + resources.dynamic_shared_bytes;
    if (used > limits.shared_bytes_per_block_optin) return 0;
    const std::size_t taken =
        round_up(used + limits.shared_bytes_reserved_per_block, limits.shared_allocation_unit);
    return taken == 0 ? static_cast<int>(limits.max_blocks)
                      : static_cast<int>(limits.shared_bytes / taken);
}

}  // namespace

int resident_blocks(const arch::Device& device, const KernelResources& resources) {
    const arch::MultiprocessorLimits& limits = device.limits();
    if (resources.block_size > resources.max_threads_per_block) return 0;
    const int by_warps = static_cast<int>(limits.max_warps()) / warps_of(resources);
    return std::min({static_cast<int>(limits.max_blocks), by_warps,
                     blocks_by_registers(limits, resources),
                     blocks_by_shared_memory(limits, resources)});
}

std::size_t dynamic_shared_bytes_for(const arch::Device& device, KernelResources resources,
                                     int blocks) {
    const arch::MultiprocessorLimits& limits = device.limits();
    resources.dynamic_shared_bytes = 0;
    if (resident_blocks(device, resources) < blocks) return 0;
    const std::size_t share = limits.shared_bytes / static_cast<std::size_t>(blocks) /
                              limits.shared_allocation_unit * limits.shared_allocation_unit;
    const std::size_t taken =
        limits.shared_bytes_reserved_per_block + resources.static_shared_bytes;
    const std::size_t left = share > taken ? share - taken : 0;
    const std::size_t fixed =
        std::min<std::size_t>(resources.static_shared_bytes, limits.shared_bytes_per_block_optin);
    return std::min<std::size_t>(left, limits.shared_bytes_per_block_optin - fixed);
}

}  // namespace wideload::preload
