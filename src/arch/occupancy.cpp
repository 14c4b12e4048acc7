// SPDX-License-Identifier: Apache-2.0
#include "arch/occupancy.h"

#include <cuda_occupancy.h>

namespace wideload::arch {
namespace {

static_assert(__CUDA_OCC_MAJOR__ >= 12, "cuda_occupancy.h has to know every GPU of the table");

cudaOccDeviceProp properties_of(const Device& device) {
    const MultiprocessorLimits& limits = device.limits();
    cudaOccDeviceProp properties{};
    properties.computeMajor = static_cast<int>(device.capability.major);
    properties.computeMinor = static_cast<int>(device.capability.minor);
    properties.maxThreadsPerBlock = kMaxThreadsPerBlock;
    properties.maxThreadsPerMultiprocessor = static_cast<int>(limits.max_threads);
    properties.regsPerBlock = kRegistersPerBlock;
    properties.regsPerMultiprocessor = static_cast<int>(limits.registers);
    properties.warpSize = kWarpSize;
    properties.sharedMemPerBlock = kSharedBytesPerBlockDefault;
    properties.sharedMemPerMultiprocessor = limits.shared_bytes;
    properties.numSms = static_cast<int>(device.multiprocessors);
    properties.sharedMemPerBlockOptin = limits.shared_bytes_per_block_optin;
    properties.reservedSharedMemPerBlock = limits.shared_bytes_reserved_per_block;
    return properties;
}

cudaOccFuncAttributes attributes_of(const BlockResources& resources) {
    cudaOccFuncAttributes attributes{};
    attributes.maxThreadsPerBlock = static_cast<int>(resources.max_threads);
    attributes.numRegs = static_cast<int>(resources.launched_registers());
    attributes.sharedSizeBytes = resources.static_shared_bytes;
    attributes.partitionedGCConfig = PARTITIONED_GC_OFF;
    // A launch with more than 48 KiB has opted in, or it would have failed.
    attributes.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
    attributes.maxDynamicSharedSizeBytes = resources.dynamic_shared_bytes;
    attributes.numBlockBarriers = static_cast<int>(resources.barriers);
    return attributes;
}

bool can_be_launched(const Device& device, const BlockResources& resources) {
    // The calculator takes sizes as int: what is far too large must not reach it.
    return resources.threads != 0 && resources.threads <= resources.max_threads &&
           resources.registers <= kMaxRegistersPerThread &&
           resources.shared_bytes() <= device.limits().shared_bytes_per_block_optin;
}

std::uint32_t limit(int blocks) {
    return blocks == INT_MAX ? kUnlimited : static_cast<std::uint32_t>(blocks);
}

}  // namespace

Occupancy occupancy(const Device& device, const BlockResources& resources) {
    if (!can_be_launched(device, resources)) return {};
    const cudaOccDeviceProp properties = properties_of(device);
    const cudaOccFuncAttributes attributes = attributes_of(resources);
    const cudaOccDeviceState state{};
    cudaOccResult result{};
    if (cudaOccMaxActiveBlocksPerMultiprocessor(
            &result, &properties, &attributes, &state, static_cast<int>(resources.threads),
            resources.dynamic_shared_bytes) != CUDA_OCC_SUCCESS) {
        return {};
    }
    Occupancy found;
    found.blocks_by = {limit(result.blockLimitWarps), limit(result.blockLimitRegs),
                       limit(result.blockLimitSharedMem), limit(result.blockLimitBlocks),
                       limit(result.blockLimitBarriers)};
    found.blocks = limit(result.activeBlocksPerMultiprocessor);
    found.warps = found.blocks * resources.warps();
    return found;
}

std::uint32_t most_threads_by_registers(const Device& device, std::uint32_t registers) {
    std::uint32_t threads = kMaxThreadsPerBlock;
    const auto fits = [&] {
        return occupancy(device, {.threads = threads, .registers = registers})
                   .allowed_by(Limiter::registers) != 0;
    };
    while (threads > kWarpSize && !fits()) threads -= kWarpSize;
    return threads;
}

double occupancy_percent(const Device& device, const Occupancy& occupancy) {
    return 100.0 * occupancy.warps / device.limits().max_warps();
}

}  // namespace wideload::arch
