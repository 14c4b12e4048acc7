// SPDX-License-Identifier: Apache-2.0
#include "profile/site_figures.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "profile/counter_names.h"
#include "profile/names.h"

namespace wideload::profile {
namespace {

using counters::PatternTally;
using counters::RequestSample;
using counters::SiteRow;

bool is_shared(SiteKind kind) {
    return kind == SiteKind::shared_ld || kind == SiteKind::shared_st ||
           kind == SiteKind::shared_atom;
}

Shared<Sample> sample(const RequestSample& kept) {
    if (kept.order == 0) {
        return {};
    }
    Sample result;
    if (kept.order != counters::kUnknownOrder) {
        constexpr std::uint64_t kWarpsPerBlock = 64;
        result.block = (kept.order - 1) / kWarpsPerBlock;
        result.warp = static_cast<std::uint32_t>((kept.order - 1) % kWarpsPerBlock);
    }
    result.mask = kept.mask;
    result.sectors = kept.sectors;
    for (unsigned lane = 0; lane < counters::kLanes; ++lane) {
        result.addresses[lane] = kept.mask >> lane & 1 ? kept.addresses[lane] : 0;
    }
    return result;
}

std::vector<PatternShare> patterns(const PatternTally& tally) {
    std::vector<PatternShare> shares;
    const auto add = [&](Pattern pattern, std::int32_t bytes, std::uint64_t requests) {
        if (requests != 0) {
            shares.push_back({pattern, bytes, requests});
        }
    };
    add(Pattern::contiguous, 0, tally.contiguous);
    add(Pattern::broadcast, 0, tally.broadcast);
    // A site with more strides than it has places for follows no stride.
    add(Pattern::irregular, 0, tally.irregular + tally.other_strides);
    for (std::size_t bytes = 0; bytes < tally.misaligned.size(); ++bytes) {
        add(Pattern::misaligned, static_cast<std::int32_t>(bytes), tally.misaligned[bytes]);
    }
    for (const PatternTally::Stride& stride : tally.strides) {
        add(Pattern::strided, stride.bytes, stride.requests);
    }
    // Ties by content, so that the order does not depend on which worker met a stride first.
    std::sort(shares.begin(), shares.end(), [](const PatternShare& a, const PatternShare& b) {
        if (a.requests != b.requests) return a.requests > b.requests;
        if (a.pattern != b.pattern) return a.pattern < b.pattern;
        return a.bytes < b.bytes;
    });
    return shares;
}

/// The word between space and figure: "global_ld", "shared_atom".
void add(Counters& counters, SiteKind kind, std::string_view figure,
         std::optional<std::uint64_t> value) {
    counters[std::string(name(kind)) + "_" + std::string(figure)] += value.value_or(0);
}

void add_sector_totals(Counters& counters, SiteKind kind, const Site& site) {
    add(counters, kind, "requests", site.requests);
    add(counters, kind, "sectors", site.sectors);
    add(counters, kind, "ideal_sectors", site.ideal_sectors);
    add(counters, kind, "distinct_bytes", site.distinct_bytes);
    add(counters, kind, "active_lanes", site.active_lanes);
}

void add_wavefront_totals(Counters& counters, SiteKind kind, const Site& site) {
    const std::uint64_t wavefronts = site.wavefronts.value_or(0);
    add(counters, kind, "inst", site.requests);
    add(counters, kind, "wavefronts", wavefronts);
    add(counters, kind, "ideal_wavefronts", site.ideal_wavefronts);
    add(counters, kind, "conflicts", wavefronts - site.ideal_wavefronts.value_or(wavefronts));
    add(counters, kind, "active_lanes", site.active_lanes);
}

void add_totals(Counters& counters, SiteKind kind, const Site& site) {
    if (is_shared(kind)) {
        add_wavefront_totals(counters, kind, site);
    } else {
        add_sector_totals(counters, kind, site);
    }
}

/// Every counter that sites add to, at 0. Building the names takes longer than an empty kernel.
const Counters& zero_counters() {
    static const Counters zeros = [] {
        constexpr SiteKind kCounted[] = {
            SiteKind::global_ld, SiteKind::global_st, SiteKind::global_red,  SiteKind::global_atom,
            SiteKind::shared_ld, SiteKind::shared_st, SiteKind::shared_atom, SiteKind::local_ld,
            SiteKind::local_st,  SiteKind::bulk_ld,   SiteKind::bulk_st,     SiteKind::bulk_red};
        Counters counters;
        for (const SiteKind kind : kCounted) add_totals(counters, kind, Site{});
        counters[std::string(kBranchExecutions)] = 0;
        counters[std::string(kBranchDivergent)] = 0;
        return counters;
    }();
    return zeros;
}

}  // namespace

void set_figures(Site& site, const SiteRow& row) {
    site.requests = row.requests;
    site.active_lanes = row.active_lanes;
    if (is_shared(site.kind)) {
        site.wavefronts = row.wavefronts;
        site.ideal_wavefronts = row.ideal_wavefronts;
    } else {
        site.sectors = row.sectors;
        site.ideal_sectors = row.ideal_sectors;
    }
    site.distinct_bytes = row.distinct_bytes;
    if (site.executions == 0) {
        site.executions = row.requests;
    }
    site.histogram.clear();
    for (std::uint32_t level = 0; level < row.histogram.size(); ++level) {
        if (row.histogram[level] != 0) {
            site.histogram[level] = row.histogram[level];
        }
    }
    site.patterns = patterns(row.patterns);
    site.first = sample(row.first);
    site.worst = sample(row.worst);
    site.worst.join(site.first);
}

void add_site_totals(Counters& counters, const std::vector<Site>& sites) {
    if (counters.empty()) {
        counters = zero_counters();
    } else {
        counters.insert(zero_counters().begin(), zero_counters().end());
    }
    std::uint64_t& executions = counters[std::string(kBranchExecutions)];
    std::uint64_t& divergent = counters[std::string(kBranchDivergent)];
    for (const Site& site : sites) {
        if (site.kind == SiteKind::branch) {
            executions += site.executions;
            divergent += site.divergent_executions.value_or(0);
        } else if (site.kind != SiteKind::constant_ld && site.requests.value_or(0) != 0) {
            add_totals(counters, site.kind, site);
        }
    }
}

}  // namespace wideload::profile
