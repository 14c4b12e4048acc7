// SPDX-License-Identifier: Apache-2.0
#include "report/cause.h"

#include <algorithm>
#include <cstdlib>

#include "arch/compute_capability.h"

namespace wideload::report {
namespace {

using profile::Pattern;
using profile::PatternShare;

/// Of a warp's lanes, on average; all of them where that was not counted.
double active_share(const profile::Site& site) {
    const auto requests = static_cast<double>(site.requests.value_or(0));
    if (requests == 0 || !site.active_lanes) return 1;
    return static_cast<double>(*site.active_lanes) / (requests * arch::kWarpSize);
}

double excess_sectors(const profile::Site& site) {
    const std::uint64_t sectors = site.sectors.value_or(0), ideal = site.ideal_sectors.value_or(0);
    return sectors > ideal ? static_cast<double>(sectors - ideal) : 0;
}

/// Excess sectors that a pattern explains; 0 for irregular requests, which nothing bounds.
double explained_by(const PatternShare& share, const profile::Site& site) {
    const auto requests = static_cast<double>(share.requests);
    if (share.pattern == Pattern::misaligned) return requests;  // a run reaches one sector more
    if (share.pattern != Pattern::strided) return 0;
    const double moved = std::min<double>(std::abs(share.bytes), arch::kSectorBytes);
    return requests * active_share(site) * std::max(0.0, moved - site.bytes_per_lane());
}

/// What runs of neighbouring elements move for lanes that take no part.
double explained_by_idle_lanes(const profile::Site& site) {
    double runs = 0;
    for (const PatternShare& share : site.patterns) {
        const bool is_run =
            share.pattern == Pattern::contiguous || share.pattern == Pattern::misaligned;
        if (is_run) runs += static_cast<double>(share.requests);
    }
    const double bytes_of_full_run = site.bytes_per_lane() * arch::kWarpSize;
    const double sectors_of_full_run = bytes_of_full_run / arch::kSectorBytes;
    return std::min(excess_sectors(site), runs * sectors_of_full_run * (1 - active_share(site)));
}

bool can_cost(const PatternShare& share) {
    return share.pattern != Pattern::contiguous && share.pattern != Pattern::broadcast;
}

}  // namespace

const PatternShare* costliest_pattern(const profile::Site& site) {
    const double idle_lanes = explained_by_idle_lanes(site);
    const double left = std::max(0.0, excess_sectors(site) - idle_lanes);
    double named = 0, all = 0, disordered = 0;
    for (const PatternShare& share : site.patterns) {
        const auto requests = static_cast<double>(share.requests);
        named += explained_by(share, site);
        all += requests;
        if (share.pattern == Pattern::irregular) disordered += requests;
    }
    // Where patterns explain more than there is, theirs are requests of fewer lanes than the
    // average: irregular ones have their share of it then.
    const double irregular = named > left ? named * disordered / all : left - named;
    const double explained = named > left ? 1 - disordered / all : 1;

    const PatternShare* costliest = nullptr;
    double most = 0;
    for (const PatternShare& share : site.patterns) {
        if (!can_cost(share)) continue;
        const double cost =
            share.pattern == Pattern::irregular ? irregular : explained * explained_by(share, site);
        if (costliest == nullptr || cost > most) {
            costliest = &share;
            most = cost;
        }
    }
    // Against the sum, since warps that start at different bytes have one cause. At a tie idle
    // lanes are not it: a run that merely ends early costs nothing.
    return idle_lanes > std::max(most, named) ? nullptr : costliest;
}

}  // namespace wideload::report
