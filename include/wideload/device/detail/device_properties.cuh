// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/support/config.cuh>

#include <atomic>

namespace wideload::WIDELOAD_DETAIL {

/// What dispatch asks of a device.
struct DeviceProperties {
    int compute_capability;  ///< 90 for 9.0
    int multiprocessors;
    int shared_bytes;  ///< shared memory that a block may ask for
};

/// Devices of which a process remembers what they answered.
inline constexpr int kCachedDevices = 64;

/// The current device's properties, asked of the runtime once per device and process.
inline cudaError_t current_device_properties(DeviceProperties* properties) {
    static std::atomic<std::uint64_t>
        cache[kCachedDevices];  // 16 bits of capability, 16 of multiprocessors, 32 of shared bytes;
                                // 0: not asked yet
    int device = 0;
    if (cudaError_t error = cudaGetDevice(&device)) return error;
    std::uint64_t packed =
        device < kCachedDevices ? cache[device].load(std::memory_order_relaxed) : 0;
    if (packed == 0) {
        int major = 0, minor = 0, multiprocessors = 0, shared_bytes = 0;
        if (cudaError_t error =
                cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device))
            return error;
        if (cudaError_t error =
                cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device))
            return error;
        if (cudaError_t error =
                cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device))
            return error;
        if (cudaError_t error = cudaDeviceGetAttribute(
                &shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device))
            return error;
        packed = static_cast<std::uint64_t>(major * 10 + minor) << 48 |
                 static_cast<std::uint64_t>(multiprocessors) << 32 |
                 static_cast<unsigned>(shared_bytes);
        if (device < kCachedDevices) cache[device].store(packed, std::memory_order_relaxed);
    }
    properties->compute_capability = static_cast<int>(packed >> 48);
    properties->multiprocessors = static_cast<int>(packed >> 32 & 0xffffu);
    properties->shared_bytes = static_cast<int>(packed & 0xffffffffu);
    return cudaSuccess;
}

/// The blocks of a kernel with so many bytes of dynamic shared memory that fit a multiprocessor of
/// the current device at once; 0 if the runtime does not know.
template <class... Parameters>
int resident_blocks(void (*kernel)(Parameters...), int threads, std::size_t shared = 0) {
    int blocks = 0;
    const auto* const function = reinterpret_cast<const void*>(kernel);
    if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, threads, shared)) return 0;
    return blocks;
}

/// `resident_blocks` of one kernel, which takes longer than a launch, asked once per device.
class ResidentBlocks {
public:
    template <class... Parameters>
    int of(void (*kernel)(Parameters...), int threads) {
        int device = 0;
        if (cudaGetDevice(&device) != cudaSuccess || device >= kCachedDevices)
            return resident_blocks(kernel, threads);
        int known = one_more_[device].load(std::memory_order_relaxed);
        if (known == 0) {
            known = resident_blocks(kernel, threads) + 1;
            one_more_[device].store(known, std::memory_order_relaxed);
        }
        return known - 1;
    }

private:
    std::atomic<int> one_more_[kCachedDevices] = {};  // 0: not asked yet
};

}  // namespace wideload::WIDELOAD_DETAIL
