// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace wideload::fuzz {

/// The addresses of one request, by lane; none where a lane is inactive.
using LaneAddresses = std::array<std::optional<std::uint64_t>, 32>;

/// What one memory statement did in a launch.
struct SiteCounts {
    std::uint64_t requests = 0, active_lanes = 0;
    std::uint64_t sectors = 0, distinct_bytes = 0, ideal_sectors = 0;
    std::uint64_t wavefronts = 0;
};

/// Adds a load or store of global or constant memory.
void count_global(SiteCounts& counts, const LaneAddresses& addresses, unsigned bytes);
/// Of local memory, whose words are interleaved by lane; addresses are each lane's own.
void count_local(SiteCounts& counts, const LaneAddresses& addresses, unsigned bytes);
/// Of shared memory. Wavefronts of 8- and 16-byte loads are left out: some broadcasts pair up.
void count_shared(SiteCounts& counts, const LaneAddresses& addresses, unsigned bytes);
/// Requests and lanes alone.
void count_lanes(SiteCounts& counts, const LaneAddresses& addresses);

}  // namespace wideload::fuzz
