// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/support/config.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// Bulk copies by the copy engine of an SM, completing on an mbarrier in shared memory (sm_90 on).
/// One thread starts a copy; all wait for it. Source: PTX ISA, "cp.async.bulk" and "mbarrier". By
/// one thread, before any other use; a barrier of the block must follow.
WIDELOAD_DEVICE void barrier_initialise(std::uint64_t* barrier) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(barrier));
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(address) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
}

/// By one thread: copies `bytes` bytes, a multiple of 16, between addresses that are multiples of
/// 16; the barrier's phase ends when they have arrived. What the block's threads read or wrote in
/// `shared` before must be behind a barrier.
WIDELOAD_DEVICE void bulk_copy(void* shared, const void* global, unsigned bytes,
                               std::uint64_t* barrier) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    const unsigned target = static_cast<unsigned>(__cvta_generic_to_shared(shared));
    const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(barrier));
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(address), "r"(bytes)
                 : "memory");
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
            "r"(target),
        "l"(__cvta_generic_to_global(global)), "r"(bytes), "r"(address)
        : "memory");
#endif
}

/// By every thread that reads what arrived: waits for the end of the phase of this parity.
WIDELOAD_DEVICE void barrier_wait(std::uint64_t* barrier, unsigned parity) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(barrier));
    unsigned done = 0;
    while (done == 0) {
        asm volatile(
            "{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, "
            "p; }"
            : "=r"(done)
            : "r"(address), "r"(parity)
            : "memory");
    }
#endif
}

}  // namespace wideload::WIDELOAD_DETAIL
