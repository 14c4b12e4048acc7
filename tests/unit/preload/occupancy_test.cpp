// SPDX-License-Identifier: Apache-2.0
// The blocks that a multiprocessor holds, against NVIDIA's own calculator from the toolkit.
#include "preload/engine/occupancy.h"

#include <gtest/gtest.h>

#include <cstring>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wshadow"
#include <cuda_occupancy.h>
#pragma GCC diagnostic pop

namespace wideload::preload {
namespace {

cudaOccDeviceProp properties_of(const arch::Device& device) {
    const arch::MultiprocessorLimits& limits = device.limits();
    cudaOccDeviceProp properties{};
    properties.computeMajor = static_cast<int>(device.capability.major);
    properties.computeMinor = static_cast<int>(device.capability.minor);
    properties.maxThreadsPerBlock = arch::kMaxThreadsPerBlock;
    properties.maxThreadsPerMultiprocessor = static_cast<int>(limits.max_threads);
    properties.regsPerBlock = arch::kRegistersPerBlock;
    properties.regsPerMultiprocessor = static_cast<int>(limits.registers);
    properties.warpSize = arch::kWarpSize;
    properties.sharedMemPerBlock = arch::kSharedBytesPerBlockDefault;
    properties.sharedMemPerMultiprocessor = limits.shared_bytes;
    properties.numSms = static_cast<int>(device.multiprocessors);
    properties.sharedMemPerBlockOptin = limits.shared_bytes_per_block_optin;
    properties.reservedSharedMemPerBlock = limits.shared_bytes_reserved_per_block;
    return properties;
}

int blocks_by_the_toolkit(const arch::Device& device, const KernelResources& resources) {
    const cudaOccDeviceProp properties = properties_of(device);
    cudaOccFuncAttributes attributes{};
    attributes.maxThreadsPerBlock = resources.max_threads_per_block;
    attributes.numRegs = resources.registers;
    attributes.sharedSizeBytes = resources.static_shared_bytes;
    attributes.partitionedGCConfig = PARTITIONED_GC_OFF;
    attributes.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
    attributes.maxDynamicSharedSizeBytes = resources.dynamic_shared_bytes;
    const cudaOccDeviceState state{};
    cudaOccResult result{};
    const cudaOccError error = cudaOccMaxActiveBlocksPerMultiprocessor(
        &result, &properties, &attributes, &state, resources.block_size,
        resources.dynamic_shared_bytes);
    return error == CUDA_OCC_SUCCESS ? result.activeBlocksPerMultiprocessor : 0;
}

TEST(Occupancy, EqualsTheToolkitsCalculator) {
    for (const arch::Device& device : arch::devices()) {
        for (int block_size = 32; block_size <= 1024; block_size += 96) {
            for (int registers = 8; registers <= 248; registers += 15) {
                for (std::size_t shared = 0; shared <= 96u << 10; shared += 7000) {
                    const KernelResources resources{block_size, registers, 1024, shared / 3,
                                                    shared - shared / 3};
                    if (shared > device.limits().shared_bytes_per_block_optin) continue;
                    ASSERT_EQ(resident_blocks(device, resources),
                              blocks_by_the_toolkit(device, resources))
                        << device.key << ' ' << block_size << " threads, " << registers
                        << " registers, " << shared;
                }
            }
        }
    }
}

TEST(Occupancy, LeavesRoomForTheBlocksAskedFor) {
    const arch::Device& device = arch::default_device();
    for (const int blocks : {1, 2, 4, 8}) {
        KernelResources resources{128, 32, 1024, 1000, 0};
        resources.dynamic_shared_bytes = dynamic_shared_bytes_for(device, resources, blocks);
        EXPECT_GE(resident_blocks(device, resources), blocks);
        resources.dynamic_shared_bytes += device.limits().shared_allocation_unit;
        EXPECT_LT(resident_blocks(device, resources), blocks);
    }
}

}  // namespace
}  // namespace wideload::preload
