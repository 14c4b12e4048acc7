// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// The inner loops of out-of-line loads and stores, for the vector extension that the host has. All
/// versions do the same.
namespace wideload::jit {

struct LaneMoves {
    /// Whether every active lane's address a has a − begin ≤ last and a & low_bits = 0.
    bool (*all_legal)(const std::uint64_t* addresses, std::uint32_t mask, std::uint64_t begin,
                      std::uint64_t last, std::uint64_t low_bits);
    /// buffer[i × 32 + lane] = element i at addresses[lane] + displacement, for active lanes.
    using Move = void (*)(const std::uint64_t* addresses, std::uint32_t mask,
                          std::uint64_t displacement, unsigned width, void* buffer);
    /// By log2 of the element's bytes, 0 to 4.
    Move load[5];
    Move store[5];
};

[[nodiscard]] const LaneMoves& lane_moves();

}  // namespace wideload::jit
