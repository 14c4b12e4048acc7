// SPDX-License-Identifier: Apache-2.0
#include "report/machine_words.h"

#include <gtest/gtest.h>

#include "sites.h"

namespace wideload::report {
namespace {

using profile::SiteKind;

constexpr std::uint32_t kPtxLine = 7;

FoldedSite site_of(SiteKind kind) {
    return {testing::site({.kind = kind, .ptx_line = kPtxLine}), {kPtxLine}};
}

profile::MachineAccess access(const char* opcode, const char* space, std::uint32_t ptx_line) {
    return {opcode, space, 4, 2, false, ptx_line};
}

/// What stands at the line of one PTX instruction; a `brx.idx` reads its table, a `cp.async` may
/// stand beside the shared loads that ptxas moved there.
profile::MachineCode code() {
    profile::MachineCode code;
    code.arch = "sm_90";
    code.accesses = {access("LDL", "local", kPtxLine), access("LDS", "shared", kPtxLine),
                     access("LDG.E", "global", kPtxLine), access("LDG.E.64", "global", 8)};
    return code;
}

TEST(MachineWords, NameAccessesOfTheSitesSpace) {
    EXPECT_EQ(carrier_words(site_of(SiteKind::global_ld), code()), "LDG.E × 2");
    EXPECT_EQ(carrier_words(site_of(SiteKind::shared_ld), code()), "LDS × 2");
    EXPECT_EQ(carrier_words(site_of(SiteKind::local_ld), code()), "LDL × 2");
    EXPECT_EQ(carriage(site_of(SiteKind::shared_ld), code()), Carriage::otherwise) << "two for one";
}

TEST(MachineWords, SayNothingOfBranches) {
    EXPECT_EQ(carrier_words(site_of(SiteKind::branch), code()), "");
    EXPECT_EQ(carriage_words(site_of(SiteKind::branch), code()), "");
}

TEST(MachineWords, TakeGenericAccessesForAnySpace) {
    profile::MachineCode generic = code();
    generic.accesses = {access("LD.E", "generic", kPtxLine)};
    EXPECT_EQ(carrier_words(site_of(SiteKind::shared_ld), generic), "LD.E × 2");
    EXPECT_EQ(carrier_words(site_of(SiteKind::global_ld), generic), "LD.E × 2");
}

}  // namespace
}  // namespace wideload::report
