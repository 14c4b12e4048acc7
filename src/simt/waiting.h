// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "ptx/module.h"
#include "simt/bitset.h"
#include "simt/blocks.h"

namespace wideload::simt {

/// Whether a thread may repeat the instruction until another thread has done something.
[[nodiscard]] bool may_wait(const ptx::Instruction& instruction);
[[nodiscard]] bool may_wait(const ptx::Function& function);

/// bar.sync and the like, where warps of a block wait for each other.
[[nodiscard]] bool is_block_barrier(const ptx::Instruction& instruction);
/// shfl.sync, bar.warp.sync and the like: the lanes of a member mask come together.
[[nodiscard]] bool is_warp_meeting(const ptx::Instruction& instruction);

/// A loop that may wait for other lanes or warps.
struct SpinningLoop {
    BlockId header, last;  ///< the first and the last of its blocks
    /// Whether it ends depends on an atomic or a strong load. In such loops ptxas has lanes yield
    /// each turn (YIELD), and those that have left do not wait for them: they meet again where a
    /// warp's lanes are told to, or in the loop itself.
    bool yields = false;
    /// Registers that tell whether a turn came nearer to the loop's end. A lane that finds all of
    /// them as they were many turns ago waits for another thread.
    Bitset progress;
};

struct SpinningLoops {
    std::vector<SpinningLoop> loops;  ///< ascending by header
    std::vector<char> latches;        ///< by block: it ends a turn of such a loop
};

/// Whether a function that the call may reach reads what other threads write.
using CallMayWait = std::function<bool(const ptx::Instruction& call)>;

/// A loop may wait where whether it ends depends on what it read in memory that others write. A
/// loop that only counts, with atomics in its body, does not.
/// @param blocks as order_blocks() numbers them: a loop's blocks are contiguous
/// @param live by block: registers live at its entry
[[nodiscard]] SpinningLoops find_spinning_loops(const ptx::Function& function,
                                                const std::vector<Block>& blocks,
                                                const std::vector<Bitset>& live,
                                                const CallMayWait& call_may_wait);

/// Whether the function has such a loop.
[[nodiscard]] bool has_spinning_loop(const ptx::Function& function,
                                     const CallMayWait& call_may_wait);

}  // namespace wideload::simt
