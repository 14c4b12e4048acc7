// SPDX-License-Identifier: Apache-2.0
// A program may launch millions of kernels; the profile stays small, and says what it merged.
#include "profile/launch_log.h"

#include <gtest/gtest.h>

#include <sstream>

#include "profile/json.h"

namespace wideload::profile::test {
namespace {

Launch launch(std::uint64_t sectors) {
    Launch result;
    result.kernel = "copy()";
    result.mangled = "_Z4copyv";
    result.counters.own()["global_ld_sectors"] = sectors;
    result.sites.own().resize(1);
    result.sites.own()[0].sectors = sectors;
    return result;
}

TEST(LaunchLog, ListsEveryLaunchUpToTheLimit) {
    LaunchLog log(3);
    for (int i = 0; i < 3; ++i) log.add(launch(4));
    EXPECT_EQ(log.launches().size(), 3u);
    EXPECT_FALSE(log.merged());
}

TEST(LaunchLog, CountsEqualLaunchesBeyondIt) {
    LaunchLog log(2);
    log.add(launch(4));
    log.add(launch(8));
    for (int i = 0; i < 5; ++i) log.add(launch(8));
    log.add(launch(16));  // equals none: listed although the limit is reached
    const std::vector<Launch> launches = log.launches();
    ASSERT_EQ(launches.size(), 3u);
    EXPECT_EQ(launches[0].count, 1u);
    EXPECT_EQ(launches[1].count, 6u);
    EXPECT_EQ(launches[2].count, 1u);
    EXPECT_EQ(launches[2].sites->at(0).sectors, 16u);
    EXPECT_TRUE(log.merged());
}

TEST(LaunchLog, KeepsApartWhatDiffers) {
    const auto differing = [](auto change) {
        LaunchLog log(1);
        log.add(launch(4));
        Launch other = launch(4);
        change(other);
        log.add(other);
        return log.launches().size();
    };
    EXPECT_EQ(differing([](Launch&) {}), 1u);
    EXPECT_EQ(differing([](Launch& l) { l.host_ns = 7; }), 1u) << "time is no counter";
    EXPECT_EQ(differing([](Launch& l) { l.mangled = "_Z5otherv"; }), 2u);
    EXPECT_EQ(differing([](Launch& l) { l.grid[1] = 2; }), 2u);
    EXPECT_EQ(differing([](Launch& l) { l.block[2] = 2; }), 2u);
    EXPECT_EQ(differing([](Launch& l) { l.stream = 1; }), 2u);
    EXPECT_EQ(differing([](Launch& l) { l.counters.own()["inst"] = 1; }), 2u);
    EXPECT_EQ(differing([](Launch& l) { l.fault.emplace(); }), 2u);
}

TEST(LaunchLog, IsWrittenAsItsLaunches) {
    LaunchLog log(1);
    for (int i = 0; i < 4; ++i) log.add(launch(4));
    std::ostringstream out;
    write(out, Profile{}, log);
    const Result<Profile> read = parse(out.str(), "log");
    ASSERT_TRUE(read.ok()) << format(read.errors());
    EXPECT_TRUE(read->merged);
    ASSERT_EQ(read->launches.size(), 1u);
    EXPECT_EQ(read->launches[0].count, 4u);
    EXPECT_EQ(read->launches[0].sites, launch(4).sites);
}

// Ten thousand launches in a loop are the memory of one, in the program and in who reads its
// profile.
TEST(LaunchLog, EqualLaunchesShareWhatTheyCounted) {
    LaunchLog log(2);
    log.add(launch(4));
    log.add(launch(4));
    EXPECT_EQ(&*log.launches()[0].sites, &*log.launches()[1].sites);
    EXPECT_EQ(&*log.launches()[0].counters, &*log.launches()[1].counters);

    std::ostringstream out;
    write(out, Profile{}, log);
    const Result<Profile> read = parse(out.str(), "log");
    ASSERT_TRUE(read.ok()) << format(read.errors());
    EXPECT_EQ(&*read->launches[0].sites, &*read->launches[1].sites);
    EXPECT_EQ(&*read->launches[0].counters, &*read->launches[1].counters);

    Launch changed = read->launches[0];
    changed.sites.own()[0].sectors = 5;
    EXPECT_EQ(read->launches[0].sites, launch(4).sites) << "a change is of one copy alone";
}

TEST(MergeEqualLaunches, KeepsTheTotal) {
    Profile profile;
    for (unsigned i = 0; i < 25'000; ++i) profile.launches.push_back(launch(i % 7));
    merge_equal_launches(profile);
    EXPECT_EQ(profile.launches.size(), LaunchLog::kListedLaunches);
    EXPECT_TRUE(profile.merged);
    std::uint64_t total = 0;
    for (const Launch& entry : profile.launches) total += entry.count;
    EXPECT_EQ(total, 25'000u);
}

}  // namespace
}  // namespace wideload::profile::test
