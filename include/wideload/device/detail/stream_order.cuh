// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/support/config.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// Whether the library's kernels may be launched before the stream's last kernel has ended, since
/// their own first act is to wait for it. Only code for sm_90 on has the instruction for that, and
/// only nvcc tells the host for which architectures it compiles; WIDELOAD_NO_OVERLAP forbids it.
///
/// Both sides must agree: a kernel that is launched early and does not wait would read what is not
/// written yet.
constexpr bool kernels_overlap() {
#if defined(__CUDA_ARCH_LIST__) && !defined(WIDELOAD_NO_OVERLAP)
    constexpr int kArchitectures[] = {__CUDA_ARCH_LIST__};
    for (const int architecture : kArchitectures) {
        if (architecture < 900) return false;
    }
    return true;
#else
    return false;
#endif
}

/// Only so many blocks at the end of a grid ask for the next kernel: the others have ended by then,
/// and each asking takes 1.3 ns in which no other block's is heard, more than 3 KiB take to fill.
inline constexpr unsigned kAskingBlocks = 1056;

/// Lets the stream's next kernel be scheduled where blocks are free, although this one has not
/// ended.
WIDELOAD_DEVICE void release_next_kernel() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    if (blockIdx.x + kAskingBlocks >= gridDim.x) asm volatile("griddepcontrol.launch_dependents;");
#endif
}

/// Returns when the stream's last kernel has ended and what it wrote is visible. Loads that may be
/// moved before it, those of `read_only` and `read_once`, must not read what the caller passes.
WIDELOAD_DEVICE void await_last_kernel() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// Has an address or a condition computed where this is called: in front of `await_last_kernel`,
/// behind which the arithmetic would add to the time of small work.
template <class T>
WIDELOAD_DEVICE void before_wait(const T* address) {
    asm volatile("" ::"l"(address));
}
WIDELOAD_DEVICE void before_wait(bool condition) {
    asm volatile("" ::"r"(static_cast<int>(condition)));
}

/// What every thread of the library's kernels does before its first access to memory, in one call
/// or, where the arithmetic between is worth hiding, in two. It hides most of the microsecond
/// between two launches. Source: programmatic dependent launch, CUDA C++ Programming Guide.
WIDELOAD_DEVICE void enter_stream_order() {
    release_next_kernel();
    await_last_kernel();
}

}  // namespace wideload::WIDELOAD_DETAIL
