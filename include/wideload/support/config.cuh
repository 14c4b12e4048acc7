// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/support/architectures.cuh>

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// Function qualifiers used by every header of the library. Everything that runs on the device is
/// inlined: an array passed by reference to a real call would live in local memory.
#define WIDELOAD_DEVICE __device__ __forceinline__
#define WIDELOAD_HOST_DEVICE __host__ __device__ __forceinline__

struct __half2;
struct __nv_bfloat162;

namespace wideload {

/// Whether the library may move a type's values byte by byte: trivially copyable ones, and CUDA's
/// pairs of narrow floats, which only are not since their copy constructors are written out. To be
/// specialised for other types of which that is true.
template <class T>
inline constexpr bool is_bitwise_copyable_v = std::is_trivially_copyable_v<T>;
template <>
inline constexpr bool is_bitwise_copyable_v<__half2> = true;
template <>
inline constexpr bool is_bitwise_copyable_v<__nv_bfloat162> = true;

namespace WIDELOAD_DETAIL {
/// Whether a kernel can compute with a type's values: it has variables of them, which are loaded
/// once they exist.
template <class T>
inline constexpr bool kComputable = is_bitwise_copyable_v<T> && std::is_default_constructible_v<T>;

/// T itself, from which a parameter's type deduces none: what is given for it is converted.
template <class T>
struct Same {
    using type = T;
};
template <class T>
using same_t = typename Same<T>::type;
}  // namespace WIDELOAD_DETAIL

/// Lanes of a warp.
inline constexpr int kWarpLanes = 32;
/// All lanes, as the member mask of a shuffle.
inline constexpr unsigned kFullWarp = 0xffffffffu;
/// The unit that the memory system moves, in bytes.
inline constexpr int kSectorBytes = 32;
/// A line of L1 and L2, in bytes: four sectors.
inline constexpr int kLineBytes = 128;
/// The widest single access of every architecture up to sm_90, in bytes.
inline constexpr int kWideBytes = 16;

/// The widest single access of the architecture being compiled for, in bytes.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000
inline constexpr int kMaxAccessBytes = 32;
#else
inline constexpr int kMaxAccessBytes = 16;
#endif

/// The threads that a multiprocessor of the architecture being compiled for holds.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900 || \
    __CUDA_ARCH__ / 100 == 10
inline constexpr int kResidentThreads = 2048;
#elif __CUDA_ARCH__ < 800
inline constexpr int kResidentThreads = 1024;
#else
inline constexpr int kResidentThreads = 1536;
#endif

/// For __launch_bounds__: as many blocks of `Threads` threads, or as a multiprocessor holds.
template <int Threads, int Blocks>
inline constexpr int kBlocksWithin =
    Threads * Blocks <= kResidentThreads ? Blocks : kResidentThreads / Threads;

}  // namespace wideload
