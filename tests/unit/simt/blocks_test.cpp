// SPDX-License-Identifier: Apache-2.0
#include "simt/blocks.h"

#include <gmock/gmock.h>

#include "kernel_text.h"

namespace wideload::simt {
namespace {

using testing::ElementsAre;

// A guarded bra goes two ways: the target first, what follows second. Machine code relies on that
// order.
TEST(Blocks, BranchNamesItsTargetFirst) {
    const KernelText kernel("@%p0 bra DONE;\nmov.u32 %r0, 1;\nDONE:\nret;");
    const auto blocks = split_into_blocks(kernel.function());
    ASSERT_EQ(blocks.size(), 3u);
    EXPECT_EQ(blocks[0].exit, Exit::branch);
    EXPECT_THAT(blocks[0].successors, ElementsAre(kernel.block_at(blocks, "DONE"), 1));
    EXPECT_EQ(blocks[1].exit, Exit::fallthrough);
    EXPECT_EQ(blocks[2].exit, Exit::leave);
}

// Lanes whose guard fails go on behind a guarded exit.
TEST(Blocks, GuardedReturnLeavesSome) {
    const KernelText kernel("@%p0 ret;\nmov.u32 %r0, 1;\nret;");
    const auto blocks = split_into_blocks(kernel.function());
    EXPECT_EQ(blocks[0].exit, Exit::leave_some);
    EXPECT_THAT(blocks[0].successors, ElementsAre(1));
}

// brx.idx takes targets by number, repeated ones included; each counts once as a place to go on.
TEST(Blocks, IndirectBranchKeepsItsTargetsInOrder) {
    const KernelText kernel(
        "targets: .branchtargets B, A, B;\nbrx.idx %r0, targets;\nA:\nret;\nB:\nret;");
    const auto blocks = split_into_blocks(kernel.function());
    const BlockId a = kernel.block_at(blocks, "A"), b = kernel.block_at(blocks, "B");
    EXPECT_EQ(blocks[0].exit, Exit::indirect);
    EXPECT_THAT(blocks[0].successors, ElementsAre(b, a, b));
    EXPECT_THAT(distinct_successors(blocks[0]), ElementsAre(std::min(a, b), std::max(a, b)));
}

// Lanes may exit in a called function, all of them too: who goes on is asked behind every call.
TEST(Blocks, CallEndsItsBlock) {
    const KernelText kernel("call leaver;\nmov.u32 %r0, 1;\nret;", ".func leaver()\n{\nexit;\n}\n");
    const auto blocks = split_into_blocks(kernel.function());
    ASSERT_EQ(blocks.size(), 2u);
    EXPECT_EQ(blocks[0].exit, Exit::call);
    EXPECT_EQ(blocks[0].last, 1u);
    EXPECT_THAT(blocks[0].successors, ElementsAre(1));
}

// Compilers leave code behind an unconditional branch; nothing is to be learnt from it.
TEST(Blocks, UnreachableOnesAreLeftOut) {
    const KernelText kernel("bra END;\nmov.u32 %r0, 1;\nEND:\nret;");
    EXPECT_EQ(split_into_blocks(kernel.function()).size(), 2u);
}

// PTX may end without ret.
TEST(Blocks, EndOfTheBodyLeaves) {
    const KernelText kernel("@%p0 bra END;\nmov.u32 %r0, 1;\nEND:");
    EXPECT_EQ(split_into_blocks(kernel.function()).back().exit, Exit::leave);
}

}  // namespace
}  // namespace wideload::simt
