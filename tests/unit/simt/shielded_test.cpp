// SPDX-License-Identifier: Apache-2.0
// Writes that would destroy what waiting lanes still need.
#include <gtest/gtest.h>

#include "kernel_text.h"

namespace wideload::simt {
namespace {

// Both arms write one register: the second must not overwrite what the first left to its own lanes.
TEST(Shielded, ValueOfTheOtherArmIsKept) {
    const KernelText kernel(
        "mov.u32 %r0, %laneid;\nsetp.lt.u32 %p0, %r0, 7;\n@%p0 bra OTHER;\n"
        "mov.u32 %r1, 1;\nbra END;\nOTHER:\nmov.u32 %r1, 2;\nmov.u32 %r2, 3;\nst.shared.u32 [%r2], "
        "%r2;\n"
        "END:\nst.shared.u32 [%r0], %r1;\nret;");
    const Analysis analysis = analyse(kernel);
    const BlockId other = kernel.block_at(analysis.blocks, "OTHER"),
                  end = kernel.block_at(analysis.blocks, "END");
    ASSERT_LT(other, end);
    // Whichever arm runs second writes while the other's lanes wait at the end, where %r1 is read.
    bool kept = false;
    for (BlockId b = 1; b < end; ++b) kept |= analysis.shielded[b].contains(kernel.reg("%r1"));
    EXPECT_TRUE(kept);
    EXPECT_TRUE(analysis.shapes[kernel.reg("%r1")].is_varying());
    // %r2 is nobody else's: it stays one scalar.
    EXPECT_FALSE(analysis.shielded[other].contains(kernel.reg("%r2")));
    EXPECT_TRUE(analysis.shapes[kernel.reg("%r2")].is_uniform());
    EXPECT_TRUE(analysis.shielded[end].empty());
}

// A loop's counter is one scalar though lanes leave one by one, unless somebody asks what it was
// when they left.
TEST(Shielded, LoopCounterIsScalarUnlessItIsReadBehindTheLoop) {
    const std::string loop =
        "mov.u32 %r0, %laneid;\nmov.u32 %r1, 0;\nLOOP:\nadd.u32 %r1, %r1, 1;\n"
        "setp.lt.u32 %p0, %r1, %r0;\n@%p0 bra LOOP;\n";
    const KernelText unread(loop + "st.shared.u32 [%r0], %r0;\nret;");
    EXPECT_TRUE(analyse(unread).shapes[unread.reg("%r1")].is_uniform());
    const KernelText read(loop + "st.shared.u32 [%r0], %r1;\nret;");
    EXPECT_TRUE(analyse(read).shapes[read.reg("%r1")].is_varying());
}

}  // namespace
}  // namespace wideload::simt
