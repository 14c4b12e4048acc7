// SPDX-License-Identifier: Apache-2.0
// Which loops may wait for other threads, and by which registers one sees that they do not.
#include "simt/waiting.h"

#include <gtest/gtest.h>

#include "kernel_text.h"

namespace wideload::simt {
namespace {

Bitset progress_of_only_loop(const KernelText& kernel) {
    const Analysis analysis = analyse(kernel);
    EXPECT_EQ(analysis.spinning.loops.size(), 1u);
    return analysis.spinning.loops.at(0).progress;
}

TEST(Waiting, LoopThatOnlyCountsDoesNotWait) {
    const KernelText kernel(
        "ld.param.u64 %rd0, [out];\nmov.u32 %r1, 0;\nLOOP:\natom.global.add.u32 %r2, [%rd0], 1;\n"
        "add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p0, %r1, 9;\n@%p0 bra LOOP;\nret;");
    EXPECT_TRUE(analyse(kernel).spinning.loops.empty());
}

// The slot that is tried next tells that the search goes on; what does not change tells nothing.
TEST(Waiting, SearchGoesOnByItsIndex) {
    const KernelText kernel(
        "ld.param.u64 %rd0, [out];\nmov.u32 %r3, 7;\nLOOP:\nadd.u64 %rd0, %rd0, 4;\n"
        "atom.global.exch.b32 %r2, [%rd0], %r3;\nsetp.ne.u32 %p0, %r2, 0;\n@%p0 bra LOOP;\nret;");
    const Bitset progress = progress_of_only_loop(kernel);
    EXPECT_TRUE(progress.contains(kernel.reg("%rd0")));
    EXPECT_FALSE(progress.contains(kernel.reg("%r3")));
}

// No turn reads the item of the turn before, but a new item is progress.
TEST(Waiting, QueueGoesOnByItsItems) {
    const KernelText kernel(
        "ld.param.u64 %rd0, [out];\nLOOP:\natom.global.add.u32 %r2, [%rd0], 1;\n"
        "setp.lt.u32 %p0, %r2, 100;\n@%p0 bra LOOP;\nret;");
    const Bitset progress = progress_of_only_loop(kernel);
    EXPECT_TRUE(progress.contains(kernel.reg("%r2")));
    EXPECT_FALSE(progress.contains(kernel.reg("%rd0")));
}

// The inner loop begins anew with each turn of the outer one, whose counter tells them apart.
TEST(Waiting, OuterLoopsCounterIsProgressOfTheInnerOne) {
    const KernelText kernel(
        "ld.param.u64 %rd0, [out];\nmov.u32 %r1, 0;\nOUTER:\nINNER:\n"
        "ld.volatile.global.u32 %r2, [%rd0];\nsetp.lt.u32 %p0, %r2, 100;\n@%p0 bra INNER;\n"
        "add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 9;\n@%p1 bra OUTER;\nret;");
    const Analysis analysis = analyse(kernel);
    ASSERT_FALSE(analysis.spinning.loops.empty());
    for (const SpinningLoop& loop : analysis.spinning.loops)
        EXPECT_TRUE(loop.progress.contains(kernel.reg("%r1")));
}

// A lane may count its naps, and yet it waits.
TEST(Waiting, NothingIsProgressWhereLanesSleep) {
    const KernelText kernel(
        "ld.param.u64 %rd0, [out];\nmov.u32 %r1, 8;\nLOOP:\nadd.u32 %r1, %r1, %r1;\n"
        "nanosleep.u32 %r1;\nld.volatile.global.u32 %r2, [%rd0];\nsetp.ne.u32 %p0, %r2, 0;\n"
        "@%p0 bra LOOP;\nret;");
    progress_of_only_loop(kernel).for_each(
        [](std::size_t r) { ADD_FAILURE() << "register " << r; });
}

// A guarded load at the end of a block is no branch: what guards it decides nothing.
TEST(Waiting, GuardOfALoadIsNoCondition) {
    const KernelText kernel(
        "ld.param.u64 %rd0, [out];\nmov.u32 %r1, 0;\nLOOP:\nsetp.eq.u32 %p2, %r1, 3;\n"
        "@%p2 bra NEXT;\nadd.u32 %r1, %r1, 2;\natom.global.add.u32 %r2, [%rd0], 1;\n"
        "setp.ne.u32 %p1, %r2, 0;\n@%p1 ld.global.u32 %r3, [%rd0];\nNEXT:\n"
        "add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p0, %r1, 9;\n@%p0 bra LOOP;\nret;");
    EXPECT_TRUE(analyse(kernel).spinning.loops.empty());
}

// Where ptxas has lanes yield, and where it does not: read off its machine code for sm_90.
TEST(Waiting, LanesYieldWhereTheEndHangsOnAStrongAccess) {
    const auto yields = [](const std::string& read) {
        const KernelText kernel("ld.param.u64 %rd0, [out];\nLOOP:\n" + read +
                                "setp.ne.u32 %p0, %r2, 0;\n@%p0 bra LOOP;\nret;");
        const Analysis analysis = analyse(kernel);
        return analysis.spinning.loops.size() == 1 && analysis.spinning.loops[0].yields;
    };
    EXPECT_TRUE(yields("atom.global.exch.b32 %r2, [%rd0], 1;\n"));
    EXPECT_TRUE(yields("ld.volatile.global.u32 %r2, [%rd0];\n"));
    EXPECT_TRUE(yields("ld.relaxed.gpu.global.u32 %r2, [%rd0];\n"));
    EXPECT_FALSE(yields("ld.global.u32 %r2, [%rd0];\nmembar.gl;\n"));
    EXPECT_FALSE(yields("ld.global.u32 %r2, [%rd0];\n"));
}

}  // namespace
}  // namespace wideload::simt
