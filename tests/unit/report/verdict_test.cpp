// SPDX-License-Identifier: Apache-2.0
#include "report/verdict.h"

#include <gtest/gtest.h>

#include "sites.h"

namespace wideload::report {
namespace {

using profile::Pattern;
using profile::SiteKind;
using testing::launch;
using testing::shared_site;
using testing::site;

std::string verdict_of(profile::Launch launch) {
    profile::Profile profile;
    profile.launches = {std::move(launch)};
    return verdict(fold(profile).at(0), SourceText("/"));
}

TEST(Verdict, BlamesTheLineThatWastesMost) {
    EXPECT_EQ(verdict_of(launch("k", {site({.line = 3,
                                            .ptx_line = 1,
                                            .requests = 8,
                                            .sectors = 256,
                                            .ideal = 32,
                                            .pattern = Pattern::strided,
                                            .pattern_bytes = 128})})),
              "7.00 KiB of the 8.00 KiB that it moves (87.5 %) is excess, all of it at a.cu:3.");
}

TEST(Verdict, OffersWiderAccessesToCoalescedOnes) {
    EXPECT_EQ(verdict_of(launch("k", {site({.line = 3})})),
              "Coalesced: 128 B moved, none of it in excess; 4 bytes a lane, where 16 would take "
              "a quarter of the requests.");
}

TEST(Verdict, NamesBankConflictsWhereGlobalMemoryIsFine) {
    EXPECT_EQ(verdict_of(launch(
                  "k", {site({.line = 3, .ptx_line = 1}), shared_site({.kind = SiteKind::shared_ld,
                                                                       .line = 4,
                                                                       .ptx_line = 2,
                                                                       .sectors = 32,
                                                                       .ideal = 1})})),
              "Bank conflicts make shared memory take 32.0 times the wavefronts it needs, all of "
              "them at a.cu:4.");
}

TEST(Verdict, SaysWhatWasNotCounted) {
    profile::Launch uncounted;
    uncounted.kernel = "k";
    EXPECT_EQ(verdict_of(uncounted), "Not counted.");
    profile::Launch idle = launch("k", {});
    EXPECT_EQ(verdict_of(idle), "It touches no global or local memory.");
}

}  // namespace
}  // namespace wideload::report
