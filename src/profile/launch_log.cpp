// SPDX-License-Identifier: Apache-2.0
#include "profile/launch_log.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <utility>

#include "profile/mismatch.h"
#include "profile/site_sum.h"

namespace wideload::profile {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

void mix(std::size_t& hash, std::uint64_t value) {
    hash ^= std::hash<std::uint64_t>{}(value) + 0x9e3779b97f4a7c15 + (hash << 6) + (hash >> 2);
}

std::size_t hash_of(const Launch& launch) {
    std::size_t hash = std::hash<std::string>{}(launch.mangled);
    for (const std::uint32_t extent : launch.grid) mix(hash, extent);
    for (const std::uint32_t extent : launch.block) mix(hash, extent);
    for (const auto& [name, value] : *launch.counters) mix(hash, value);
    mix(hash, launch.stream);
    return hash;
}

bool equal(const Launch& a, const Launch& b) {
    return !a.fault && !b.fault && a.mangled == b.mangled && a.kernel == b.kernel &&
           a.grid == b.grid && a.block == b.block &&
           a.dynamic_shared_bytes == b.dynamic_shared_bytes && a.process == b.process &&
           a.device == b.device && a.stream == b.stream && a.summed == b.summed &&
           a.counters == b.counters && a.mismatches == b.mismatches;
}

/// A launch like this one that counted nothing, and was not made.
Launch empty_sum(const Launch& launch) {
    Launch sum = launch;
    sum.count = 1;
    sum.summed = sum.host_ns = 0;
    sum.counters = Counters{};
    sum.sites = std::vector<Site>{};
    sum.mismatches.clear();
    return sum;
}

/// A kernel's launches have the same sites, but for those that some never reached.
/// @param expected where it would be
Site& same_instruction(std::vector<Site>& sites, const Site& wanted, std::size_t expected) {
    const auto is_same = [&](const Site& site) {
        return site.ptx_line == wanted.ptx_line && site.kind == wanted.kind &&
               site.opcode == wanted.opcode && site.frames == wanted.frames;
    };
    if (expected < sites.size() && is_same(sites[expected])) return sites[expected];
    if (const auto found = std::ranges::find_if(sites, is_same); found != sites.end())
        return *found;
    const auto behind = std::ranges::upper_bound(sites, wanted.ptx_line, {}, &Site::ptx_line);
    return *sites.insert(behind, without_figures(wanted));
}

void keep_samples(Site& sum, const Site& part) {
    if (!sum.first) sum.first = part.first;
    if (part.worst && (!sum.worst || part.worst->sectors > sum.worst->sectors)) {
        sum.worst = part.worst;
    }
}

}  // namespace

std::size_t LaunchLog::find(const Launch& launch, std::size_t hash) const {
    const auto found = places_by_hash_.find(hash);
    if (found == places_by_hash_.end()) return kNone;
    for (const std::size_t place : found->second) {
        if (equal(launches_[place], launch)) return place;
    }
    return kNone;
}

void LaunchLog::add(Launch launch) {
    const std::size_t hash = hash_of(launch);
    const std::size_t earlier = find(launch, hash);
    if (is_full() && !launch.fault) {
        if (earlier == kNone) {
            add_to_sum(launch);
        } else {
            launches_[earlier].count += launch.count;
            merged_ = true;
        }
        return;
    }
    if (earlier == kNone) {
        places_by_hash_[hash].push_back(launches_.size());
        sites_ += launch.sites->size();
    } else {
        launch.counters.join(launches_[earlier].counters);
        launch.sites.join(launches_[earlier].sites);
    }
    launches_.push_back(std::move(launch));
}

void LaunchLog::add_to_sum(const Launch& launch) {
    const std::uint64_t blocks = std::uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2];
    const auto [place, is_new] = sums_.try_emplace(
        {launch.mangled, launch.block, launch.process, launch.device, std::bit_width(blocks)},
        launches_.size());
    if (is_new) {
        launches_.push_back(empty_sum(launch));
    } else {
        merged_ = true;
    }
    Launch& sum = launches_[place->second];
    sum.summed += launch.launches();
    sum.host_ns += launch.host_ns * launch.count;
    Counters& counters = sum.counters.own();
    for (const auto& [name, figure] : *launch.counters) counters[name] += figure * launch.count;
    add_mismatches(sum.mismatches, launch.mismatches, launch.count);
    if (sum.mismatches.size() > kMostMismatches) sum.mismatches.resize(kMostMismatches);
    std::vector<Site>& sites = sum.sites.own();
    std::size_t expected = 0;
    for (const Site& site : *launch.sites) {
        Site& total = same_instruction(sites, site, expected++);
        add_figures(total, site, launch.count);
        keep_samples(total, site);
    }
}

std::vector<Launch> LaunchLog::take() {
    places_by_hash_.clear();
    sums_.clear();
    sites_ = 0;
    return std::exchange(launches_, {});
}

void merge_equal_launches(Profile& profile, std::size_t listed) {
    if (profile.launches.size() <= listed) return;
    LaunchLog log(listed);
    for (Launch& launch : profile.launches) log.add(std::move(launch));
    profile.launches = log.take();
    profile.merged = profile.merged || log.merged();
}

}  // namespace wideload::profile
