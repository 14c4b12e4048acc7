// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/support/config.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// Counts this block at `counter`: what its threads have written, or read, before the barrier in
/// front of this call is seen to be so by blocks that have waited for it.
WIDELOAD_DEVICE void count_block(unsigned* counter) {
    if (threadIdx.x != 0) return;
    asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(__cvta_generic_to_global(counter))
                 : "memory");
}

/// Waits until so many blocks are counted. All threads call; all blocks must be resident at once.
WIDELOAD_DEVICE void await_blocks(const unsigned* counter, unsigned blocks) {
    if (threadIdx.x == 0) {
        unsigned counted = 0;
        do {
            asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                         : "=r"(counted)
                         : "l"(__cvta_generic_to_global(counter))
                         : "memory");
        } while (counted < blocks);
    }
    __syncthreads();
}

}  // namespace wideload::WIDELOAD_DETAIL
