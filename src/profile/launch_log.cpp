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
    for (const auto& [name, value] : *launch.counters) mix(hash, value);
    mix(hash, launch.stream);
    return hash;
}

bool equal(const Launch& a, const Launch& b) {
    return !a.fault && !b.fault && a.mangled == b.mangled && a.kernel == b.kernel &&
           a.grid == b.grid && a.block == b.block &&
           a.dynamic_shared_bytes == b.dynamic_shared_bytes && a.process == b.process &&
           a.device == b.device && a.stream == b.stream && a.counters == b.counters;
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
    if (earlier == kNone) {
        places_by_hash_[hash].push_back(launches_.size());
    } else if (launches_.size() >= listed_) {
        launches_[earlier].count += launch.count;
        merged_ = true;
        return;
    } else {
        launch.counters.join(launches_[earlier].counters);
        launch.sites.join(launches_[earlier].sites);
    }
    launches_.push_back(std::move(launch));
}

std::vector<Launch> LaunchLog::take() {
    places_by_hash_.clear();
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
