// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "arch/compute_capability.h"
#include "jit/runtime/host.h"

namespace wideload::gpu {

/// One of a block's sixteen barriers. It counts warps, as hardware does: every warp that arrives
/// stands for 32 threads.
struct Barrier {
    std::uint32_t arrived = 0;    ///< warps in this round
    std::uint32_t threads = 0;    ///< expected in this round; 0: all warps that have not left
    std::uint64_t round = 0;      ///< grows when the barrier opens
    jit::Host::Votes votes;       ///< of this round
    jit::Host::Votes last_votes;  ///< of the round before, for the warps that it released
};

/// The barriers of one block.
class BlockBarriers {
public:
    void reset(std::uint32_t warps) {
        barriers_ = {};
        live_warps_ = warps;
    }

    /// A warp arrives. @return true where this opens the barrier
    bool arrive(std::uint32_t number, std::uint32_t threads, jit::Host::Votes votes) {
        Barrier& barrier = (*this)[number];
        ++barrier.arrived;
        barrier.threads = threads;
        barrier.votes.holding += votes.holding;
        barrier.votes.taking_part += votes.taking_part;
        return open_if_complete(barrier);
    }

    /// A warp has left for good: barriers do not wait for it.
    void leave() {
        --live_warps_;
        for (Barrier& barrier : barriers_) open_if_complete(barrier);
    }

    Barrier& operator[](std::uint32_t number) {
        return barriers_[number % arch::kMaxNamedBarriersPerBlock];
    }

private:
    bool open_if_complete(Barrier& barrier) {
        const std::uint32_t expected =
            barrier.threads == 0 ? live_warps_
                                 : (barrier.threads + arch::kWarpSize - 1) / arch::kWarpSize;
        if (barrier.arrived == 0 || barrier.arrived < expected) return false;
        barrier.last_votes = barrier.votes;
        barrier.votes = {};
        barrier.arrived = 0;
        ++barrier.round;
        return true;
    }

    std::array<Barrier, arch::kMaxNamedBarriersPerBlock> barriers_{};
    std::uint32_t live_warps_ = 0;
};

}  // namespace wideload::gpu
