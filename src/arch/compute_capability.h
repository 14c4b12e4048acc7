// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace wideload::arch {

inline constexpr std::uint32_t kWarpSize = 32;
/// The unit that the memory system moves.
inline constexpr std::uint32_t kSectorBytes = 32;
inline constexpr std::uint32_t kCacheLineBytes = 128;
inline constexpr std::uint32_t kSharedBanks = 32;
inline constexpr std::uint32_t kSharedBankBytes = 4;

// What every compute capability from 7.5 to 12.0 has in common: CUDA C++ Programming Guide 13.0,
// "Technical Specifications per Compute Capability".
inline constexpr std::uint32_t kMaxThreadsPerBlock = 1024;
inline constexpr std::uint32_t kMaxBlockDimension[3] = {1024, 1024, 64};
inline constexpr std::uint32_t kMaxGridDimension[3] = {2147483647, 65535, 65535};
inline constexpr std::uint32_t kRegistersPerBlock = 65536;
inline constexpr std::uint32_t kMaxRegistersPerThread = 255;
/// What a launch gives a kernel of fewer: NVIDIA's profiler names 16 on an H200 for each of the
/// reference launches whose machine code has 8 to 15.
inline constexpr std::uint32_t kMinRegistersPerLaunchedThread = 16;
/// Without the opt-in of cudaFuncAttributeMaxDynamicSharedMemorySize.
inline constexpr std::uint32_t kSharedBytesPerBlockDefault = 48 * 1024;
inline constexpr std::uint32_t kConstantBytes = 64 * 1024;
inline constexpr std::uint32_t kMaxLocalBytesPerThread = 512 * 1024;
inline constexpr std::uint32_t kMaxParameterBytes = 32764;
inline constexpr std::uint32_t kMaxNamedBarriersPerBlock = 16;

/// A compute capability as CUDA counts them, 9.0 for Hopper.
struct ComputeCapability {
    std::uint32_t major = 0;
    std::uint32_t minor = 0;

    /// The number of `sm_90` and `compute_90`.
    [[nodiscard]] constexpr std::uint32_t number() const { return major * 10 + minor; }
    constexpr auto operator<=>(const ComputeCapability&) const = default;
};

/// What one streaming multiprocessor of a compute capability holds. Bytes and counts are per
/// multiprocessor unless the name says otherwise.
struct MultiprocessorLimits {
    ComputeCapability capability;
    std::string_view architecture;
    std::uint32_t max_threads;
    std::uint32_t max_blocks;
    std::uint32_t registers;  ///< of 32 bits
    std::uint32_t
        register_allocation_unit;       ///< a warp's registers are rounded up to a multiple of it
    std::uint32_t sub_partitions;       ///< schedulers; a warp's registers lie in one of them
    std::uint32_t unified_cache_bytes;  ///< L1, texture and shared memory together
    std::uint32_t shared_bytes;
    std::uint32_t shared_bytes_per_block_optin;
    std::uint32_t shared_bytes_reserved_per_block;
    std::uint32_t shared_allocation_unit;  ///< bytes; a block's shared memory is rounded up to a
                                           ///< multiple of it
    std::span<const std::uint32_t>
        shared_carveouts;      ///< bytes the driver may give to shared memory, ascending
    std::uint32_t fp32_lanes;  ///< single-precision results a cycle
    std::uint32_t fp64_lanes;  ///< double-precision results a cycle

    [[nodiscard]] constexpr std::uint32_t max_warps() const { return max_threads / kWarpSize; }
    /// cudaDevAttrSingleToDoublePrecisionPerfRatio.
    [[nodiscard]] constexpr std::uint32_t single_to_double_ratio() const {
        return fp32_lanes / fp64_lanes;
    }
};

/// The whole table, by ascending capability.
[[nodiscard]] std::span<const MultiprocessorLimits> multiprocessor_limits();

/// @returns null where the table has no such capability
[[nodiscard]] const MultiprocessorLimits* find_limits(ComputeCapability capability);

}  // namespace wideload::arch
