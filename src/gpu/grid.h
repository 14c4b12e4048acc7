// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "arch/compute_capability.h"
#include "gpu/launch.h"
#include "gpu/memory.h"
#include "jit/kernel.h"
#include "jit/runtime/host.h"

namespace wideload::gpu {

/// Why a launch is to end before its last block.
enum class Stop : std::uint32_t { none, fault, timeout, interrupted, deadlock, no_memory };

/// One launch while it runs: what its workers share.
struct Grid {
    const jit::CompiledKernel& kernel;
    const LaunchConfiguration& configuration;
    std::span<const std::byte> parameters;
    Memory& memory;
    const arch::MultiprocessorLimits& limits;
    std::uint64_t blocks = 1;
    std::uint32_t threads = 1, warps = 1;  ///< per block
    std::uint64_t shared_bytes = 0;  ///< what is reserved included, where the kernel looks for it
    std::uint64_t asked_shared_bytes = 0;  ///< static and dynamic
    std::uint64_t stack_bytes = 0;         ///< a thread's, for calls that nest to any depth
    std::uint32_t multiprocessors = 1;
    std::uint64_t resident_blocks = 1;  ///< as many as the GPU holds at once
    std::uint64_t grid_id = 0;
    std::uint64_t workspace = 0;  ///< of cooperative launches: GridWorkspace
    unsigned workers = 1;
    bool counting = true;
    bool touched_sectors = false;  ///< workers note which they touch
    std::vector<jit::WarpOrigin> origins{};
    std::vector<std::uint32_t> tids{};  ///< [3][warps × 32]; of layouts without a pattern

    std::atomic<jit::KernelEntry> entry{kernel.entry};  ///< of warps that begin
    /// When worker 0 is to ask for better code, once; the others do not look.
    std::chrono::steady_clock::time_point improvement_due = kNever;
    std::function<void()> improve{};

    std::atomic<std::uint64_t> next_block{0};
    std::uint64_t chunk = 1;             ///< blocks that a worker takes at a time
    std::atomic<std::uint32_t> poll{0};  ///< raised: loops look at `stop`
    std::atomic<Stop> stop{Stop::none};

    std::mutex fault_mutex{};
    jit::FaultReport fault{};  ///< the first
    Dim3 fault_block{};

    std::mutex print_mutex{};
    std::string printed{};

    /// A thread's, in all.
    [[nodiscard]] std::uint64_t local_bytes() const { return kernel.local_bytes + stack_bytes; }

    static constexpr auto kNever = std::chrono::steady_clock::time_point::max();
    [[nodiscard]] bool improvement_is_due() const {
        return improvement_due != kNever && next_block.load(std::memory_order_relaxed) < blocks &&
               std::chrono::steady_clock::now() >= improvement_due;
    }

    /// Ends the launch; the first reason stays.
    bool end(Stop reason) {
        Stop expected = Stop::none;
        const bool first = stop.compare_exchange_strong(expected, reason);
        poll.store(1);
        return first;
    }
};

[[nodiscard]] Dim3 block_index(std::uint64_t linear, const Dim3& grid);

/// Fills origins and tids for the block's shape.
void lay_out_threads(Grid& grid, const Dim3& block);

}  // namespace wideload::gpu
