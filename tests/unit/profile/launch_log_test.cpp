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

/// Of a log that lists so many, after a launch and a changed other.
template <class Change>
std::size_t entries_with(std::size_t listed, Launch other, Change change) {
    LaunchLog log(listed);
    log.add(launch(4));
    change(other);
    log.add(other);
    return log.launches().size();
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
    log.add(launch(16));  // equals none: an entry of its own although the limit is reached
    const std::vector<Launch> launches = log.launches();
    ASSERT_EQ(launches.size(), 3u);
    EXPECT_EQ(launches[0].count, 1u);
    EXPECT_EQ(launches[1].count, 6u);
    EXPECT_EQ(launches[2].count, 1u);
    EXPECT_EQ(launches[2].sites->at(0).sectors, 16u);
    EXPECT_TRUE(log.merged());
}

Mismatch mismatch(std::uint64_t occurrences) {
    Mismatch result;
    result.opcode = "shfl.sync.bfly.b32";
    result.occurrences = occurrences;
    result.executions = 10;
    return result;
}

// What is undefined on a GPU must not vanish among launches that count the same.
TEST(LaunchLog, SumsMismatches) {
    LaunchLog log(1);
    log.add(launch(4));
    for (const std::uint64_t occurrences : {2, 5, 5}) {
        Launch other = launch(4);
        other.mismatches = {mismatch(occurrences)};
        other.mismatches[0].block = occurrences;
        log.add(other);
    }
    ASSERT_EQ(log.launches().size(), 2u);
    EXPECT_TRUE(log.launches()[0].mismatches.empty());
    const Launch& sum = log.launches()[1];
    EXPECT_EQ(sum.summed, 3u);
    ASSERT_EQ(sum.mismatches.size(), 1u);
    EXPECT_EQ(sum.mismatches[0].occurrences, 12u);
    EXPECT_EQ(sum.mismatches[0].executions, 30u);
    EXPECT_EQ(sum.mismatches[0].block, 2u) << "the first launch's";
}

// Of a loop whose launches count something else each time, the total stays exact.
TEST(LaunchLog, SumsWhatDiffersBeyondIt) {
    LaunchLog log(1);
    log.add(launch(4));
    for (const std::uint64_t sectors : {8, 16, 16}) {
        Launch other = launch(sectors);
        other.host_ns = 5;
        Site& site = other.sites.own()[0];
        site.histogram = {{static_cast<std::uint32_t>(sectors), 2}};
        site.first.own().sectors = 1;
        site.worst.own().sectors = static_cast<std::uint32_t>(sectors);
        log.add(other);
    }
    ASSERT_EQ(log.launches().size(), 2u);
    const Launch& sum = log.launches()[1];
    EXPECT_EQ(sum.summed, 3u);
    EXPECT_EQ(sum.count, 1u);
    EXPECT_EQ(sum.host_ns, 15u);
    EXPECT_EQ(sum.counters->at("global_ld_sectors"), 40u);
    const Site& site = sum.sites->at(0);
    EXPECT_EQ(site.sectors, 40u);
    EXPECT_EQ(site.histogram, (std::map<std::uint32_t, std::uint64_t>{{8, 2}, {16, 4}}));
    EXPECT_EQ(site.first->sectors, 1u);
    EXPECT_EQ(site.worst->sectors, 16u);
    EXPECT_TRUE(log.merged());
    EXPECT_EQ(log.launches()[0].sites, launch(4).sites) << "what is listed stays as it was";
}

TEST(LaunchLog, SumsLaunchesOfAboutOneSize) {
    const auto entries = [](auto change) { return entries_with(0, launch(8), change); };
    EXPECT_EQ(entries([](Launch&) {}), 1u);
    EXPECT_EQ(entries([](Launch& l) { l.stream = 3; }), 1u);
    EXPECT_EQ(entries([](Launch& l) { l.grid[2] = 2; }), 2u);
    EXPECT_EQ(entries([](Launch& l) { l.block[0] = 2; }), 2u);
    EXPECT_EQ(entries([](Launch& l) { l.process = 1; }), 2u);
    LaunchLog log(0);
    for (std::uint32_t blocks = 1; blocks < 1024; ++blocks) {
        Launch other = launch(blocks);
        other.grid[0] = blocks;
        log.add(other);
    }
    EXPECT_EQ(log.launches().size(), 10u);
}

// Generic accesses have a site for each space that they reach.
TEST(LaunchLog, SumsSitesByInstruction) {
    LaunchLog log(0);
    const auto with_lines = [](std::vector<std::uint32_t> lines) {
        Launch result = launch(1);
        result.sites.own().assign(lines.size(), result.sites->at(0));
        for (std::size_t i = 0; i < lines.size(); ++i) result.sites.own()[i].ptx_line = lines[i];
        return result;
    };
    log.add(with_lines({3, 9}));
    log.add(with_lines({3, 5, 9}));
    log.add(with_lines({5, 9, 12}));
    const std::vector<Site>& sites = *log.launches().at(0).sites;
    ASSERT_EQ(sites.size(), 4u);
    const std::uint32_t lines[] = {3, 5, 9, 12};
    const std::uint64_t sectors[] = {2, 2, 3, 1};
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(sites[i].ptx_line, lines[i]);
        EXPECT_EQ(sites[i].sectors, sectors[i]);
    }
}

TEST(LaunchLog, ListsFewerLaunchesOfManySites) {
    LaunchLog log(1000, 6);
    for (unsigned i = 0; i < 10; ++i) {
        Launch large = launch(i);
        large.sites.own().resize(2);
        log.add(large);
    }
    ASSERT_EQ(log.launches().size(), 4u);
    EXPECT_EQ(log.launches()[3].summed, 7u);
}

TEST(LaunchLog, KeepsApartWhatDiffers) {
    const auto differing = [](auto change) { return entries_with(1, launch(4), change); };
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

TEST(LaunchLog, IsBounded) {
    LaunchLog log;
    for (unsigned i = 0; i < 25'000; ++i) log.add(launch(i));
    EXPECT_EQ(log.launches().size(), LaunchLog::kListedLaunches + 1);
    std::uint64_t launches = 0, sectors = 0;
    for (const Launch& entry : log.launches()) {
        launches += entry.launches();
        sectors += entry.counters->at("global_ld_sectors") * entry.count;
    }
    EXPECT_EQ(launches, 25'000u);
    EXPECT_EQ(sectors, 25'000u * 24'999u / 2);
    std::ostringstream out;
    write(out, Profile{}, log);
    const Result<Profile> read = parse(out.str(), "log");
    ASSERT_TRUE(read.ok()) << format(read.errors());
    EXPECT_EQ(read->launches.back().summed, 15'000u);
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
