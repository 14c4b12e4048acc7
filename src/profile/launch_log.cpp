// SPDX-License-Identifier: Apache-2.0
#include "profile/launch_log.h"

#include <functional>
#include <utility>

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
    for (const auto& [name, value] : launch.counters) mix(hash, value);
    mix(hash, launch.stream);
    return hash;
}

}  // namespace

bool LaunchLog::equal(const Entry& entry, const Launch& b) {
    const Launch& a = entry.launch;
    return !a.fault && !b.fault && a.mangled == b.mangled && a.kernel == b.kernel &&
           a.grid == b.grid && a.block == b.block &&
           a.dynamic_shared_bytes == b.dynamic_shared_bytes && a.process == b.process &&
           a.device == b.device && a.stream == b.stream && *entry.counters == b.counters;
}

std::size_t LaunchLog::find(const Launch& launch, std::size_t hash) const {
    const auto found = entries_by_hash_.find(hash);
    if (found == entries_by_hash_.end()) {
        return kNone;
    }
    for (const std::size_t index : found->second) {
        if (equal(entries_[index], launch)) {
            return index;
        }
    }
    return kNone;
}

void LaunchLog::add(Launch launch) {
    const std::size_t hash = hash_of(launch);
    const std::size_t earlier = find(launch, hash);
    if (earlier != kNone && entries_.size() >= listed_) {
        entries_[earlier].launch.count += launch.count;
        merged_ = true;
        return;
    }
    auto counters = earlier != kNone ? entries_[earlier].counters
                                     : std::make_shared<const Counters>(std::move(launch.counters));
    launch.counters = {};
    std::shared_ptr<const std::vector<Site>> sites;
    if (earlier != kNone && *entries_[earlier].sites == launch.sites) {
        sites = entries_[earlier].sites;
    } else {
        sites = std::make_shared<const std::vector<Site>>(std::move(launch.sites));
    }
    launch.sites = {};
    if (earlier == kNone) {
        entries_by_hash_[hash].push_back(entries_.size());
    }
    entries_.push_back({std::move(launch), std::move(counters), std::move(sites)});
}

std::vector<Launch> LaunchLog::launches() const {
    std::vector<Launch> result;
    result.reserve(entries_.size());
    for (const Entry& entry : entries_) {
        result.push_back(entry.launch);
        result.back().counters = *entry.counters;
        result.back().sites = *entry.sites;
    }
    return result;
}

void merge_equal_launches(Profile& profile, std::size_t listed) {
    if (profile.launches.size() <= listed) {
        return;
    }
    LaunchLog log(listed);
    for (Launch& launch : profile.launches) {
        log.add(std::move(launch));
    }
    profile.launches = log.launches();
    profile.merged = profile.merged || log.merged();
}

}  // namespace wideload::profile
