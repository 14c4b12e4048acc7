// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "arch/compute_capability.h"

namespace wideload::counters {

inline constexpr unsigned kLanes = arch::kWarpSize;
inline constexpr unsigned kSectorBytes = arch::kSectorBytes;
/// Of shared memory, and of the queues of atomics.
inline constexpr unsigned kBanks = arch::kSharedBanks, kBankBytes = arch::kSharedBankBytes;
/// A request of 32 lanes of at most 32 naturally aligned bytes never touches more global sectors
/// than it has lanes, and never needs more passes of shared memory. Only local memory, whose words
/// are interleaved, can: those requests are counted in the histogram's last entry.
inline constexpr unsigned kMaxSectors = 32;

/// The addresses of one request, kept so that a report can draw lanes onto sectors.
struct RequestSample {
    /// Linear block index × 64 + warp + 1: lower is earlier; 0: none kept.
    std::uint64_t order = 0;
    std::uint32_t mask = 0;     ///< active lanes
    std::uint32_t sectors = 0;  ///< or wavefronts, in shared memory
    std::array<std::uint64_t, kLanes> addresses{};
};
/// The order of a sample whose block and warp were not recorded: later than any other.
inline constexpr std::uint64_t kUnknownOrder = UINT64_MAX;

/// How a request's lanes lie to each other.
enum class PatternKind : std::uint32_t {
    none,
    contiguous,
    strided,
    broadcast,
    misaligned,
    irregular
};

/// A site's requests by pattern.
struct PatternTally {
    struct Stride {
        std::int32_t bytes;
        std::uint64_t requests;  ///< 0: the place is free
    };
    std::uint64_t contiguous = 0;
    std::uint64_t broadcast = 0;
    std::uint64_t irregular = 0;
    std::array<std::uint64_t, kSectorBytes> misaligned{};  ///< [n]: n bytes past a sector's start
    std::array<Stride, 8> strides{};                       ///< in the order they were met
    std::uint64_t other_strides = 0;  ///< strides that found no place above: a site with so many
};

/// What one worker counts at one memory site during one launch. Machine code writes the first part
/// inline, at fixed offsets; the out-of-line path writes the rest. Rows of all workers are summed
/// when the launch ends.
struct alignas(64) SiteRow {
    // The allocation that the last request fell into: requests inside it need no search.
    std::uint64_t legal_begin = 0;
    std::uint64_t legal_bytes = 0;         ///< 0: nothing cached
    std::uint64_t legal_displacement = 0;  ///< the engine finds the bytes so far from there
    /// Full-warp requests whose lanes' distances are known when the kernel is compiled differ only
    /// in the base's place within a sector; machine code counts them by `base % 32` and keeps the
    /// last base of each class.
    struct StaticClass {
        std::uint64_t requests;
        std::uint64_t last_base;
    };
    std::array<StaticClass, kSectorBytes> static_classes{};

    // Everything else, by the rules of counters/rules.h.
    std::uint64_t requests = 0;
    std::uint64_t active_lanes = 0;
    std::uint64_t sectors = 0;  ///< global and local; of atomics by their own rule
    std::uint64_t ideal_sectors = 0;
    std::uint64_t distinct_bytes = 0;
    std::uint64_t wavefronts = 0;  ///< shared
    std::uint64_t ideal_wavefronts = 0;
    /// Requests by their sectors (wavefronts in shared memory).
    std::array<std::uint64_t, kMaxSectors + 1> histogram{};
    PatternTally patterns;
    RequestSample first, worst;
};

}  // namespace wideload::counters
