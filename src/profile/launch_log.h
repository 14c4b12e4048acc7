// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "profile/profile.h"

namespace wideload::profile {

/// Launches in order, in bounded memory. Launches with equal counters or sites share them. From the
/// limits on, a launch that equals an earlier one is added to its count, and those that equal none
/// are summed: those of one kernel, block, process and device whose grids have as many blocks, up
/// to a factor of two, are one entry. Equal are launches of one kernel, grid, block, process,
/// device and stream with equal counters. Launches that failed are listed, whatever their number.
class LaunchLog {
public:
    static constexpr std::size_t kListedLaunches = 10'000;
    /// Of all listed launches that share none; a site takes up to a kilobyte.
    static constexpr std::size_t kListedSites = 1'000'000;

    explicit LaunchLog(std::size_t launches = kListedLaunches, std::size_t sites = kListedSites)
        : listed_launches_(launches), listed_sites_(sites) {}

    void add(Launch launch);

    [[nodiscard]] const std::vector<Launch>& launches() const { return launches_; }
    /// Whether some entry stands for more launches than were added as one.
    [[nodiscard]] bool merged() const { return merged_; }

    /// Hands the launches over; the log is empty then.
    [[nodiscard]] std::vector<Launch> take();

private:
    /// Mangled name, block, process, device, and the blocks' number to a power of two.
    using SumKey = std::tuple<std::string, std::array<std::uint32_t, 3>, std::uint32_t,
                              std::uint32_t, unsigned>;

    [[nodiscard]] bool is_full() const {
        return launches_.size() >= listed_launches_ || sites_ >= listed_sites_;
    }
    /// The earliest launch that equals another, or none.
    [[nodiscard]] std::size_t find(const Launch& launch, std::size_t hash) const;
    void add_to_sum(const Launch& launch);

    std::size_t listed_launches_, listed_sites_;
    std::size_t sites_ = 0;
    bool merged_ = false;
    std::vector<Launch> launches_;
    std::unordered_map<std::size_t, std::vector<std::size_t>> places_by_hash_;
    std::map<SumKey, std::size_t> sums_;
};

/// Merges a profile's launches as a LaunchLog does, so that profiles from elsewhere keep the same
/// bound.
void merge_equal_launches(Profile& profile, std::size_t listed = LaunchLog::kListedLaunches);

}  // namespace wideload::profile
