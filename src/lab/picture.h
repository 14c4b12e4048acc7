// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "lab/record.h"

/// Drawings as inline SVG.
namespace wideload::lab {

inline constexpr double kPictureWidth = 760;

/// The lanes of a warp above, the sectors that they touch below; a line from each lane to its
/// bytes.
[[nodiscard]] std::string lanes_picture(const Request& request);

/// The 32 banks of shared memory; what stands on top of each other in one bank takes a pass each.
[[nodiscard]] std::string banks_picture(const Request& request);

/// The threads of a block, x across and y down, coloured by warp, one z beside the other.
[[nodiscard]] std::string threads_picture(const std::array<std::uint32_t, 3>& block);

/// The blocks of a grid, a column for each multiprocessor that had some, in the order of their
/// numbers, coloured by wave.
/// @param multiprocessors  of each block
/// @param resident         blocks that the device holds at a time
[[nodiscard]] std::string blocks_picture(std::span<const double> multiprocessors,
                                         std::size_t resident);

/// How a kernel cuts square matrices into tiles, one for a block.
struct Tiling {
    double side = 1;   ///< elements along a side of the matrices
    double tile = 1;   ///< along a side of the tile
    double depth = 0;  ///< of a product: along k at a time; 0: a transpose
};

/// The matrices with one block's tile: what it reads and what it writes.
[[nodiscard]] std::string tiles_picture(const Tiling& tiling);

/// The request that a picture of lanes or banks shows; null where results have none.
[[nodiscard]] const Request* drawn_request(const Picture& picture, const Results& results);

/// A picture of the first point that fits it; nothing where results have no such point or request.
[[nodiscard]] std::optional<std::string> draw(const Picture& picture, const Results& results);

}  // namespace wideload::lab
