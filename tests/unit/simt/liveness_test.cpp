// SPDX-License-Identifier: Apache-2.0
#include "simt/liveness.h"

#include <gtest/gtest.h>

#include "kernel_text.h"

namespace wideload::simt {
namespace {

// A write under a guard leaves the old value in some lanes: it ends nobody's life.
TEST(Liveness, GuardedWriteKeepsTheOldValueAlive) {
    const KernelText kernel(
        "bra NEXT;\nNEXT:\n@%p0 mov.u32 %r0, 1;\nmov.u32 %r1, 2;\nadd.s32 %r2, %r0, "
        "%r1;\nst.shared.u32 [%r2], %r2;\nret;");
    const auto blocks = split_into_blocks(kernel.function());
    const auto live = live_at_entry(kernel.function(), blocks);
    const BlockId next = kernel.block_at(blocks, "NEXT");
    EXPECT_TRUE(live[next].contains(kernel.reg("%r0")));
    EXPECT_TRUE(live[next].contains(kernel.reg("%p0")));
    EXPECT_FALSE(live[next].contains(kernel.reg("%r1")));
    EXPECT_FALSE(live[next].contains(kernel.reg("%r2")));
}

// A store's first operand stands where results do, but its register is read.
TEST(Liveness, StoreReadsItsAddress) {
    const KernelText kernel("bra NEXT;\nNEXT:\nst.global.u32 [%rd0], %r0;\nret;");
    const auto blocks = split_into_blocks(kernel.function());
    const auto live = live_at_entry(kernel.function(), blocks);
    EXPECT_TRUE(live[1].contains(kernel.reg("%rd0")));
    EXPECT_TRUE(live[1].contains(kernel.reg("%r0")));
}

}  // namespace
}  // namespace wideload::simt
