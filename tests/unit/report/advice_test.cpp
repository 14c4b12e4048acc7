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
