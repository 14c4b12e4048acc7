// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "counters/touched_sectors.h"
#include "jit/abi.h"
#include "ptx/types.h"

namespace wideload::jit {

/// Why a warp cannot go on.
enum class WarpFault : std::uint8_t {
    illegal_address,
    misaligned_address,
    bad_free,  ///< of what the kernels' malloc did not return, or of what was freed already
    assertion,
    trap,
    bad_function_pointer,
    bad_operand,  ///< a value that the instruction does not take; FaultReport::complaint says which
};

struct FaultReport {
    WarpFault fault = WarpFault::trap;
    std::uint32_t row = ~0u;     ///< of the site, where a memory instruction failed
    std::uint32_t ptx_line = 0;  ///< where no site did
    std::uint32_t warp = 0;
    std::uint32_t lanes = 0;                 ///< those that failed
    std::uint64_t address = 0;               ///< of the first of them, in `space`
    std::uint32_t bytes = 0;                 ///< that it wanted
    ptx::Space space = ptx::Space::generic;  ///< that of the instruction, unless it is named here
    std::uint64_t space_bytes = 0;           ///< of parameters: how many there are
    std::string text;                        ///< an assertion's own words
    std::string complaint;  ///< of a bad operand: "copies 20 bytes in bulk, ..."; what was asserted
};

/// A range of addresses that kernels may use.
struct LegalRange {
    std::uint64_t begin = 0, bytes = 0;
    std::int64_t displacement = 0;  ///< to the engine's view
};

/// What compiled kernels ask of the virtual GPU around them; BlockContext::worker points to one.
class Host {
public:
    virtual ~Host() = default;

    /// The live allocation that holds the address.
    virtual bool find(std::uint64_t address, LegalRange& range) = 0;
    /// Where the worker notes each sector of global memory that it touches; null where nobody asked
    /// for them. With it no site may keep its last range: machine code that finds its lanes inside
    /// one makes the access itself, unseen.
    virtual counters::TouchedSectors* touched_sectors() = 0;
    /// Ends the launch; does not come back to the warp. Kernels' host functions call fail_warp().
    virtual void fail(BlockContext& block, FaultReport report) = 0;
    /// A loop's turn while BlockContext::poll was raised. May not come back.
    virtual void poll(BlockContext& block, std::uint32_t warp) = 0;
    /// Lets other warps run, where each has a stack of its own.
    virtual void yield(BlockContext& block, std::uint32_t warp) = 0;

    /// Lanes execute KernelTables::meetings[meeting], and not all that they name, or others. Also
    /// where lanes of the block may come to what others were at alone (short_meetings).
    /// @param members by lane: those that an executing one names
    /// @param elsewhere lanes that do not execute it, but will go on where those that do will, too
    virtual void meet(BlockContext& block, std::uint32_t warp, std::uint32_t meeting,
                      std::uint32_t executing, std::span<const std::uint32_t, kLanes> members,
                      std::uint32_t elsewhere) = 0;

    /// bar.sync: waits until `threads` (0: all of the block that have not left) have arrived.
    virtual void wait(BlockContext& block, std::uint32_t warp, std::uint32_t barrier,
                      std::uint32_t threads) = 0;
    virtual void arrive(BlockContext& block, std::uint32_t warp, std::uint32_t barrier,
                        std::uint32_t threads) = 0;
    /// bar.red: as wait; the number of threads in all whose predicate held, and how many took part.
    struct Votes {
        std::uint32_t holding = 0, taking_part = 0;
    };
    virtual Votes wait_and_count(BlockContext& block, std::uint32_t warp, std::uint32_t barrier,
                                 std::uint32_t threads, Votes own) = 0;

    virtual void print(std::string_view text) = 0;
    virtual std::uint64_t allocate(std::uint64_t bytes) = 0;
    /// False for what is not, or no longer, memory that allocate() returned.
    virtual bool free(std::uint64_t address) = 0;
};

[[nodiscard]] inline Host& host_of(const BlockContext& block) {
    return *static_cast<Host*>(block.worker);
}

[[noreturn]] inline void fail_warp(BlockContext& block, FaultReport report) {
    host_of(block).fail(block, std::move(report));
    __builtin_unreachable();
}

/// counters::RequestSample::order of a request.
[[nodiscard]] inline std::uint64_t order_of(const BlockContext& block, std::uint32_t warp) {
    return block.linear_block * 64 + warp + 1;
}

}  // namespace wideload::jit
