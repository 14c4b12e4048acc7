// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/module.h"

namespace wideload::simt {

using BlockId = std::uint32_t;

/// How control leaves a basic block.
enum class Exit : std::uint8_t {
    fallthrough,  ///< to successors[0]
    call,         ///< to successors[0], but lanes may have exited in the called function
    jump,         ///< to successors[0]
    branch,       ///< guarded bra: successors[0] where the guard holds, else successors[1]
    indirect,     ///< brx.idx: successors[i] for index i
    leave,        ///< ret, exit, trap: no successor
    leave_some,   ///< guarded ret or exit: lanes where the guard fails go to successors[0]
};

/// Whether the block's last instruction is one like any other.
[[nodiscard]] constexpr bool goes_on(Exit exit) {
    return exit == Exit::fallthrough || exit == Exit::call;
}

/// A straight line of instructions [first, last) of a function's body; its branch, if any, is the
/// last.
struct Block {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    Exit exit = Exit::fallthrough;
    std::vector<BlockId> successors;
};

/// Which instructions begin a block besides labels' targets: a warp that finds that it must not
/// arrive yet comes back to a barrier of its block; lanes that wait for others come back to where
/// lanes of a warp meet.
enum class Cut : std::uint8_t { at_barriers, at_meetings };

/// Splits a function's body into blocks, in the order of the text; block 0 is the entry. Blocks
/// that cannot be reached are left out. An end of the body without `ret` leaves.
[[nodiscard]] std::vector<Block> split_into_blocks(const ptx::Function& function,
                                                   Cut cut = Cut::at_barriers);

/// Numbers blocks so that a warp which always runs the lowest-numbered block with waiting lanes
/// reconverges where hardware does: topological order with every loop's blocks contiguous, ties by
/// the order of the text. Loops are found as strongly connected components, nested ones by taking
/// the header's incoming edges away, so irreducible graphs have an order too.
/// @return blocks renumbered (successors too); the entry stays block 0
[[nodiscard]] std::vector<Block> order_blocks(std::vector<Block> blocks);

/// Successors without repetition.
[[nodiscard]] std::vector<BlockId> distinct_successors(const Block& block);

}  // namespace wideload::simt
