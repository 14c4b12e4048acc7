// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace wideload::counters {

inline constexpr unsigned kLanes = 32;
inline constexpr unsigned kSectorBytes = 32;
/// A request of 32 lanes of at most 32 naturally aligned bytes never touches more sectors than it has lanes.
inline constexpr unsigned kMaxSectors = 32;

/// The addresses of one request, kept so that a report can draw lanes onto sectors.
struct RequestSample {
    std::uint64_t order = 0;    ///< linear block index × 64 + warp + 1: lower is earlier; 0: none kept
    std::uint32_t mask = 0;     ///< active lanes
    std::uint32_t sectors = 0;  ///< or wavefronts, in shared memory
    std::array<std::uint64_t, kLanes> addresses{};
};

/// How a request's lanes lie to each other; `value` is the stride or the misalignment in bytes.
enum class PatternKind : std::uint32_t { none, contiguous, strided, broadcast, misaligned, irregular };

struct PatternCount {
    PatternKind kind = PatternKind::none;
    std::int32_t value = 0;
    std::uint64_t requests = 0;
};

/// What one worker counts at one memory site during one launch. Machine code writes the first part inline, at fixed
/// offsets; the out-of-line path writes the rest. Rows of all workers are summed when the launch ends.
struct alignas(64) SiteRow {
    // The allocation that the last request fell into: requests inside it need no search.
    std::uint64_t legal_begin = 0;
    std::uint64_t legal_bytes = 0;  ///< 0: nothing cached
    /// Full-warp requests whose lanes' distances are known when the kernel is compiled differ only in the base's place
    /// within a sector; machine code counts them by `base % 32` and keeps the last base of each class.
    struct StaticClass {
        std::uint64_t requests;
        std::uint64_t last_base;
    };
    std::array<StaticClass, kSectorBytes> static_classes{};

    // Everything else, by the rules of counters/rules.h.
    std::uint64_t requests = 0;
    std::uint64_t active_lanes = 0;
    std::uint64_t sectors = 0;          ///< global and local; of atomics by their own rule
    std::uint64_t ideal_sectors = 0;
    std::uint64_t distinct_bytes = 0;
    std::uint64_t wavefronts = 0;       ///< shared
    std::uint64_t ideal_wavefronts = 0;
    std::array<std::uint64_t, kMaxSectors + 1> histogram{};  ///< requests by their sectors (wavefronts in shared memory)
    std::array<PatternCount, 8> patterns{};  ///< the last entry gathers what found no place
    RequestSample first, worst;
};

}  // namespace wideload::counters
