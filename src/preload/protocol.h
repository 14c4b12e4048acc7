// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>

/// What `wideload run` and the preload library in the program under test tell each other. Both are
/// built from one tree, so this is no public contract. Everything but kProfilePattern is optional:
/// a program started with LD_PRELOAD alone runs with the defaults.
namespace wideload::preload {

// The environment, from `wideload run` to every process below it.

/// Path of libwideload-engine.so; by default it lies beside libwideload-preload.so.
inline constexpr std::string_view kEnginePath = "WIDELOAD_ENGINE";
/// Key of the virtual GPU in the table of arch/: "h200". Default: the table's default.
inline constexpr std::string_view kGpu = "WIDELOAD_GPU";
/// Host threads that run blocks, a decimal number; 0 or absent: one per core.
inline constexpr std::string_view kWorkers = "WIDELOAD_WORKERS";
/// "1": one worker, blocks in order.
inline constexpr std::string_view kDeterministic = "WIDELOAD_DETERMINISTIC";
/// "0": run without counting.
inline constexpr std::string_view kCounters = "WIDELOAD_COUNTERS";
/// "1": count the distinct sectors of global memory that each launch touches, too.
inline constexpr std::string_view kTouchedSectors = "WIDELOAD_TOUCHED_SECTORS";
/// Seconds, a decimal fraction: a kernel that runs longer is ended with a fault. "0": never.
inline constexpr std::string_view kKernelTimeout = "WIDELOAD_KERNEL_TIMEOUT";
/// Widest vector ISA of the host to use: "avx512", "avx2", "baseline". Absent: what the host has.
inline constexpr std::string_view kHostIsa = "WIDELOAD_ISA";
/// Where a process that used CUDA writes its profile; each "%p" is replaced by its process id, so
/// that children and ranks do not overwrite each other; with "-2", "-3" behind it where an earlier
/// program of that process, before exec, left a profile. The process writes to a name of its own
/// beside it and renames, so a file that is there is whole. Absent: no profile is written.
inline constexpr std::string_view kProfilePattern = "WIDELOAD_PROFILE";
/// An existing file of sizeof(StatusPage) zero bytes that processes map shared to say how far they
/// are. Absent: they do not. Set, but not there: the run has ended.
inline constexpr std::string_view kStatusFile = "WIDELOAD_STATUS";
/// Path of a file to which processes append what the user must know of the tool itself (a stripped
/// static runtime, an engine that cannot be loaded), one sentence a line, a single write each.
/// Absent: stderr.
inline constexpr std::string_view kMessageFile = "WIDELOAD_MESSAGES";

/// How far the processes of one run are, in memory that they and `wideload run` share. Zero-filled
/// at first; every member is lock-free and only ever written through its atomic operations. A
/// reader sees names torn at worst.
struct StatusPage {
    std::atomic<std::uint32_t>
        processes_preloaded;  ///< in which the preload library's constructor ran
    std::atomic<std::uint32_t>
        processes_using_cuda;                     ///< that made a CUDA call and loaded the engine
    std::atomic<std::uint32_t> profiles_written;  ///< whole, by those
    std::atomic<std::uint32_t> profiles_lost;     ///< that could not be written
    std::atomic<std::uint64_t> launches_started;
    std::atomic<std::uint64_t> launches_finished;
    std::atomic<std::uint32_t> run_has_ended;  ///< not 0: nobody reads profiles any more
    /// Demangled name of the kernel launched last, cut to fit, zero-terminated.
    std::array<std::atomic<char>, 128> kernel;
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

}  // namespace wideload::preload
