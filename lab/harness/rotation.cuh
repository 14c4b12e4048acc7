// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

/// On how many copies of its buffers a launch is timed, so that none finds its data in the L2.
namespace lab {

/// What the copies of each buffer have together at least: more than four times the L2.
constexpr std::size_t rotated_bytes(std::size_t l2_bytes) { return 4 * l2_bytes + l2_bytes / 4; }

/// From one copy of a buffer to the next: aligned as cudaMalloc aligns, and no line is shared.
constexpr std::size_t slot_bytes(std::size_t buffer_bytes) {
    constexpr std::size_t kSlot = 512;
    return std::max(kSlot, (buffer_bytes + kSlot - 1) / kSlot * kSlot);
}

/// Copies of a buffer: two at least, so that a large one is not used twice in a row.
constexpr int rotated_copies(std::size_t buffer_bytes, std::size_t l2_bytes) {
    const std::size_t slot = slot_bytes(buffer_bytes);
    const std::size_t copies = (rotated_bytes(l2_bytes) + slot - 1) / slot;
    return static_cast<int>(std::max<std::size_t>(copies, 2));
}

/// Launches of one repeat. Where there are more copies, the next repeat goes on behind them.
constexpr int launches_of_repeat(int copies) {
    constexpr int kMost = 40;
    return std::min(copies, kMost);
}

}  // namespace lab
