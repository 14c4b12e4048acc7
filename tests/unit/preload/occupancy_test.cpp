// SPDX-License-Identifier: Apache-2.0
#include "preload/engine/occupancy.h"

#include <gtest/gtest.h>

namespace wideload::preload {
namespace {

// Programs size their dynamic shared memory by this figure: one allocation unit more, and a block
// fewer would be resident.
TEST(DynamicSharedMemory, LeavesRoomForTheBlocksAskedFor) {
    const arch::Device& device = arch::default_device();
    for (const int blocks : {1, 2, 4, 8}) {
        arch::BlockResources resources{
            .threads = 128, .registers = 32, .static_shared_bytes = 1000};
        const auto resident = [&] { return arch::occupancy(device, resources).blocks; };
        resources.dynamic_shared_bytes = dynamic_shared_bytes_for(device, resources, blocks);
        EXPECT_GE(resident(), static_cast<std::uint32_t>(blocks));
        resources.dynamic_shared_bytes += device.limits().shared_allocation_unit;
        EXPECT_LT(resident(), static_cast<std::uint32_t>(blocks));
    }
}

}  // namespace
}  // namespace wideload::preload
