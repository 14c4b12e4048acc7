// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace wideload::fuzz {

/// Active lanes, by warp of the block.
using Mask = std::vector<std::uint32_t>;

/// Calls `visit(lane)` for each of a warp's active lanes.
template <class Visit>
void for_each_lane(std::uint32_t active, Visit visit) {
    for (std::uint32_t rest = active; rest != 0; rest &= rest - 1)
        visit(static_cast<std::uint32_t>(std::countr_zero(rest)));
}

/// Calls `visit(thread)` for each of the block's active threads.
template <class Visit>
void for_each_thread(const Mask& mask, Visit visit) {
    for (std::uint32_t warp = 0; warp < mask.size(); ++warp)
        for_each_lane(mask[warp], [&](std::uint32_t lane) { visit(warp * 32 + lane); });
}

[[nodiscard]] inline bool any(const Mask& mask) {
    return std::any_of(mask.begin(), mask.end(), [](std::uint32_t m) { return m != 0; });
}
[[nodiscard]] inline Mask minus(Mask a, const Mask& b) {
    for (std::size_t w = 0; w < a.size(); ++w) a[w] &= ~b[w];
    return a;
}
inline void unite(Mask& a, const Mask& b) {
    for (std::size_t w = 0; w < a.size(); ++w) a[w] |= b[w];
}

}  // namespace wideload::fuzz
