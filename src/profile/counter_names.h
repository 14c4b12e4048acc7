// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

/// Names of the figures in Launch::counters. A launch has those that were measured; others are
/// absent.
namespace wideload::profile {

/// Figures that NVIDIA's profiler counts under a metric of its own; docs/profile.md has the metric
/// beside each.
inline constexpr std::array kHardwareCounters = {
    std::string_view{"global_ld_requests"},   std::string_view{"global_ld_sectors"},
    std::string_view{"global_st_requests"},   std::string_view{"global_st_sectors"},
    std::string_view{"global_red_requests"},  std::string_view{"global_red_sectors"},
    std::string_view{"global_atom_requests"}, std::string_view{"global_atom_sectors"},
    std::string_view{"local_ld_requests"},    std::string_view{"local_ld_sectors"},
    std::string_view{"local_st_requests"},    std::string_view{"local_st_sectors"},
    std::string_view{"shared_ld_inst"},       std::string_view{"shared_st_inst"},
    std::string_view{"shared_ld_wavefronts"}, std::string_view{"shared_st_wavefronts"},
    std::string_view{"shared_ld_conflicts"},  std::string_view{"shared_st_conflicts"},
};

/// Figures that only follow from knowing every address. `<space>_<op>_ideal_sectors`,
/// `_distinct_bytes` and
/// `_active_lanes` stand beside each pair of requests and sectors, `shared_<op>_ideal_wavefronts`
/// beside wavefronts.
inline constexpr std::string_view kSharedAtomicInstructions = "shared_atom_inst";
inline constexpr std::string_view kSharedAtomicWavefronts = "shared_atom_wavefronts";
/// PTX instructions executed by warps with at least one active lane, and by active lanes.
inline constexpr std::string_view kInstructions = "inst";
inline constexpr std::string_view kThreadInstructions = "thread_inst";
/// Followed by the instruction table's category: "thread_inst_integer".
inline constexpr std::string_view kThreadInstructionsPrefix = "thread_inst_";
/// Arithmetic operations of all lanes by type, "f32_operations"; docs/counts.md has the rule.
inline constexpr std::string_view kOperationsSuffix = "_operations";
/// Distinct sectors of global memory that the launch read and wrote; only of runs that asked for
/// them.
inline constexpr std::string_view kTouchedReadSectors = "touched_read_sectors";
inline constexpr std::string_view kTouchedWriteSectors = "touched_write_sectors";
/// Conditional branches executed by warps, and those of them whose active lanes parted.
inline constexpr std::string_view kBranchExecutions = "branch_executions";
inline constexpr std::string_view kBranchDivergent = "branch_divergent";

}  // namespace wideload::profile
