// SPDX-License-Identifier: Apache-2.0
// A counted row becomes the figures that its site's kind has, and a launch's counters are sums over
// its sites.
#include "profile/site_figures.h"

#include <gtest/gtest.h>

#include "counters/count.h"
#include "profile/counter_names.h"
#include "profile/demangle.h"

namespace wideload::profile {
namespace {

/// Requests of full warps, lanes `stride` bytes apart.
counters::SiteRow counted(counters::CountFunction function, std::uint64_t stride, int requests) {
    counters::SiteRow row;
    for (int i = 0; i < requests; ++i) {
        std::array<std::uint64_t, counters::kLanes> addresses;
        for (std::uint64_t lane = 0; lane < addresses.size(); ++lane) {
            addresses[lane] = 0x1000 + lane * stride;
        }
        const std::uint64_t block = 5, warp = 3;
        function(row, addresses.data(), ~0u, 4, block * 64 + warp + 1);
    }
    return row;
}

TEST(SiteFigures, OfAGlobalSite) {
    Site site;
    site.kind = SiteKind::global_ld;
    set_figures(site, counted(counters::count_functions().global, 128, 10));
    EXPECT_EQ(site.executions, 10u);
    EXPECT_EQ(site.sectors, 10u * 32);
    EXPECT_EQ(site.ideal_sectors, 10u * 4);
    EXPECT_EQ(site.wavefronts, std::nullopt) << "not a figure of global memory";
    EXPECT_EQ(site.histogram, (std::map<std::uint32_t, std::uint64_t>{{32, 10}}));
    EXPECT_EQ(site.patterns, (std::vector<PatternShare>{{Pattern::strided, 128, 10}}));
    EXPECT_EQ(site.first->block, 5u);
    EXPECT_EQ(site.first->warp, 3u);
    EXPECT_EQ(site.first->addresses[31], 0x1000u + 31 * 128);
}

TEST(SiteFigures, OfASharedSite) {
    Site site;
    site.kind = SiteKind::shared_st;
    site.executions = 9;  // the engine saw more than those with active lanes
    set_figures(site, counted(counters::count_functions().shared_store, 8, 4));
    EXPECT_EQ(site.executions, 9u);
    EXPECT_EQ(site.sectors, std::nullopt);
    EXPECT_EQ(site.wavefronts, 8u);
    EXPECT_EQ(site.ideal_wavefronts, 4u);
}

TEST(SiteFigures, OfASiteThatNeverRan) {
    Site site;
    site.kind = SiteKind::global_st;
    set_figures(site, counters::SiteRow{});
    EXPECT_EQ(site.sectors, 0u) << "measured, and none";
    EXPECT_FALSE(site.first);
    EXPECT_TRUE(site.patterns.empty());
}

TEST(LaunchCounters, SumTheSites) {
    std::vector<Site> sites(5);
    sites[0].kind = sites[1].kind = SiteKind::global_ld;
    set_figures(sites[0], counted(counters::count_functions().global, 4, 3));
    set_figures(sites[1], counted(counters::count_functions().global, 128, 2));
    sites[2].kind = SiteKind::shared_ld;
    set_figures(sites[2], counted(counters::count_functions().shared_load, 16, 7));
    sites[3].kind = SiteKind::branch;
    sites[3].executions = 11;
    sites[3].divergent_executions = 2;
    sites[4].kind = SiteKind::global_red;
    set_figures(sites[4], counted(counters::count_functions().atomic, 0, 1));
    Counters counters;
    add_site_totals(counters, sites);
    EXPECT_EQ(counters["global_ld_requests"], 3u + 2);
    EXPECT_EQ(counters["global_ld_sectors"], 3u * 4 + 2 * 32);
    EXPECT_EQ(counters["global_ld_distinct_bytes"], 5u * 128);
    EXPECT_EQ(counters["global_red_sectors"], 32u);
    EXPECT_EQ(counters["shared_ld_inst"], 7u);
    EXPECT_EQ(counters["shared_ld_wavefronts"], 7u * 4);
    EXPECT_EQ(counters["shared_ld_conflicts"], 7u * 3);
    EXPECT_EQ(counters["branch_executions"], 11u);
    EXPECT_EQ(counters["branch_divergent"], 2u);
}

TEST(LaunchCounters, HaveEveryHardwareName) {
    Counters counters;
    add_site_totals(counters, {});
    for (const std::string_view name : kHardwareCounters) {
        EXPECT_EQ(counters.count(name), 1u) << name;
    }
}

TEST(Demangle, KernelNames) {
    EXPECT_EQ(demangle("_Z4copyPKfPfi"), "copy(float const*, float*, int)");
    EXPECT_EQ(demangle("_Z11bank_strideILi8EEvPf"), "void bank_stride<8>(float*)");
    EXPECT_EQ(demangle("plain_c_kernel"), "plain_c_kernel");
    EXPECT_EQ(demangle(""), "");
    EXPECT_EQ(demangle_briefly("_Z4copyPKfPfi"), "copy(float const*, float*, int)");
    const std::string long_name(161, 'k');
    EXPECT_EQ(demangle_briefly(long_name), long_name.substr(0, 160) + "…");
    const std::string cut_in_a_character = std::string(159, 'k') + "é" + std::string(20, 'k');
    EXPECT_EQ(demangle_briefly(cut_in_a_character), std::string(159, 'k') + "…");
}

}  // namespace
}  // namespace wideload::profile
