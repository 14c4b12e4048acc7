// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/thread/shared_value.cuh>
#include <wideload/warp/reduce.cuh>

namespace wideload::block {

/// Shared memory of `block::reduce`: one value per warp.
template <class T, int Threads>
struct reduce_storage {
    static_assert(Threads > 0 && Threads % kWarpLanes == 0 && Threads <= 1024,
                  "block::reduce: whole warps, at most 1024 threads");
    wideload::detail::SharedValue<T> values[Threads / kWarpLanes];
};

/// Combines the values that lane 0 of the first `valid_warps` warps (at least 1) holds, in the
/// order of warps; thread 0 holds the result. Otherwise as `reduce`.
template <int Threads, class T, class Operation>
WIDELOAD_DEVICE T reduce_warps(T value, Operation operation, reduce_storage<T, Threads>& shared,
                               int thread, int valid_warps = Threads / kWarpLanes) {
    constexpr int kWarps = Threads / kWarpLanes;
    if constexpr (kWarps == 1) return value;
    const int lane = thread % kWarpLanes, warp = thread / kWarpLanes;
    if (lane == 0) shared.values[warp].put(value);
    __syncthreads();
    if (warp == 0) {
        if (lane < kWarps) value = shared.values[lane].get();
        // Lanes beyond have no warp's value.
        value = warp::reduce<power_of_two_from(kWarps)>(value, operation, lane,
                                                        lane < kWarps ? valid_warps : 0);
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

/// Shared memory of `block::reduce_to_warp`: one value per warp, or per thread if that is quicker.
template <class T, int Threads>
struct reduce_to_warp_storage {
    static_assert(Threads % kWarpLanes == 0 && Threads <= 1024 &&
                      is_power_of_two(Threads / kWarpLanes),
                  "block::reduce_to_warp: a power of two of warps, at most 1024 threads");
    /// Through shared memory a thread's value costs no shuffle until one warp has them all, which
    /// needs registers for its share.
    static constexpr bool kOfThreads =
        (sizeof(T) == 4 || sizeof(T) == 8) && Threads > 2 * kWarpLanes&& Threads <= 256;
    static constexpr int kValues = kOfThreads ? Threads : Threads / kWarpLanes;
    alignas(kWideBytes) wideload::detail::SharedValue<T> values[kValues];
};

namespace reduce_detail {

/// Whether every thread puts its value there, not every warp. (Two instructions one after the
/// other, by which a warp combines extrema of 8 bytes, are no quicker.)
template <class Operation, class T, int Threads>
inline constexpr bool kByThreads =
    reduce_to_warp_storage<T, Threads>::kOfThreads &&
    (sizeof(T) == 8 || !warp::detail::kRedux<wideload::detail::known_operation_t<Operation, T>, T>);

/// What lane l of a warp combines of `Count` values of a size that divides 16 in shared memory:
/// every 32nd 16 bytes of them from the l-th on. `Count` is a power of two that makes 512 bytes or
/// more.
template <int Count, class T, class Operation>
WIDELOAD_DEVICE T combine_share(const wideload::detail::SharedValue<T>* values, Operation operation,
                                int lane) {
    constexpr int kShare = Count / kWarpLanes, kAtOnce = kWideBytes / static_cast<int>(sizeof(T));
    T share[kShare];
#pragma unroll
    for (int i = 0; i < kShare; i += kAtOnce) {
        const auto* some = values + i * kWarpLanes + kAtOnce * lane;
        std::memcpy(&share[i], __builtin_assume_aligned(some, kWideBytes), kWideBytes);
    }
#pragma unroll
    for (int distance = kShare / 2; distance >= 1; distance /= 2) {
#pragma unroll
        for (int i = 0; i < distance; ++i) share[i] = operation(share[i], share[i + distance]);
    }
    return share[0];
}

}  // namespace reduce_detail

/// Combines the values of all threads; every lane of the first warp holds the result, to the same
/// bit. For 32 threads times a power of two; `operation` must commute. Otherwise as `reduce`.
/// Cost: that of `reduce` without its tests; see `warp::all_reduce`.
template <int Threads, class T, class Operation>
WIDELOAD_DEVICE T reduce_to_warp(T value, Operation operation,
                                 reduce_to_warp_storage<T, Threads>& shared, int thread) {
    constexpr int kWarps = Threads / kWarpLanes;
    const int lane = thread % kWarpLanes, warp = thread / kWarpLanes;
    if constexpr (reduce_detail::kByThreads<Operation, T, Threads>) {
        shared.values[thread].put(value);
        __syncthreads();
        if (warp != 0) return value;
        return warp::all_reduce(
            reduce_detail::combine_share<Threads>(shared.values, operation, lane), operation);
    } else {
        value = warp::all_reduce(value, operation);
        if constexpr (kWarps > 1) {
            if (lane == 0) shared.values[warp].put(value);
            __syncthreads();
            if (warp != 0) return value;
            using Known = wideload::detail::known_operation_t<Operation, T>;
            if constexpr (warp::detail::kRedux<Known, T>) {
                // All lanes combine: those without a warp's value have one that changes nothing.
                value = Known::template identity<T>();
                if (lane < kWarps) value = shared.values[lane].get();
                return warp::all_reduce(value, operation);
            } else {
                return warp::all_reduce<kWarps>(shared.values[lane & (kWarps - 1)].get(),
                                                operation);
            }
        }
        return value;
    }
}

}  // namespace wideload::block
