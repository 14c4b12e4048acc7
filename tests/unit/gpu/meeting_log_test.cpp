// SPDX-License-Identifier: Apache-2.0
// Which meetings count as short: lanes that did not come with the others may still come.
#include "gpu/meeting_log.h"

#include <gtest/gtest.h>

#include <array>

namespace wideload::gpu {
namespace {

constexpr std::uint32_t kAll = ~0u;
constexpr std::uint32_t kLow = 0x0000ffff, kHigh = 0xffff0000;
constexpr MeetingLog::Warp kWarp{7, 3};

/// Meetings 0 and 1 are of one kind, 2 is of another.
class Log {
public:
    Log() { log_.start(kMeetings); }

    /// Lanes that name `members` execute it, and all others are elsewhere.
    void meet(std::uint32_t meeting, std::uint32_t lanes, std::uint32_t members = kAll,
              MeetingLog::Warp warp = kWarp) {
        std::array<std::uint32_t, jit::kLanes> named;
        named.fill(members);
        log_.meet(warp, meeting, lanes, named, ~lanes);
    }
    MeetingLog* operator->() { return &log_; }
    std::uint64_t absent(std::uint32_t meeting) const { return log_.absent()[meeting].times; }

private:
    static constexpr std::array<jit::Meeting, 3> kMeetings{
        {{nullptr, 0, 0}, {nullptr, 0, 0}, {nullptr, 0, 2}}};
    MeetingLog log_;
};

TEST(MeetingLog, LanesThatNeverComeAreAbsent) {
    Log log;
    log.meet(0, kLow);
    EXPECT_EQ(log.absent(0), 0u) << "they may come yet";
    EXPECT_EQ(log->open_in(kWarp.block), 1u);
    log->end(kWarp);
    EXPECT_EQ(log.absent(0), 1u);
    EXPECT_EQ(log->open_in(kWarp.block), 0u);
    const MeetingTally& first = log->absent()[0];
    EXPECT_EQ(first.block, kWarp.block);
    EXPECT_EQ(first.warp, kWarp.number);
    EXPECT_EQ(first.members, kAll);
    EXPECT_EQ(first.lanes, kHigh);
}

TEST(MeetingLog, LanesThatComeLaterMeet) {
    for (const std::uint32_t where : {0, 1}) {
        Log log;
        log.meet(0, kLow);
        log.meet(where, 0x0fff0000);
        log.meet(where, 0xf0000000);
        log->end(kWarp);
        EXPECT_EQ(log.absent(0) + log.absent(1), 0u) << where;
    }
}

// Each other time that lanes come is for another meeting.
TEST(MeetingLog, LanesComeOnceToAMeeting) {
    Log log;
    for (int turn = 0; turn < 1000; ++turn) log.meet(0, kLow);
    for (int turn = 0; turn < 400; ++turn) log.meet(1, kHigh);
    log->end(kWarp);
    EXPECT_EQ(log.absent(0), 600u);
    EXPECT_EQ(log.absent(1), 0u);
}

TEST(MeetingLog, OtherMasksAndOtherInstructionsAreOtherMeetings) {
    Log log;
    log.meet(0, kLow);
    log.meet(2, kHigh);
    log.meet(0, kHigh, kAll - 1);
    log->end(kWarp);
    EXPECT_EQ(log.absent(0), 2u);
    EXPECT_EQ(log.absent(2), 1u);
}

// Those that were there cannot come again with those that were not, unless they went on alone.
TEST(MeetingLog, LanesThatComeBackTogetherDidNotMeet) {
    Log log;
    log.meet(0, 0x000000ff);
    log.meet(0, 0x00000fff);
    log.meet(0, kHigh | 0xf000);
    log->end(kWarp);
    EXPECT_EQ(log.absent(0), 1u) << "the second is complete";
}

TEST(MeetingLog, WarpsAreApart) {
    Log log;
    log.meet(0, kLow);
    log.meet(0, kHigh, kAll, {kWarp.block, kWarp.number + 1});
    EXPECT_EQ(log->open_in(kWarp.block), 2u);
    log->end_others({kWarp.block, kWarp.number + 1});
    EXPECT_EQ(log.absent(0), 1u);
    log->end_all();
    EXPECT_EQ(log.absent(0), 2u);
    EXPECT_EQ(log->absent()[0].warp, kWarp.number) << "the lowest is the first";
}

TEST(MeetingLog, GroupsMeetEachByItself) {
    Log log;
    std::array<std::uint32_t, jit::kLanes> named{};
    for (std::uint32_t lane = 0; lane < jit::kLanes; ++lane) named[lane] = lane < 16 ? kLow : kHigh;
    const std::uint32_t lanes = kLow | 0x00ff0000;
    log->meet(kWarp, 0, lanes, named, ~lanes);
    log->end(kWarp);
    EXPECT_EQ(log.absent(0), 1u);
    EXPECT_EQ(log->absent()[0].lanes, 0xff000000);
    EXPECT_EQ(log->unnamed()[0].times, 0u);
}

TEST(MeetingLog, UnnamedLanesAreWrongAtOnce) {
    Log log;
    log.meet(0, kAll, kLow);
    log.meet(0, kAll, kLow);
    EXPECT_EQ(log->unnamed()[0].times, 2u);
    EXPECT_EQ(log->unnamed()[0].lanes, kHigh);
    EXPECT_EQ(log->unnamed()[0].members, kLow);
    EXPECT_EQ(log->open_in(kWarp.block), 0u);
}

// Masks that differ each time must not take memory without end.
TEST(MeetingLog, OpenMeetingsAreBounded) {
    Log log;
    constexpr std::uint32_t kMasks = 10'000;
    for (std::uint32_t mask = 0; mask < kMasks; ++mask) log.meet(0, 1u << 31, mask << 8 | 1u << 31);
    EXPECT_LE(log->open_in(kWarp.block), 256u);
    log->end(kWarp);
    EXPECT_EQ(log.absent(0), kMasks - 1) << "all but the one that names nobody else";
}

}  // namespace
}  // namespace wideload::gpu
