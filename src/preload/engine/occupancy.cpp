// SPDX-License-Identifier: Apache-2.0
#include "preload/engine/occupancy.h"

#include <algorithm>

namespace wideload::preload {

std::size_t dynamic_shared_bytes_for(const arch::Device& device, arch::BlockResources resources,
                                     int blocks) {
    const arch::MultiprocessorLimits& limits = device.limits();
    resources.dynamic_shared_bytes = 0;
    if (arch::occupancy(device, resources).blocks < static_cast<std::uint32_t>(blocks)) return 0;
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
