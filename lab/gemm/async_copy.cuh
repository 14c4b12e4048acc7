// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

namespace gemm {

/// Starts an asynchronous copy of a thread's own `Floats` (1 or 4) from global to shared memory: it
/// passes no register and the thread goes on at once (`cp.async`, sm_80 on).
/// @param shared  address in shared memory, a multiple of the copy's size, as `global` is
template <int Floats>
__device__ __forceinline__ void copy_async(unsigned shared, const float* global) {
    static_assert(Floats == 1 || Floats == 4);
    if constexpr (Floats == 4) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared),
                     "l"(__cvta_generic_to_global(global))
                     : "memory");
    } else {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared),
                     "l"(__cvta_generic_to_global(global))
                     : "memory");
    }
}

/// Writes zeros where copy_async would have copied to.
template <int Floats>
__device__ __forceinline__ void clear_shared(unsigned shared) {
#pragma unroll
    for (int i = 0; i < Floats; ++i) {
        asm volatile("st.shared.f32 [%0], 0f00000000;" ::"r"(shared + 4u * i) : "memory");
    }
}

/// Closes the group of the copies that this thread started since the last one.
__device__ __forceinline__ void commit_copies() {
    asm volatile("cp.async.commit_group;" ::: "memory");
}

/// Waits until at most `Pending` of this thread's groups are under way.
template <int Pending>
__device__ __forceinline__ void wait_for_copies() {
    asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
}

}  // namespace gemm
