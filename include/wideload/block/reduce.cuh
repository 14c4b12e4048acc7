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

/// Combines the values of the first `valid_threads` threads (at least 1); thread 0 holds the
/// result. All threads of a one-dimensional block call. The order is fixed. One barrier; `shared`
/// may be reused after another.
template <int Threads, class T, class Operation>
WIDELOAD_DEVICE T reduce(T value, Operation operation, reduce_storage<T, Threads>& shared,
                         int thread, int valid_threads = Threads) {
    constexpr int kWarps = Threads / kWarpLanes;
    const int lane = thread % kWarpLanes, warp = thread / kWarpLanes;
    const int valid_lanes = valid_threads - warp * kWarpLanes;
    value = warp::reduce(value, operation, lane, valid_lanes);
    if constexpr (kWarps == 1) return value;
    T* partials = reinterpret_cast<T*>(shared.bytes);
    if (lane == 0) partials[warp] = value;
    __syncthreads();
    if (warp == 0) {
        if (lane < kWarps) value = partials[lane];
        value = warp::reduce(value, operation, lane, (valid_threads + kWarpLanes - 1) / kWarpLanes);
    }
    return value;
}

}  // namespace wideload::block
