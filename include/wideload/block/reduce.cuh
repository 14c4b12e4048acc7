// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/warp/reduce.cuh>

namespace wideload::block {

/// Shared memory of `block::reduce`: one value per warp.
template <class T, int Threads>
struct reduce_storage {
    static_assert(Threads % kWarpLanes == 0 && Threads <= 1024,
                  "block::reduce: whole warps, at most 1024 threads");
    alignas(T) unsigned char bytes[Threads / kWarpLanes * sizeof(T)];
};

/// Combines the values that lane 0 of the first `valid_warps` warps (at least 1) holds, in the
/// order of warps; thread 0 holds the result. Otherwise as `reduce`.
template <int Threads, class T, class Operation>
WIDELOAD_DEVICE T reduce_warps(T value, Operation operation, reduce_storage<T, Threads>& shared,
                               int thread, int valid_warps = Threads / kWarpLanes) {
    constexpr int kWarps = Threads / kWarpLanes;
    if constexpr (kWarps == 1) return value;
    const int lane = thread % kWarpLanes, warp = thread / kWarpLanes;
    T* partials = reinterpret_cast<T*>(shared.bytes);
    if (lane == 0) partials[warp] = value;
    __syncthreads();
    if (warp == 0) {
        if (lane < kWarps) value = partials[lane];
        value = warp::reduce<power_of_two_from(kWarps)>(value, operation, lane, valid_warps);
    }
    return value;
}

/// Combines the values of the first `valid_threads` threads (at least 1), in the order of threads;
/// thread 0 holds the result. All threads of a one-dimensional block call; `operation` need not
/// commute. One barrier; `shared` may be reused after another.
/// Cost: per 4 bytes of the value five shuffles in each warp and five more in the first, and a
/// value a warp through shared memory, without bank conflicts. Source: J. Luitjens, "Faster
/// parallel reductions on Kepler", NVIDIA Technical Blog, 2014.
template <int Threads, class T, class Operation>
WIDELOAD_DEVICE T reduce(T value, Operation operation, reduce_storage<T, Threads>& shared,
                         int thread, int valid_threads = Threads) {
    const int lane = thread % kWarpLanes, warp = thread / kWarpLanes;
    value = warp::reduce(value, operation, lane, valid_threads - warp * kWarpLanes);
    return reduce_warps<Threads>(value, operation, shared, thread,
                                 (valid_threads + kWarpLanes - 1) / kWarpLanes);
}

/// Combines the values of all threads; every lane of the first warp holds the result, to the same
/// bit. For 32 threads times a power of two; `operation` must commute. Otherwise as `reduce`.
/// Cost: that of `reduce` without its tests.
template <int Threads, class T, class Operation>
WIDELOAD_DEVICE T reduce_to_warp(T value, Operation operation, reduce_storage<T, Threads>& shared,
                                 int thread) {
    constexpr int kWarps = Threads / kWarpLanes;
    static_assert(is_power_of_two(kWarps), "block::reduce_to_warp: a power of two of warps");
    const int lane = thread % kWarpLanes, warp = thread / kWarpLanes;
    value = warp::all_reduce(value, operation);
    if constexpr (kWarps == 1) return value;
    T* partials = reinterpret_cast<T*>(shared.bytes);
    if (lane == 0) partials[warp] = value;
    __syncthreads();
    if (warp == 0) value = warp::all_reduce<kWarps>(partials[lane & (kWarps - 1)], operation);
    return value;
}

}  // namespace wideload::block
