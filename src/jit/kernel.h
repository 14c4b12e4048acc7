// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "jit/abi.h"
#include "jit/effort.h"
#include "profile/profile.h"
#include "ptx/module.h"
#include "simt/shape.h"

namespace wideload::jit {

/// How the inline part of a site's row is to be read when a launch ends.
enum class Inline : std::uint8_t {
    none,
    uniform,  ///< static_classes[0] holds requests and, in last_base, active lanes
    halves,   ///< static_classes by cost, see half_warp_path.h
    pattern,  ///< static_classes by base % 32, full warps, lanes at base + offsets
};

/// One memory instruction of a kernel and its row of counters. A generic access has a row per space
/// it may reach.
struct Site {
    const ptx::Instruction* instruction = nullptr;
    const ptx::Function* function = nullptr;
    profile::SiteKind kind = profile::SiteKind::global_ld;
    std::uint32_t element_bytes = 0;
    std::uint32_t vector_width = 1;
    Inline inline_counts = Inline::none;
    simt::LaneOffsets offsets{};  ///< where inline_counts == pattern
    bool uniform_address =
        false;  ///< known when compiled: integer atomics are reduced over the warp first
    std::string parameter;  ///< the pointer parameter that the address derives from
};

/// A basic block's instructions, by which its row of counters is priced.
struct BlockInfo {
    const ptx::Function* function = nullptr;
    std::uint32_t first = 0, last = 0;  ///< of function->body
    bool has_branch = false;            ///< ends in a conditional branch
};

/// An instruction at which the lanes of a mask come together (simt::is_warp_meeting).
struct Meeting {
    const ptx::Instruction* instruction = nullptr;
    std::uint32_t block = 0;  ///< its row of counters
    /// The number of the first with the same modifiers: PTX has lanes wait for each other at these,
    /// wherever they stand.
    std::uint32_t kind = 0;
};

/// What compiled code numbers: rows of counters, and meetings whose lanes it checks.
struct KernelTables {
    std::vector<Site> sites;
    std::vector<BlockInfo> blocks;
    std::vector<Meeting> meetings;
};

/// Machine code of one kernel for one thread layout.
struct CompiledKernel {
    KernelEntry entry = nullptr;
    KernelTables tables;
    bool needs_fibers = false;      ///< warps wait for each other: each needs a stack of its own
    bool recursive = false;         ///< calls may nest to any depth
    std::uint64_t local_bytes = 0;  ///< per lane, of the kernel's own frame and its callees'
    std::uint64_t host_stack_bytes = 0;  ///< that its calls take, unless it is recursive
    Effort effort = Effort::thorough;    ///< that it was compiled with
};

}  // namespace wideload::jit
