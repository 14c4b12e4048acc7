// SPDX-License-Identifier: Apache-2.0
// Launches belong to the point whose marks stand around them, and every count is held to its
// formula.
#include "lab/join.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sample.h"

namespace wideload::lab {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

profile::Launch launch(const char* kernel, std::uint32_t grid, std::uint64_t sectors = 0) {
    profile::Launch made;
    made.kernel = kernel;
    made.grid[0] = grid;
    made.counters.own()["global_ld_sectors"] = sectors;
    return made;
}

profile::Profile marked(std::uint32_t number, std::uint64_t sectors) {
    profile::Profile profile;
    profile.launches = {launch("generate()", 1, 999),
                        launch("lab::point_begins()", number + 1),
                        launch("kernel()", 5, sectors),
                        launch("kernel()", 6, sectors),
                        launch("lab::point_ends()", number + 1),
                        launch("check()", 1, 999)};
    return profile;
}

Results results_expecting(std::uint64_t sectors) {
    Results results = sample_outcome().results;
    results.points[2].expected = {{"global_ld_sectors", sectors, "2 × 16"}};
    return results;
}

TEST(Join, AddsWhatIsLaunchedBetweenTheMarks) {
    Results results = results_expecting(32);
    EXPECT_THAT(join(results, marked(2, 16)), IsEmpty());
    EXPECT_EQ(results.points[2].launches, 2U);
    EXPECT_EQ(results.points[2].counters.at("global_ld_sectors"), 32U);
    EXPECT_EQ(results.points[2].grid[0], 5U);
    EXPECT_EQ(results.points[1].launches, 0U);
    EXPECT_EQ(checked_counts(results), 1U);
    EXPECT_THAT(differences(results), IsEmpty());
}

TEST(Join, NamesAPointThatIsNotThere) {
    Results results = results_expecting(32);
    EXPECT_THAT(join(results, marked(99, 16)), SizeIs(1));
    EXPECT_THAT(join(results, marked(~0U, 16)), SizeIs(1));  // a grid of 0
}

TEST(Differences, AreExactOnTheVirtualGpu) {
    Results results = results_expecting(33);
    (void)join(results, marked(2, 16));
    const auto found = differences(results);
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_THAT(words(found[0], {sample_outcome().description, results}),
                HasSubstr("global_ld_sectors is 32, expected 33 (2 × 16)"));
}

// Blocks that wait for each other ask as often as they must: more is right, less is not.
TEST(Differences, ALowerBoundFailsWhereThereIsLess) {
    for (const bool is_virtual : {true, false}) {
        Results results = results_expecting(32);
        (void)join(results, marked(2, 16));
        results.machine.is_virtual = is_virtual;
        Expected& expected = results.points[2].expected[0];
        expected.at_least = true;
        for (const std::uint64_t bound : {0, 31, 32}) {
            expected.value = bound;
            EXPECT_THAT(differences(results), IsEmpty());
        }
        expected.value = 33;
        const auto found = differences(results);
        ASSERT_THAT(found, SizeIs(1));
        EXPECT_THAT(words(found[0], {sample_outcome().description, results}),
                    HasSubstr("global_ld_sectors is 32, expected at least 33 (2 × 16)"));
    }
}

TEST(Differences, ACounterThatIsMissingDiffersUnlessItIsHardwares) {
    Results results = results_expecting(32);
    (void)join(results, marked(2, 16));
    results.points[2].expected[0].counter = "shared_ld_wavefronts";
    EXPECT_THAT(differences(results), SizeIs(1));
    results.machine.is_virtual = false;
    EXPECT_THAT(differences(results), IsEmpty());
}

TEST(Differences, HardwareMayArbitrateInSharedMemoryOnly) {
    Results results = results_expecting(32);
    results.machine.is_virtual = false;
    Point& point = results.points[2];
    point.launches = 1;
    point.counters = {{"global_ld_sectors", 33}, {"shared_ld_wavefronts", 110}, {"inst", 7}};
    point.expected = {
        {"global_ld_sectors", 32, ""}, {"shared_ld_wavefronts", 100, ""}, {"inst", 9, ""}};
    EXPECT_THAT(differences(results), SizeIs(1));  // the sector; instructions are the machine's
    point.counters["shared_ld_wavefronts"] = 113;
    EXPECT_THAT(differences(results), SizeIs(2));
}

TEST(Differences, ConflictsMayBeOffByAShareOfThePasses) {
    Results results = results_expecting(32);
    results.machine.is_virtual = false;
    Point& point = results.points[2];
    point.launches = 1;
    point.counters = {{"shared_st_wavefronts", 1000}, {"shared_st_conflicts", 120}};
    point.expected = {{"shared_st_conflicts", 0, ""}};
    EXPECT_THAT(differences(results), IsEmpty());
    point.counters["shared_st_conflicts"] = 121;
    EXPECT_THAT(differences(results), SizeIs(1));
    results.machine.is_virtual = true;
    point.counters["shared_st_conflicts"] = 1;
    EXPECT_THAT(differences(results), SizeIs(1));
}

TEST(Differences, PassesOfLoadsThatPtxasMergedAreOthers) {
    Results results = results_expecting(32);
    results.machine.is_virtual = false;
    Point& point = results.points[2];
    point.launches = 1;
    point.counters = {{"shared_ld_inst", 8}, {"shared_ld_wavefronts", 99}};
    point.expected = {{"shared_ld_inst", 8, ""}, {"shared_ld_wavefronts", 8, ""}};
    EXPECT_THAT(differences(results), SizeIs(1));
    EXPECT_EQ(checked_counts(results), 1U);
    point.counters["shared_ld_inst"] = 2;
    EXPECT_THAT(differences(results), IsEmpty());
    EXPECT_EQ(checked_counts(results), 0U);
}

TEST(Differences, NameResultsThatTheProgramFoundWrong) {
    Results results = sample_outcome().results;
    results.points[0].correct = false;
    const auto found = differences(results);
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_THAT(words(found[0], {sample_outcome().description, results}),
                HasSubstr("the result is wrong"));
}

}  // namespace
}  // namespace wideload::lab
