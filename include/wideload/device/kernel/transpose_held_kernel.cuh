// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/detail/grid_flags.cuh>
#include <wideload/device/detail/held_shared.cuh>
#include <wideload/device/kernel/held_elements.cuh>
#include <wideload/device/kernel/held_words.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// All blocks are there at once. They take the pieces of each step in turn, go on where the last
/// step ended, and wait for each other twice a step: with storing until all have read what the
/// step takes, and with reading block (p, p - 2) until step p - 2 is stored. Each says so half a
/// step before others ask.
///
/// @tparam Pieces  HeldWords or HeldElements
template <class Pieces, int Slots, int Blocks>
__global__ void __launch_bounds__(kHeldThreads, Blocks)
    transpose_held_kernel(const __grid_constant__ HeldPlan<typename Pieces::value_type> plan) {
    extern __shared__ uint4 shared_words[];
    auto* const held_slots = reinterpret_cast<uint4*>(held_shared(shared_words));
    const Pieces pieces(plan);
    const unsigned blocks = gridDim.x;
    const auto slot = [&](unsigned step, int i) {
        return held_slots + ((step & 1) * Slots + i) * kHeldSlotWords;
    };
    /// A step's first piece of this block, where the step begins with block number `begin`.
    const auto first_piece = [&](unsigned begin) { return (blockIdx.x + blocks - begin) % blocks; };
    struct Share {
        unsigned begin, first, count;
    };
    const auto share_of = [&](unsigned step, unsigned begin) {
        return Share{begin, first_piece(begin), pieces.count(step)};
    };
    const auto share_after = [&](unsigned step, const Share& last) {
        return share_of(step, (last.begin + last.count) % blocks);
    };

    Share now = share_of(0, 0), before{0, 0, 0};
    for (int i = 0; i < Slots; ++i) {
        const unsigned piece = now.first + i * blocks;
        if (piece < now.count) pieces.load(0, piece, slot(0, i), HeldRows::others);
    }
    async_commit();
    for (unsigned step = 0; step <= plan.panels; ++step) {
        // Here the last step is stored and the next one read; this one is on its way.
        const Share next = share_after(step + 1, now);
        const auto store = [&](int i) {
            const unsigned piece = before.first + i * blocks;
            if (piece >= before.count) return;
            pieces.store(step - 1, piece, slot(step + 1, i));
            __syncthreads();
        };
        if (step > 0) await_blocks(plan.loaded + step - 1, blocks);
        unsigned stored = 0;
        bool waits = false;
        for (int i = 0; i < Slots; ++i) {
            const unsigned piece = next.first + i * blocks, own = now.first + i * blocks;
            waits = waits || (own < now.count && pieces.touches(step, 2, own)) ||
                    (piece < next.count && pieces.touches(step + 1, 3, piece));
            if (piece >= next.count || !pieces.touches(step + 1, 1, piece)) continue;
            store(i);
            stored |= 1u << i;
            pieces.load(step + 1, piece, slot(step + 1, i), HeldRows::before_last_step);
        }
        if (waits) await_blocks(plan.stored + step - 2, blocks);
        for (int i = 0; i < Slots; ++i) {
            const unsigned piece = now.first + i * blocks;
            if (piece < now.count && pieces.touches(step, 2, piece))
                pieces.load(step, piece, slot(step, i), HeldRows::after_last_step);
        }
        async_commit();
#pragma unroll
        for (int i = 0; i < Slots; ++i) {
            constexpr int kHalf = Slots / 2;
            if (i == kHalf && step < plan.panels) {
                async_wait<kHalf>();
                __syncthreads();
                count_block(plan.loaded + step);
            }
            if ((stored >> i & 1) == 0) store(i);
            const unsigned piece = next.first + i * blocks;
            if (piece < next.count)
                pieces.load(step + 1, piece, slot(step + 1, i), HeldRows::others);
            async_commit();
        }
        __syncthreads();
        if (step > 0) count_block(plan.stored + step - 1);
        before = now;
        now = next;
    }
}

}  // namespace wideload::WIDELOAD_DETAIL
