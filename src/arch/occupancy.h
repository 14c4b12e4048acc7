// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "arch/device.h"

namespace wideload::arch {

/// What one block of a kernel takes of a multiprocessor.
struct BlockResources {
    std::uint32_t threads = 0;
    std::uint32_t registers = 0;  ///< a thread, as the machine code says
    std::uint64_t static_shared_bytes = 0;
    std::uint64_t dynamic_shared_bytes = 0;
    std::uint32_t max_threads = kMaxThreadsPerBlock;  ///< by the kernel's launch bounds
    std::uint32_t barriers = 1;                       ///< named barriers, 0 to 15, that it uses

    [[nodiscard]] constexpr std::uint64_t shared_bytes() const {
        return static_shared_bytes + dynamic_shared_bytes;
    }
    /// What the launch takes: a kernel that is known to need some gets 16 at least.
    [[nodiscard]] constexpr std::uint32_t launched_registers() const {
        return registers == 0 ? 0 : std::max(registers, kMinRegistersPerLaunchedThread);
    }
    [[nodiscard]] constexpr std::uint32_t warps() const {
        return (threads + kWarpSize - 1) / kWarpSize;
    }
};

/// What can keep more blocks from being resident.
enum class Limiter : std::uint8_t { warps, registers, shared_memory, blocks, barriers };
inline constexpr std::array kLimiters = {Limiter::warps, Limiter::registers, Limiter::shared_memory,
                                         Limiter::blocks, Limiter::barriers};

/// Of a limiter that the kernel takes nothing of.
inline constexpr std::uint32_t kUnlimited = std::numeric_limits<std::uint32_t>::max();

/// How many blocks of a kernel one multiprocessor holds at a time, and why not more.
struct Occupancy {
    std::uint32_t blocks = 0;  ///< 0: a block does not fit
    std::uint32_t warps = 0;   ///< of these blocks
    /// Blocks that each limiter alone would allow, by Limiter; `blocks` is their minimum.
    std::array<std::uint32_t, kLimiters.size()> blocks_by{};

    [[nodiscard]] std::uint32_t allowed_by(Limiter limiter) const {
        return blocks_by[static_cast<std::size_t>(limiter)];
    }
    [[nodiscard]] bool is_limited_by(Limiter limiter) const {
        return allowed_by(limiter) == blocks;
    }
    bool operator==(const Occupancy&) const = default;
};

/// Theoretical occupancy by NVIDIA's own calculator, cuda_occupancy.h of the CUDA toolkit, with the
/// driver's choice of the shared-memory carve-out.
/// @param resources more threads than `max_threads`, or none, fit nowhere: 0 blocks
[[nodiscard]] Occupancy occupancy(const Device& device, const BlockResources& resources);

/// The largest block whose registers a multiprocessor has: a launch with more threads fails.
[[nodiscard]] std::uint32_t most_threads_by_registers(const Device& device,
                                                      std::uint32_t registers);

/// Warps of it in per cent of those that a multiprocessor holds at most.
[[nodiscard]] double occupancy_percent(const Device& device, const Occupancy& occupancy);

}  // namespace wideload::arch
