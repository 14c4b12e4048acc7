// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "profile/profile.h"

namespace wideload::profile {

/// Launches in order, in bounded memory: launches with equal counters or sites share them, and from
/// the limit on a launch that equals an earlier one is added to its count. Equal are launches of
/// one kernel, grid, block, process, device and stream with equal counters, neither of which
/// failed.
class LaunchLog {
public:
    static constexpr std::size_t kListedLaunches = 10'000;

    explicit LaunchLog(std::size_t listed = kListedLaunches) : listed_(listed) {}

    void add(Launch launch);

    [[nodiscard]] const std::vector<Launch>& launches() const { return launches_; }
    /// Whether some entry's count was raised.
    [[nodiscard]] bool merged() const { return merged_; }

    /// Hands the launches over; the log is empty then.
    [[nodiscard]] std::vector<Launch> take();

private:
    /// The earliest launch that equals another, or none.
    [[nodiscard]] std::size_t find(const Launch& launch, std::size_t hash) const;

    std::size_t listed_;
    bool merged_ = false;
    std::vector<Launch> launches_;
    std::unordered_map<std::size_t, std::vector<std::size_t>> places_by_hash_;
};

/// Merges a profile's launches as a LaunchLog does, so that profiles from elsewhere keep the same
/// bound.
void merge_equal_launches(Profile& profile, std::size_t listed = LaunchLog::kListedLaunches);

}  // namespace wideload::profile
