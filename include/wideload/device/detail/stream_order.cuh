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
WIDELOAD_HOST_DEVICE constexpr bool kernels_overlap() {
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

/// Work that reads so many bytes at most is small: the blocks of two launches are there at once.
/// Of matrices of few rows or columns, which write less than whole sectors, less is, of tiles half.
inline constexpr std::size_t kSmallWorkBytes = std::size_t{4} << 20;
inline constexpr std::size_t kSmallTransposeBytes = std::size_t{1} << 19;
inline constexpr std::size_t kSmallTilesBytes = std::size_t{2} << 20;

/// The number of a thread in a grid that is a row of blocks; it may wrap round.
WIDELOAD_DEVICE unsigned thread_of_row() { return blockIdx.x * blockDim.x + threadIdx.x; }

/// Has line number `thread` of those that hold the `bytes` bytes from `first` on brought to L2, if
/// there is one: in front of `await_last_kernel`, what a kernel will read behind it. It is no more
/// than a hint: what is written there meanwhile is written to L2, so that loads behind the wait see
/// the same as ever. Small work whose input lies in memory takes 0.3 µs less for it; larger work
/// would stand in its own way. See bench/library/NOTES.md.
WIDELOAD_DEVICE void prefetch_line(const void* first, unsigned bytes, unsigned thread) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    if constexpr (kernels_overlap()) {
        const std::uint64_t address = __cvta_generic_to_global(first);
        const unsigned slip = static_cast<unsigned>(address) % kLineBytes;
        const unsigned at = thread * kLineBytes;  // a branch in front of the wait would cost more
        asm volatile("{ .reg .pred p; setp.lt.u32 p, %1, %2; @p prefetch.global.L2 [%0]; }" ::"l"(
                         address - slip + at),
                     "r"(at), "r"(slip + bytes));
    }
#endif
}

/// The same of the line that holds `address`, if `there`.
WIDELOAD_DEVICE void prefetch_address(const void* address, bool there) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    if constexpr (kernels_overlap()) {
        asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; @p prefetch.global.L2 [%0]; }" ::"l"(
                         __cvta_generic_to_global(address)),
                     "r"(static_cast<int>(there)));
    }
#endif
}

/// All of them, if they are at most `most`, by the threads of a grid that is a row of blocks.
WIDELOAD_DEVICE void prefetch_input(const void* first, std::size_t bytes,
                                    std::size_t most = kSmallWorkBytes) {
    prefetch_line(first, bytes <= most ? static_cast<unsigned>(bytes) : 0, thread_of_row());
}

/// `bytes` bytes of each of several inputs.
template <class T, int Inputs>
WIDELOAD_DEVICE void prefetch_inputs(T* const (&inputs)[Inputs], std::size_t bytes) {
    const unsigned thread = thread_of_row();
    if (bytes > kSmallWorkBytes / Inputs) bytes = 0;
    prefetch_line(inputs[thread % Inputs], static_cast<unsigned>(bytes), thread / Inputs);
}

/// The number of a thread in any grid; it may wrap round.
WIDELOAD_DEVICE unsigned thread_of_grid() {
    return ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * blockDim.x +
           threadIdx.x;
}

/// A plan of small work, whose kernel has its input brought early: another kernel than that of
/// other work, which ptxas would schedule anew, and worse as was seen.
template <class Plan>
struct Early : Plan {};
template <class Plan>
inline constexpr bool kIsEarly = false;
template <class Plan>
inline constexpr bool kIsEarly<Early<Plan>> = true;

/// A plan of a second launch, which waits for all of the first one: its kernel asks for the next
/// one behind that, whose blocks would otherwise lie where there is room while the first one runs,
/// and be unevenly many there.
template <class Plan>
struct Second : Plan {};
template <class Plan>
inline constexpr bool kIsSecond = false;
template <class Plan>
inline constexpr bool kIsSecond<Second<Plan>> = true;

/// What every thread of the library's kernels does before its first access to memory, in one call
/// or, where the arithmetic between is worth hiding, in two. It hides most of the microsecond
/// between two launches. Source: programmatic dependent launch, CUDA C++ Programming Guide.
WIDELOAD_DEVICE void enter_stream_order() {
    release_next_kernel();
    await_last_kernel();
}

/// The same of a kernel that has such a plan, or one that is not early, and will read the `bytes`
/// bytes from `first` on.
template <class Plan>
WIDELOAD_DEVICE void enter_with(const Plan&, const void* first, std::size_t bytes) {
    if constexpr (!kIsSecond<Plan>) release_next_kernel();
    if constexpr (kIsEarly<Plan>)
        prefetch_line(first, static_cast<unsigned>(bytes), thread_of_grid());
    await_last_kernel();
    if constexpr (kIsSecond<Plan>) release_next_kernel();
}

/// The same of a kernel that will read the `bytes` bytes from `first` on; see `prefetch_input`.
WIDELOAD_DEVICE void enter_stream_order(const void* first, std::size_t bytes,
                                        std::size_t most = kSmallWorkBytes) {
    release_next_kernel();
    prefetch_input(first, bytes, most);
    await_last_kernel();
}

}  // namespace wideload::WIDELOAD_DETAIL
