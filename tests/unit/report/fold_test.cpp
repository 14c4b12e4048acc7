// SPDX-License-Identifier: Apache-2.0
#include "report/fold.h"

#include <gtest/gtest.h>

#include "sites.h"

namespace wideload::report {
namespace {

using profile::Pattern;
using testing::launch;
using testing::site;

FoldedKernel only_kernel(std::vector<profile::Launch> launches) {
    static profile::Profile profile;
    profile = {};
    profile.launches = std::move(launches);
    std::vector<FoldedKernel> kernels = fold(profile);
    EXPECT_EQ(kernels.size(), 1u);
    return kernels.at(0);
}

// The figures of an entry are those of one launch; `count` says how often it was made.
TEST(Fold, AddsUpTheLaunchesOfAKernel) {
    profile::Launch thrice =
        launch("k", {site({.line = 7, .requests = 10, .sectors = 40, .ideal = 30})});
    thrice.count = 3;
    const FoldedKernel kernel =
        only_kernel({thrice, launch("k", {site({.line = 7, .requests = 1})})});
    EXPECT_EQ(kernel.launches, 4u);
    EXPECT_EQ(kernel.counter("global_ld_sectors"), 3 * 40 + 4u);
    const FoldedSite& sum = kernel.of(SiteClass::memory).at(0).sites.at(0);
    EXPECT_EQ(sum.total.requests, 3 * 10 + 1u);
    EXPECT_EQ(sum.excess(), 3 * (40 - 30u));
    EXPECT_EQ(sum.total.patterns.at(0).requests, 31u);
}

TEST(Fold, MakesUnrolledCopiesOne) {
    const FoldedKernel kernel = only_kernel(
        {launch("k", {site({.line = 7, .ptx_line = 20}), site({.line = 7, .ptx_line = 25}),
                      site({.line = 8, .ptx_line = 30})})});
    ASSERT_EQ(kernel.of(SiteClass::memory).size(), 2u);
    const FoldedLine& unrolled = kernel.of(SiteClass::memory)[0];
    ASSERT_EQ(unrolled.sites.size(), 1u);
    EXPECT_EQ(unrolled.sites[0].total.sectors, 4 + 4u);
    EXPECT_EQ(unrolled.sites[0].ptx_lines, (std::set<std::uint32_t>{20, 25}));
}

// `a[i] + b[32 * i]`: the line table gives both loads one place.
TEST(Fold, KeepsAccessesOfOneLineApartByTheirPatterns) {
    const FoldedKernel kernel = only_kernel(
        {launch("k", {site({.line = 7, .ptx_line = 20}), site({.line = 7,
                                                               .ptx_line = 25,
                                                               .sectors = 32,
                                                               .pattern = Pattern::strided,
                                                               .pattern_bytes = 128})})});
    ASSERT_EQ(kernel.of(SiteClass::memory).size(), 1u);
    const FoldedLine& line = kernel.of(SiteClass::memory)[0];
    ASSERT_EQ(line.sites.size(), 2u);
    EXPECT_EQ(line.sites[0].excess(), 28u) << "the costly one leads";
    EXPECT_EQ(line.sites[1].excess(), 0u);
}

// Without source lines or a parameter nothing says that two accesses are the same.
TEST(Fold, KeepsUnknownPlacesApart) {
    const FoldedKernel kernel =
        only_kernel({launch("k", {site({.ptx_line = 20}), site({.ptx_line = 25})})});
    EXPECT_EQ(kernel.of(SiteClass::memory).size(), 2u);
    EXPECT_EQ(kernel.of(SiteClass::memory)[0].sites[0].place(), nullptr);
}

TEST(Fold, OrdersByExcess) {
    profile::Profile profile;
    profile.launches = {launch("cheap", {site({.line = 1})}),
                        launch("dear", {site({.line = 2, .ptx_line = 1, .sectors = 8}),
                                        site({.line = 3, .ptx_line = 2, .sectors = 32})})};
    const std::vector<FoldedKernel> kernels = fold(profile);
    ASSERT_EQ(kernels.size(), 2u);
    EXPECT_EQ(kernels[0].name, "dear");
    EXPECT_EQ(kernels[0].excess_bytes(), (32 - 4 + 8 - 4) * 32u);
    EXPECT_EQ(kernels[0].of(SiteClass::memory)[0].sites[0].place()->where.line, 3u);
}

// Nobody can change the toolkit's headers; who calls them can be.
TEST(Fold, BlamesTheCallerOfToolkitHeaders) {
    profile::Site inlined = site({.line = 7});
    inlined.frames.own().insert(
        inlined.frames->begin(),
        {{"/usr/local/cuda/include/sm_32_intrinsics.hpp", 90, 1}, "__ldcs"});
    const FoldedKernel kernel = only_kernel({launch("k", {inlined})});
    EXPECT_EQ(kernel.of(SiteClass::memory)[0].sites[0].place()->where.file, "a.cu");
}

}  // namespace
}  // namespace wideload::report
