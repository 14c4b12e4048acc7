// SPDX-License-Identifier: Apache-2.0
#include "gpu/grid.h"

#include "simt/shape.h"

namespace wideload::gpu {

Dim3 block_index(std::uint64_t linear, const Dim3& grid) {
    return {static_cast<std::uint32_t>(linear % grid[0]),
            static_cast<std::uint32_t>(linear / grid[0] % grid[1]),
            static_cast<std::uint32_t>(linear / grid[0] / grid[1])};
}

void lay_out_threads(Grid& grid, const Dim3& block) {
    const auto tid = [&](std::uint32_t thread) {
        return jit::WarpOrigin{thread % block[0], thread / block[0] % block[1],
                               thread / block[0] / block[1]};
    };
    for (std::uint32_t warp = 0; warp < grid.warps; ++warp) {
        grid.origins.push_back(tid(warp * jit::kLanes));
    }
    if (simt::ThreadLayout::of(block).kind != simt::ThreadLayout::Kind::general) return;
    const std::size_t stride = std::size_t{grid.warps} * jit::kLanes;
    grid.tids.resize(3 * stride);
    for (std::uint32_t thread = 0; thread < stride; ++thread) {
        const jit::WarpOrigin at = tid(thread);
        grid.tids[thread] = at.x;
        grid.tids[stride + thread] = at.y;
        grid.tids[2 * stride + thread] = at.z;
    }
}

}  // namespace wideload::gpu
