// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "profile/profile.h"

namespace wideload::report::testing {

/// A memory site of 4-byte elements whose requests all look alike.
struct SiteFigures {
    profile::SiteKind kind = profile::SiteKind::global_ld;
    std::uint32_t line = 0;  ///< of "a.cu"; 0: built without -lineinfo
    std::uint32_t ptx_line = 1;
    std::uint64_t requests = 1;
    std::uint64_t sectors = 4;  ///< of all requests
    std::uint64_t ideal = 4;
    profile::Pattern pattern = profile::Pattern::contiguous;
    std::int32_t pattern_bytes = 0;
};

inline profile::Site site(const SiteFigures& figures) {
    profile::Site site;
    site.kind = figures.kind;
    site.opcode = "any";
    site.element_bytes = 4;
    site.ptx_line = figures.ptx_line;
    if (figures.line != 0) site.frames.own().push_back({{"a.cu", figures.line, 5}, {}});
    site.executions = figures.requests;
    site.requests = figures.requests;
    site.sectors = figures.sectors;
    site.ideal_sectors = figures.ideal;
    site.patterns.push_back({figures.pattern, figures.pattern_bytes, figures.requests});
    return site;
}

inline profile::Site shared_site(const SiteFigures& figures) {
    profile::Site shared = site(figures);
    shared.wavefronts = std::exchange(shared.sectors, std::nullopt);
    shared.ideal_wavefronts = std::exchange(shared.ideal_sectors, std::nullopt);
    return shared;
}

inline profile::Launch launch(std::string kernel, std::vector<profile::Site> sites) {
    profile::Launch launch;
    launch.mangled = kernel;
    launch.kernel = std::move(kernel);
    std::uint64_t sectors = 0;
    for (const profile::Site& one : sites) sectors += one.sectors.value_or(0);
    launch.counters = profile::Counters{{"global_ld_sectors", sectors}};
    launch.sites = std::move(sites);
    return launch;
}

}  // namespace wideload::report::testing
