// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "profile/profile.h"

namespace wideload::profile {

/// The launches of a running program, in order, in bounded memory: launches with equal counters or
/// sites share them, and from the limit on a launch that equals an earlier one is added to its
/// count. Equal are launches of one kernel, grid, block, process, device and stream with equal
/// counters, neither of which failed.
class LaunchLog {
public:
    static constexpr std::size_t kListedLaunches = 10'000;

    explicit LaunchLog(std::size_t listed = kListedLaunches) : listed_(listed) {}

    void add(Launch launch);

    [[nodiscard]] std::size_t size() const { return entries_.size(); }
    /// Whether some entry's count was raised.
    [[nodiscard]] bool merged() const { return merged_; }

    /// @param visit  (const Launch&, const std::vector<Site>& sites); launch.sites is empty
    template <class Visit>
    void for_each(Visit visit) const {
        for (const Entry& entry : entries_) {
            Launch launch = entry.launch;
            launch.counters = *entry.counters;
            visit(launch, *entry.sites);
        }
    }

    /// The launches with their sites, as a Profile holds them.
    [[nodiscard]] std::vector<Launch> launches() const;

private:
    struct Entry {
        Launch launch;  ///< without counters and sites
        std::shared_ptr<const Counters> counters;
        std::shared_ptr<const std::vector<Site>> sites;
    };
    [[nodiscard]] static bool equal(const Entry& entry, const Launch& launch);
    /// The earliest entry that equals a launch, or none.
    [[nodiscard]] std::size_t find(const Launch& launch, std::size_t hash) const;

    std::size_t listed_;
    bool merged_ = false;
    std::vector<Entry> entries_;
    std::unordered_map<std::size_t, std::vector<std::size_t>> entries_by_hash_;
};

/// Merges a profile's launches as a LaunchLog does, so that profiles from elsewhere keep the same
/// bound.
void merge_equal_launches(Profile& profile, std::size_t listed = LaunchLog::kListedLaunches);

}  // namespace wideload::profile
