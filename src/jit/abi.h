// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "counters/site_row.h"

/// What compiled kernels and the host code around them agree on. Machine code reads these
/// structures at fixed offsets.
namespace wideload::jit {

using counters::kLanes;

/// How often one basic block of a kernel ran, as one worker saw it.
struct BlockRow {
    std::uint64_t executions = 0;  ///< by warps
    std::uint64_t lanes = 0;       ///< active ones, summed over the executions
    std::uint64_t parted = 0;      ///< executions whose branch sent lanes both ways
};

/// tid of a warp's lane 0.
struct WarpOrigin {
    std::uint32_t x = 0, y = 0, z = 0;
};

/// Windows through which generic addresses reach shared and local memory and the kernel's
/// parameters: no canonical address of a host lies there.
inline constexpr std::uint64_t kSharedWindow = 0x0100'0000'0000'0000;
inline constexpr std::uint64_t kLocalWindow = 0x0200'0000'0000'0000;
inline constexpr std::uint64_t kParameterWindow = 0x0300'0000'0000'0000;
inline constexpr std::uint64_t kWindowBytes = 0x0000'0000'0100'0000;

/// One resident block, as its warps' machine code sees it.
struct BlockContext {
    const std::byte* parameters = nullptr;
    std::uint64_t parameter_bytes = 0;
    counters::SiteRow* sites = nullptr;  ///< the worker's
    BlockRow* blocks = nullptr;          ///< the worker's
    const volatile std::uint32_t* poll =
        nullptr;  ///< nonzero: call wl_poll at the next turn of a loop
    std::byte* shared = nullptr;
    std::uint64_t shared_bytes = 0;
    std::byte* local = nullptr;           ///< of the block's warp 0; others follow at local_stride
    std::uint64_t local_stride = 0;       ///< bytes per warp
    std::uint64_t local_bytes = 0;        ///< bytes per lane
    const WarpOrigin* origins = nullptr;  ///< by warp
    const std::uint32_t* tids =
        nullptr;  ///< [3][threads rounded up to warps]; of layouts without a pattern
    std::uint32_t tid_stride = 0;  ///< entries per dimension of `tids`
    std::uint32_t thread_count = 0;
    std::uint32_t warp_count = 0;
    std::array<std::uint32_t, 3> ntid{}, nctaid{}, ctaid{};
    std::uint32_t multiprocessor = 0, multiprocessor_count = 0;
    std::uint64_t grid_id = 0;
    std::uint64_t linear_block = 0;
    std::uint32_t dynamic_shared_bytes = 0;
    std::uint32_t total_shared_bytes = 0;      ///< static and dynamic, in whole allocation units
    std::uint32_t reserved_shared_bytes = 0;   ///< a block's, of the GPU's own software
    std::uint32_t aggregate_shared_bytes = 0;  ///< static, dynamic and reserved
    std::uint64_t grid_workspace =
        0;  ///< of cooperative launches: where device code synchronises the grid
    std::uint32_t exclusive = 0;  ///< no other thread runs kernels now: atomics need no lock
    std::uint32_t counting = 1;   ///< whether host functions count the requests that they serve
    std::uint32_t short_meetings = 0;  ///< of its warps: those that lanes have yet to come to
    void* worker = nullptr;            ///< the host code's own state
    void* block_state = nullptr;       ///< barriers and fibers of this block
};

/// A compiled kernel: runs warps [first, last) of a block, one after the other.
using KernelEntry = void (*)(BlockContext*, std::uint32_t first_warp, std::uint32_t last_warp);

}  // namespace wideload::jit
