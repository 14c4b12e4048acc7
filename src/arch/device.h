// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "arch/compute_capability.h"

namespace wideload::arch {

/// Where cudaDeviceGetPCIBusId says the device sits. A virtual GPU sits in no slot: this address is
/// made up, the same for every row, and only has to be well-formed.
struct PciAddress {
    std::uint32_t domain = 0;
    std::uint32_t bus = 1;
    std::uint32_t device = 0;
};

/// One GPU as cudaGetDeviceProperties describes it. What its compute capability fixes is in
/// `limits()`.
struct Device {
    std::string_view key;   ///< what `--gpu` takes: "h200"
    std::string_view name;  ///< cudaDeviceProp::name
    ComputeCapability capability;
    std::uint32_t multiprocessors;
    std::uint32_t sm_clock_khz;  ///< the boost clock, as cudaDevAttrClockRate gives it
    std::uint32_t memory_clock_khz;
    std::uint32_t memory_bus_bits;
    std::uint64_t l2_bytes;
    std::uint64_t global_memory_bytes;  ///< cudaDeviceProp::totalGlobalMem
    std::uint32_t copy_engines;         ///< cudaDevAttrAsyncEngineCount
    bool ecc;
    PciAddress pci{};

    [[nodiscard]] const MultiprocessorLimits& limits() const { return *find_limits(capability); }
    /// 2 x memory clock x bus width, the peak that NVIDIA's tools compute from the same properties.
    [[nodiscard]] double dram_peak_bytes_per_second() const;
    /// cudaDevAttrMaxPersistingL2CacheSize: 5/8 of the L2 since 8.0 (39,321,600 of 62,914,560 on an
    /// H200).
    [[nodiscard]] std::uint64_t persisting_l2_bytes() const;
    /// Results of fused multiply-adds count as two, as in data sheets.
    [[nodiscard]] double fp32_peak_flops() const;
    [[nodiscard]] double fp64_peak_flops() const;
};

/// The whole table, oldest first.
[[nodiscard]] std::span<const Device> devices();

/// @param key a row's key in any letter case: "h200", "RTX4090"
/// @returns null where the table has no such device
[[nodiscard]] const Device* find_device(std::string_view key);

/// @param name as cudaDeviceProp::name spells it: "NVIDIA H200"
/// @returns null where the table has no such device
[[nodiscard]] const Device* device_named(std::string_view name);

/// The device that `--gpu` stands for when it is not given: the H200, on which every rule was
/// checked.
[[nodiscard]] const Device& default_device();

}  // namespace wideload::arch
