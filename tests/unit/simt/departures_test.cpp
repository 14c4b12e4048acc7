// SPDX-License-Identifier: Apache-2.0
// Of lanes that wait elsewhere, those that others at a meeting need not wait for: what they run
// until they exit, the others never run.
#include "simt/departures.h"

#include <gtest/gtest.h>

#include "kernel_text.h"

namespace wideload::simt {
namespace {

/// The block that begins at SHUFFLE, and lanes that wait at AWAY.
bool part_for_good(std::string_view body) {
    const KernelText kernel(body);
    const Analysis analysis = analyse(kernel);
    const Departures departures(kernel.function(), analysis.blocks);
    return departures.part_for_good(kernel.block_at(analysis.blocks, "AWAY"),
                                    kernel.block_at(analysis.blocks, "SHUFFLE"));
}

constexpr std::string_view kShuffle = "shfl.sync.bfly.b32 %r3, %r2, 1, 31, -1;\n";
constexpr std::string_view kParted =
    "ld.param.u64 %rd0, [out];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %laneid;\n"
    "setp.lt.u32 %p0, %r1, 16;\n@%p0 bra AWAY;\nSHUFFLE:\n";

std::string after_shuffle(std::string_view rest) {
    return std::string(kParted) + std::string(kShuffle) + std::string(rest);
}

TEST(Departures, ReturningIsLeaving) {
    EXPECT_TRUE(part_for_good(after_shuffle("st.global.u32 [%rd0], %r3;\nAWAY:\nret;")));
}

// What nobody sees may be done together: the compiler puts it where it wants.
TEST(Departures, ArithmeticOnTheWayOutIsNothing) {
    EXPECT_TRUE(part_for_good(
        after_shuffle("st.global.u32 [%rd0], %r3;\nAWAY:\nadd.u32 %r4, %r1, 1;\nret;")));
}

TEST(Departures, LanesThatStoreTogetherMeetAgain) {
    EXPECT_FALSE(part_for_good(after_shuffle("AWAY:\nst.global.u32 [%rd0], %r2;\nret;")));
}

TEST(Departures, LanesThatStoreByThemselvesDoNot) {
    EXPECT_TRUE(part_for_good(after_shuffle(
        "st.global.u32 [%rd0], %r3;\nret;\nAWAY:\nst.global.u32 [%rd0], %r2;\nret;")));
}

// All threads of the block have to come to a barrier, so they wait for each other there.
TEST(Departures, LanesOnTheirWayToABarrierDoNotLeave) {
    EXPECT_FALSE(
        part_for_good(after_shuffle("st.global.u32 [%rd0], %r3;\nret;\nAWAY:\nbar.sync 0;\nret;")));
}

TEST(Departures, LanesMeetAgainBehindALoop) {
    EXPECT_FALSE(part_for_good(
        after_shuffle("add.u32 %r1, %r1, %r3;\nsetp.lt.u32 %p0, %r1, 16;\n@%p0 bra SHUFFLE;\n"
                      "AWAY:\nst.global.u32 [%rd0], %r1;\nret;")));
}

// Lanes that leave a loop early, each by itself, do not wait for those that may leave so, too.
TEST(Departures, LanesOfAWayThatOthersMayTakeLeave) {
    EXPECT_TRUE(part_for_good(
        after_shuffle("add.u32 %r1, %r1, %r3;\nsetp.lt.u32 %p0, %r1, 16;\n@%p0 bra AWAY;\n"
                      "setp.lt.u32 %p0, %r1, 99;\n@%p0 bra SHUFFLE;\nret;\n"
                      "AWAY:\nst.global.u32 [%rd0], %r1;\nret;")));
}

// A trap, of a failed assertion for example, ends the launch; all who go on come to the store.
TEST(Departures, TrapsAreNoWayOut) {
    EXPECT_FALSE(
        part_for_good(after_shuffle("setp.lt.u32 %p0, %r3, 16;\n@%p0 bra AWAY;\ntrap;\n"
                                    "AWAY:\nst.global.u32 [%rd0], %r1;\nret;")));
}

TEST(Departures, LanesOnTheirWayToTheShuffleDoNotLeave) {
    EXPECT_FALSE(part_for_good(
        after_shuffle("st.global.u32 [%rd0], %r3;\nret;\nAWAY:\nadd.u32 %r1, %r1, 7;\n"
                      "setp.lt.u32 %p0, %r1, 16;\n@%p0 bra AWAY;\nbra SHUFFLE;")));
}

TEST(Departures, KnowsWhatFollowsAnInstruction) {
    const KernelText kernel(
        after_shuffle("add.u32 %r4, %r3, 1;\nret;\nAWAY:\n"
                      "shfl.sync.up.b32 %r3, %r2, 1, 0, -1;\n"
                      "st.global.u32 [%rd0], %r3;\nret;"));
    const Analysis analysis = analyse(kernel);
    const Departures departures(kernel.function(), analysis.blocks);
    for (const char* label : {"SHUFFLE", "AWAY"}) {
        const BlockId block = kernel.block_at(analysis.blocks, label);
        EXPECT_EQ(departures.nothing_follows(block, analysis.blocks[block].first),
                  std::string_view(label) == "SHUFFLE")
            << label;
    }
}

}  // namespace
}  // namespace wideload::simt
