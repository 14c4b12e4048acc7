// SPDX-License-Identifier: Apache-2.0
#include "report/advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sites.h"

namespace wideload::report {
namespace {

using profile::Pattern;
using profile::SiteKind;
using ::testing::HasSubstr;

FoldedSite folded(const testing::SiteFigures& figures) {
    return {class_of(figures.kind) == SiteClass::shared ? testing::shared_site(figures)
                                                        : testing::site(figures),
            {}};
}

TEST(Advice, IsSilentWhereNothingIsLost) {
    EXPECT_EQ(advice(folded({.sectors = 4, .ideal = 4})), "");
    EXPECT_EQ(advice(folded({.requests = 100, .sectors = 404, .ideal = 400})), "")
        << "edges of a range cost one per cent";
}

TEST(Advice, TellsRowsFromStructures) {
    const std::string rows =
        advice(folded({.sectors = 32, .pattern = Pattern::strided, .pattern_bytes = 4096}));
    EXPECT_THAT(
        rows, HasSubstr("4,096 bytes apart: let neighbouring threads read neighbouring elements"));
    const std::string structures =
        advice(folded({.sectors = 12, .pattern = Pattern::strided, .pattern_bytes = 12}));
    EXPECT_THAT(structures, HasSubstr("12 bytes apart, as in an array of structures"));
}

TEST(Advice, SaysWriteForStores) {
    EXPECT_THAT(advice(folded({.kind = SiteKind::global_st,
                               .sectors = 32,
                               .pattern = Pattern::strided,
                               .pattern_bytes = 128})),
                HasSubstr("write neighbouring elements"));
}

// The majority may be contiguous; it is the rest that costs.
TEST(Advice, LooksPastAContiguousMajority) {
    FoldedSite mixed = folded({.requests = 10, .sectors = 45, .ideal = 40});
    mixed.total.patterns.push_back({Pattern::misaligned, 8, 5});
    EXPECT_THAT(advice(mixed), HasSubstr("start 8 bytes past a sector"));
}

// As a filter writes: o[i] where a third of the lanes do not. Six requests of a hundred begin past
// a sector, and cost one sector each.
TEST(Advice, BlamesIdleLanesWhereTheyCostMost) {
    constexpr std::uint64_t kRequests = 100, kLanes = 21;
    FoldedSite filter = folded({.kind = SiteKind::global_st,
                                .requests = kRequests,
                                .sectors = kRequests * 8,
                                .ideal = kRequests * (kLanes * 8 + 31) / 32});
    filter.total.element_bytes = 8;
    filter.total.active_lanes = kRequests * kLanes;
    filter.total.patterns = {{Pattern::contiguous, 0, 94}, {Pattern::misaligned, 8, 6}};
    EXPECT_THAT(advice(filter), HasSubstr("21.0 of 32 lanes write here"));
}

// Half warps have idle lanes too, but what they move beyond their bytes is due to where they start.
TEST(Advice, BlamesNoIdleLanesBehindARun) {
    FoldedSite halves = folded({.requests = 10, .sectors = 30, .ideal = 20});
    halves.total.active_lanes = 10 * 16;
    halves.total.patterns = {{Pattern::misaligned, 4, 10}};
    EXPECT_THAT(advice(halves), HasSubstr("start 4 bytes past a sector"));
}

// One irregular request may cost as much as 28 misaligned ones.
TEST(Advice, WeighsPatternsByTheirCost) {
    FoldedSite mixed = folded({.requests = 100, .sectors = 1250, .ideal = 400});
    mixed.total.patterns = {{Pattern::misaligned, 4, 70}, {Pattern::irregular, 0, 30}};
    EXPECT_THAT(advice(mixed), HasSubstr("without order"));
}

// Blocks 16 wide: a warp reads 64 bytes of two rows, which begin anywhere, so 5 sectors for 4.
TEST(Advice, TellsRunsFromDisorder) {
    FoldedSite tile = folded({.requests = 100, .sectors = 500, .ideal = 400});
    tile.total.active_lanes = 3200;
    tile.total.patterns = {{Pattern::irregular, 0, 100}};
    EXPECT_THAT(advice(tile), HasSubstr("in runs that begin or end within sectors"));
    FoldedSite gather = folded({.requests = 100, .sectors = 3000, .ideal = 400});
    gather.total.active_lanes = 3200;
    gather.total.patterns = {{Pattern::irregular, 0, 100}};
    EXPECT_THAT(advice(gather), HasSubstr("without order"));
    FoldedSite pairs = folded({.requests = 100, .sectors = 200, .ideal = 100});
    pairs.total.active_lanes = 200;
    pairs.total.patterns = {{Pattern::irregular, 0, 100}};
    EXPECT_THAT(advice(pairs), HasSubstr("without order")) << "two lanes, a sector each";
}

// At the edge of a tile two lanes are left of each warp, which lie a constant distance apart. They
// would explain all that is lost if they were as many as elsewhere.
TEST(Advice, BlamesNoFewLanesForWhatMostRequestsCost) {
    FoldedSite tile = folded({.requests = 100, .sectors = 500, .ideal = 400});
    tile.total.active_lanes = 2500;
    tile.total.patterns = {{Pattern::strided, 49, 25}, {Pattern::irregular, 0, 75}};
    EXPECT_THAT(advice(tile), HasSubstr("in runs"));
}

// Patterns that explain a little too much keep their order, and idle lanes theirs to them.
TEST(Advice, KeepsTheOrderOfPatternsThatExplainTooMuch) {
    FoldedSite mixed = folded({.requests = 100, .sectors = 750, .ideal = 400});
    mixed.total.active_lanes = 3200;
    mixed.total.patterns = {{Pattern::misaligned, 4, 90}, {Pattern::strided, 4096, 10}};
    EXPECT_THAT(advice(mixed), HasSubstr("4,096 bytes apart"));
    FoldedSite idle = folded({.requests = 100, .sectors = 450, .ideal = 250});
    idle.total.active_lanes = 2000;
    idle.total.patterns = {{Pattern::contiguous, 0, 40}, {Pattern::misaligned, 4, 60}};
    EXPECT_THAT(advice(idle), HasSubstr("20.0 of 32 lanes"));
}

TEST(Advice, CountsWhatAtomicsTakeInTurn) {
    EXPECT_THAT(advice(folded({.kind = SiteKind::global_red,
                               .sectors = 32,
                               .ideal = 1,
                               .pattern = Pattern::broadcast})),
                HasSubstr("32.0 times in turn"));
}

TEST(Advice, PadsConflictingRows) {
    EXPECT_THAT(
        advice(folded({.kind = SiteKind::shared_ld,
                       .sectors = 32,
                       .ideal = 1,
                       .pattern = Pattern::strided,
                       .pattern_bytes = 128})),
        HasSubstr("lanes 128 bytes apart meet in one bank, 32.0 wavefronts where 1 would do"));
}

TEST(Advice, MindsBranchesOnlyFromATenth) {
    FoldedSite branch;
    branch.total.kind = SiteKind::branch;
    branch.total.executions = 100;
    branch.total.divergent_executions = 9;
    EXPECT_EQ(advice(branch), "");
    branch.total.divergent_executions = 10;
    EXPECT_THAT(advice(branch), HasSubstr("lanes of a warp part here"));
}

}  // namespace
}  // namespace wideload::report
