// SPDX-License-Identifier: Apache-2.0
#include "report/machine_words.h"

#include <gtest/gtest.h>

#include "sites.h"

namespace wideload::report {
namespace {

using profile::SiteKind;

/// A site of 4-byte elements at line 10 of its PTX.
FoldedSite folded(SiteKind kind) { return {testing::site({.kind = kind, .ptx_line = 10}), {10}}; }

profile::MachineCode code(std::vector<profile::MachineAccess> accesses) {
    profile::MachineCode code;
    code.arch = "sm_90";
    code.accesses = std::move(accesses);
    return code;
}

TEST(Carriage, IsThatOfTheInstructionsAtTheSitesLines) {
    EXPECT_EQ(carriage(folded(SiteKind::global_ld), code({{"LDG.E", "global", 4, 1, false, 10}})),
              Carriage::as_in_ptx);
    const auto wider = code({{"LDG.E.128", "global", 16, 1, false, 10}});
    EXPECT_EQ(carriage(folded(SiteKind::global_ld), wider), Carriage::otherwise);
    EXPECT_EQ(carriage_words(folded(SiteKind::global_ld), wider),
              "LDG.E.128 × 1 for 1 instruction of PTX");
}

// A kernel whose local array ptxas keeps in registers has sites of local memory in PTX alone.
TEST(Carriage, IsByNoneWhereTheCodeHasNoSuchAccess) {
    const auto global_alone = code({{"LDG.E", "global", 4, 1, false, 9}});
    EXPECT_EQ(carriage(folded(SiteKind::local_st), global_alone), Carriage::by_none);
    EXPECT_EQ(carriage_words(folded(SiteKind::local_st), global_alone),
              "no machine instruction carries it: ptxas found it not needed");
    const auto wide_global = code({{"LDG.E.128", "global", 16, 1, false, 9}});
    EXPECT_EQ(carriage(folded(SiteKind::local_st), wide_global), Carriage::by_none);
    EXPECT_EQ(carriage(folded(SiteKind::shared_ld), wide_global), Carriage::by_none);
}

// Spills stand at any line, and carry nothing of it.
TEST(Carriage, IsNotBySpills) {
    EXPECT_EQ(carriage(folded(SiteKind::local_st), code({{"STL", "local", 4, 1, true, 10},
                                                         {"LDG.E", "global", 4, 1, false, 9}})),
              Carriage::by_none);
}

// ptxas puts neighbouring accesses together, and equal ones; one line keeps the instruction.
TEST(Carriage, MayBeByAnInstructionOfAnotherLine) {
    const FoldedSite site = folded(SiteKind::shared_ld);
    EXPECT_EQ(carriage(site, code({{"LDS.128", "shared", 16, 1, false, 9}})), Carriage::by_another);
    EXPECT_EQ(carriage(site, code({{"LDS", "shared", 4, 1, false, 9}})), Carriage::by_another);
    EXPECT_EQ(carriage(site, code({{"LD.E.64", "generic", 8, 1, false, 9}})), Carriage::by_another);
    EXPECT_EQ(carriage(site, code({{"LDS.U8", "shared", 1, 1, false, 9}})), Carriage::by_none);
}

// Of other PTX, or without line information, no line of the code is known.
TEST(Carriage, IsUnknownWhereLinesAre) {
    EXPECT_EQ(carriage(folded(SiteKind::local_st), code({{"LDG.E", "global", 4, 1, false, 0}})),
              Carriage::unknown);
    EXPECT_EQ(carriage(folded(SiteKind::local_st), code({})), Carriage::unknown);
    EXPECT_EQ(carriage(folded(SiteKind::branch), code({{"LDG.E", "global", 4, 1, false, 9}})),
              Carriage::unknown);
}

}  // namespace
}  // namespace wideload::report
